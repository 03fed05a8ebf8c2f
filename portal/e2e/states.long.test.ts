import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addSandboxNumber, openPortal, type Portal, type Visit } from './portal.ts'
import { ANSWERS, focused } from './states.ts'

let portal: Portal
let empty: Visit
let full: Visit

beforeAll(async () => {
  portal = await openPortal()
  empty = await portal.visit({ operator: true })
  full = await portal.visit({ operator: true })
  await addSandboxNumber(full.page, 'Support')
})
afterAll(() => portal.stop())

/** What a page says to whoever has nothing yet. */
const EMPTY: Record<string, RegExp> = {
  '/': /Get started/,
  '/numbers': /No number yet/,
  '/phone': /No sandbox number yet/,
  '/messages': /No message yet/,
  '/deliveries': /No delivery yet/,
  '/deliveries?status=dead': /No dead letters/,
  '/messages?state=failed': /Nothing matches/,
  '/webhooks': /No webhook yet/,
  '/webhooks/new': /No number yet/,
  '/keys': /No key yet/,
}

describe('who has nothing yet is told what would be here, and how to get it', () => {
  test.each(Object.entries(EMPTY))('on %s', async (path, words) => {
    await empty.goTo(path)
    await empty.page.getByRole('heading', { name: words }).waitFor()
    expect(
      await empty.page.locator('#main').getByRole('link').or(empty.page.locator('#main').getByRole('button')).count(),
    ).toBeGreaterThan(0)
    expect(await empty.page.locator('#main').locator('a[href], button:enabled').count()).toBeGreaterThan(0)
  })
})

const READS = [
  '/numbers',
  '/phone',
  '/messages',
  '/deliveries',
  '/webhooks',
  '/keys',
  '/usage',
  '/accounts',
  '/nodes',
  '/',
]

describe('a page that waits shows the shape of what comes', () => {
  test.each(READS)('on %s', async path => {
    const { page } = full
    await page.route(ANSWERS, () => {})
    await full.goTo(path)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.locator('.skeleton').first().waitFor()
    await page.unrouteAll({ behavior: 'ignoreErrors' })
  })
})

describe('a page that cannot be read says so, and reads on when it is asked to', () => {
  test.each(READS)('on %s', async path => {
    const { page } = full
    let away = true
    await page.route(ANSWERS, route =>
      away ? route.fulfill({ status: 500, json: { error: 'the store is away' } }) : route.continue(),
    )
    await full.goTo(path)
    const alert = page.locator('#main').getByRole('alert')
    await alert.first().getByText('The store is away').waitFor()
    // Away until it was pressed, and a try of its own after: before that a page may read on by itself.
    await alert.first().getByRole('button', { name: 'Try again' }).click()
    away = false
    await page.waitForFunction(() => document.querySelector('#main [role=alert], #main .skeleton') === null)
    await page.unrouteAll({ behavior: 'ignoreErrors' })
  })
})

describe('with the keyboard alone', () => {
  test.each([
    '/',
    '/numbers',
    '/phone?chat=15551234567',
    '/messages',
    '/deliveries',
    '/webhooks/new',
    '/keys',
    '/usage',
    '/settings',
  ])('on %s every stop can be seen, and the first one leads past the menu', async path => {
    const { page } = full
    await full.goTo(path)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.waitForFunction(() => document.querySelector('.skeleton') === null)
    await page.keyboard.press('Tab')
    expect((await focused(page)).name).toBe('Skip to the page')
    await page.keyboard.press('Enter')
    const unseen: string[] = []
    for (let stop = 0; stop < 14; stop++) {
      await page.keyboard.press('Tab')
      const { name, tag, shown } = await focused(page)
      if (tag !== 'BODY' && !shown) unseen.push(`${tag} ${name}`)
    }
    expect(unseen).toEqual([])
  })
})
