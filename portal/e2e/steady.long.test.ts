import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Receiver, startReceiver } from '../../test/harness/receiver.ts'
import { ROW_PX } from '../src/ui/use-rows-in-view.ts'
import { addSandboxNumber, openPortal, type Portal, setWebhook, type Visit } from './portal.ts'

/** web.dev rates a layout shift of up to 0.1 as good. */
const MOST_SHIFT = 0.02

let portal: Portal
let receiver: Receiver
let first: Visit
const paths: Record<string, string> = {
  overview: '/',
  numbers: '/numbers',
  'linking a sandbox phone': '/link?platform=sandbox',
  'the sandbox phone': '/phone?chat=15551234567',
  'two phones': '/phone?second=list',
  messages: '/messages',
  deliveries: '/deliveries',
  webhooks: '/webhooks',
  'a new webhook': '/webhooks/new',
  'API keys': '/keys',
  usage: '/usage',
  settings: '/settings',
  'the Terms': '/settings/terms',
  accounts: '/accounts',
  nodes: '/nodes',
}

beforeAll(async () => {
  portal = await openPortal()
  receiver = await startReceiver(() => 500)
  first = await portal.visit({ operator: true })
  const { page } = first
  const number = await addSandboxNumber(page, 'Support')
  await setWebhook(page, number, receiver.url())
  paths['a webhook'] = new URL(page.url()).pathname
  paths['a number'] = `/numbers/${encodeURIComponent(number)}`
  await page.goto(`${portal.url}/phone?chat=15551234567`)
  for (const text of ['Hello', 'Is my order on its way?', 'It is the blue one.']) {
    await page.getByLabel('Message', { exact: true }).fill(text)
    await page.getByRole('button', { name: 'Send', exact: true }).click()
  }
  await page
    .getByRole('button', { name: /message text.*Dead letter/ })
    .first()
    .waitFor()
  await page.goto(`${portal.url}/messages`)
  await page.getByRole('button', { name: 'Send a message' }).click()
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await page.getByRole('link', { name: 'Follow its delivery' }).click()
  await page.getByRole('dialog').getByText('Read', { exact: true }).first().waitFor()
  paths['a message'] = new URL(page.url()).pathname
  await page.goto(`${portal.url}/deliveries?status=dead`)
  await page.getByRole('link', { name: 'Incoming message' }).first().click()
  await page.getByRole('heading', { name: 'Attempts' }).waitFor()
  paths['a delivery'] = new URL(page.url()).pathname
})
afterAll(async () => {
  await portal.stop()
  await receiver.close()
})

/** Adds up the unexpected layout shifts, each with the element that moved most. */
function observeShifts(): void {
  const shifts: string[] = []
  let total = 0
  Object.assign(window, { shiftsSeen: () => ({ total, shifts }) })
  interface Shift extends PerformanceEntry {
    value: number
    hadRecentInput: boolean
    sources: { node?: Node; previousRect: DOMRect; currentRect: DOMRect }[]
  }
  new PerformanceObserver(list => {
    for (const entry of list.getEntries() as Shift[]) {
      if (entry.hadRecentInput) continue
      total += entry.value
      const moved = entry.sources.map(({ node, previousRect: a, currentRect: b }) => {
        const name = node instanceof Element ? `${node.tagName}.${node.className}`.slice(0, 80) : String(node?.nodeName)
        return `${name} ${a.x},${a.y},${a.width}x${a.height} → ${b.x},${b.y},${b.width}x${b.height}`
      })
      shifts.push(`${entry.value.toFixed(4)} ${moved.join(' | ')}`)
    }
  }).observe({ type: 'layout-shift', buffered: true })
}

interface Shifts {
  total: number
  shifts: string[]
}

async function expectSteady(page: Page): Promise<void> {
  await settle(page)
  const { total, shifts } = await page.evaluate(() => (window as unknown as { shiftsSeen(): Shifts }).shiftsSeen())
  expect(total, shifts.join('\n')).toBeLessThanOrEqual(MOST_SHIFT)
}

const nextFrame = (page: Page): Promise<unknown> =>
  page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))))

async function settle(page: Page): Promise<void> {
  await page.locator('h1, h2').first().waitFor()
  await page.waitForLoadState('networkidle').catch(() => {})
  await page.waitForFunction(() => document.querySelector('.skeleton') === null)
  await page.evaluate(() => document.fonts.ready)
  await nextFrame(page)
}

describe.each([360, 1280])('at %i pixels the layout does not shift while a page loads:', width => {
  let visit: Visit
  beforeAll(async () => {
    visit = await portal.visit({ user: first.user, width })
    await visit.page.addInitScript(observeShifts)
  })
  afterAll(() => visit.close())

  const names = [...Object.keys(paths), 'a webhook', 'a number', 'a message', 'a delivery']
  test.each(names)('%s', async name => {
    await visit.goTo(paths[name]!)
    await expectSteady(visit.page)
  })
})

test('the layout of the sandbox phone does not shift when its events arrive late', async () => {
  const visit = await portal.visit({ user: first.user, width: 1280 })
  const { page } = visit
  await page.addInitScript(observeShifts)
  let release = () => {}
  const released = new Promise<void>(resolve => (release = resolve))
  await page.route('**/v1/deliveries?*', async route => {
    await released
    await route.continue()
  })
  await visit.goTo(paths['the sandbox phone']!)
  await page.getByRole('heading', { name: 'What your webhook receives' }).waitFor()
  await page.getByLabel('Message', { exact: true }).waitFor()
  await nextFrame(page)
  release()
  await page.getByRole('list', { name: 'Events' }).waitFor()
  await expectSteady(page)
  await visit.close()
})

test('every row of a list has the height that the list assumes for rows outside the viewport', async () => {
  await first.goTo('/deliveries')
  const rows = first.page.getByRole('row')
  await rows.nth(1).waitFor()
  expect((await rows.nth(1).boundingBox())!.height).toBe(ROW_PX)
})
