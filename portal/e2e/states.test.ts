import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cells, named } from '../../test/harness/matrix.ts'
import { addSandboxNumber, createKey, openPortal, type Portal, type Visit } from './portal.ts'

/** The requests with which pages load their data. */
const ANSWERS = /\/portal\/api\/(v1|operator)\//

/** The element that has the focus, and whether its outline shows that. */
const focused = (page: Page) =>
  page.evaluate(() => {
    const element = document.activeElement as HTMLElement
    const shown = [element, element.closest('.table-row-line')].some(
      one =>
        one !== null && getComputedStyle(one).outlineStyle !== 'none' && getComputedStyle(one).outlineWidth !== '0px',
    )
    return { name: element.getAttribute('aria-label') ?? element.innerText.slice(0, 40), tag: element.tagName, shown }
  })

let portal: Portal
let empty: Visit
let full: Visit
let number: string

beforeAll(async () => {
  portal = await openPortal()
  empty = await portal.visit({ operator: true })
  full = await portal.visit({ operator: true })
  number = await addSandboxNumber(full.page, 'Support')
  await createKey(full.page, 'staging')
})
afterAll(() => portal.stop())

/** The heading of each page for an account without data. */
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
  '/endpoints': /No endpoint yet/,
  '/keys': /No key yet/,
}

describe('a page without data says what it will show, and how to get there', () => {
  test.each(named(EMPTY, ['/', '/deliveries?status=dead']))('on %s', async (path, words) => {
    await empty.goTo(path)
    await empty.page.getByRole('heading', { name: words }).waitFor()
    expect(
      await empty.page.locator('#main').getByRole('link').or(empty.page.locator('#main').getByRole('button')).count(),
    ).toBeGreaterThan(0)
    expect(await empty.page.locator('#main').locator('a[href], button:enabled').count()).toBeGreaterThan(0)
  })

  test('on a phone the text of the next step is above its button, without overlap', async () => {
    const narrow = await portal.visit({ user: empty.user, width: 390 })
    const words = narrow.page.getByText('A sandbox number works at once, without a phone.')
    const act = narrow.page.getByRole('button', { name: 'Add a sandbox number' })
    const [above, below] = [(await words.boundingBox())!, (await act.boundingBox())!]
    expect(above.y + above.height).toBeLessThanOrEqual(below.y)
    expect(above.width).toBeGreaterThan(200)
    await narrow.close()
  })
})

/** A page of the number of the account, where the path says so. */
const pathOf = (path: string): string => path.replace(':number', encodeURIComponent(number))

/** `npm test` checks only two of them: a list and the overview. */
const READS = cells(
  [
    '/deliveries',
    '/',
    '/numbers',
    '/phone',
    '/messages',
    '/webhooks',
    '/endpoints',
    '/keys',
    '/usage',
    '/accounts',
    '/nodes',
    '/numbers/:number/chats',
    '/numbers/:number/groups',
    '/numbers/:number/channels',
  ],
  2,
)

describe('a page that loads shows a skeleton', () => {
  test.each(READS)('on %s', async path => {
    const { page } = full
    await page.route(ANSWERS, () => {})
    await full.goTo(pathOf(path))
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.locator('.skeleton').first().waitFor()
    await page.unrouteAll({ behavior: 'ignoreErrors' })
  })
})

describe('a page that fails to load says so, and loads when the user tries again', () => {
  test.each(READS)('on %s', async path => {
    const { page } = full
    let away = true
    await page.route(ANSWERS, route =>
      away ? route.fulfill({ status: 500, json: { error: 'the store is away' } }) : route.continue(),
    )
    await full.goTo(pathOf(path))
    const alert = page.locator('#main').getByRole('alert')
    await alert.first().getByText('The store is away').waitFor()
    // The failure ends only after the click; otherwise the page might reload automatically before it.
    await alert.first().getByRole('button', { name: 'Try again' }).click()
    away = false
    await page.waitForFunction(() => document.querySelector('#main [role=alert], #main .skeleton') === null)
    await page.unrouteAll({ behavior: 'ignoreErrors' })
  })
})

test('a next page that fails to load keeps the rows, and loads when the user tries again', async () => {
  const { page } = full
  let away = true
  await page.route(/\/portal\/api\/v1\/keys\?/, async route => {
    if (!route.request().url().includes('cursor=')) {
      const first = await (await route.fetch()).json()
      return route.fulfill({ json: { ...first, next_cursor: 'next' } })
    }
    if (away) return route.fulfill({ status: 500, json: { error: 'the store is away' } })
    return route.fulfill({ json: { data: [], next_cursor: null } })
  })
  await full.goTo('/keys')
  const again = page.locator('#main').getByRole('button', { name: 'Try again' })
  await again.waitFor()
  const row = page.getByRole('row', { name: /staging/ })
  expect(await row.isVisible()).toBe(true)
  await again.click()
  away = false
  await again.waitFor({ state: 'detached' })
  expect(await row.isVisible()).toBe(true)
  await page.unrouteAll({ behavior: 'ignoreErrors' })
})

describe('with the keyboard alone', () => {
  const STOPS = [
    '/deliveries',
    '/phone?chat=15551234567',
    '/',
    '/numbers',
    '/messages',
    '/webhooks/new',
    '/keys',
    '/usage',
    '/settings',
    '/numbers/:number/chats',
    '/numbers/:number/groups',
    '/numbers/:number/channels',
  ]
  test.each(cells(STOPS, 2))('on %s every focused element is visible, and the first one skips the menu', async path => {
    const { page } = full
    await full.goTo(pathOf(path))
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

  test('the user finds a number with the palette, opens and closes its panel and moves through the list', async () => {
    const { page } = full
    await full.goTo('/')
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').waitFor()
    await page.keyboard.type('Support (')
    await page.getByRole('option', { name: /^Support \(/ }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'Support' }).waitFor()
    await page.keyboard.press('Escape')
    await page.waitForURL(/\/numbers$/)
    await page.locator('[data-panel]').waitFor({ state: 'detached' })
    await page.locator('#main:focus').waitFor()
    await page.keyboard.press('j')
    expect(await page.evaluate(() => (document.activeElement as HTMLElement).dataset['row'])).toBe(number)
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'Support' }).waitFor()
  })
})

describe('the search finds', () => {
  const look = async (words: string) => {
    await full.page.keyboard.press('Control+k')
    await full.page.getByLabel('Search pages, commands and ids').fill(words)
  }
  const asked = (path: string, headers = {}) =>
    fetch(`${portal.url}${path}`, { headers: { authorization: `Bearer ${key}`, ...headers } })
  let key: string

  test('a request by its id, its error and its code, in the palette and in the API log', async () => {
    const { page } = full
    key = await createKey(page, 'searching')
    await asked('/v1/messages/msg_nothing', { 'x-request-id': 'order-4711' })
    await asked('/v1/me')
    await page.goto(`${portal.url}/requests`)
    await page.getByRole('row', { name: /msg_nothing/ }).waitFor()
    for (const words of ['order-47', 'not_found', 'Not Found', '404']) {
      await look(words)
      await page.getByRole('option', { name: /GET \/v1\/messages\/msg_nothing · 404/ }).waitFor()
      expect(await page.getByRole('option', { name: /\/v1\/me / }).count()).toBe(0)
      await page.keyboard.press('Escape')
    }
    const search = page.getByLabel('Request id, error or code')
    await search.fill('order-4711')
    await search.press('Enter')
    await page.waitForURL(/search=order-4711/)
    await page.getByRole('row', { name: /\/v1\/me\b/ }).waitFor({ state: 'detached' })
    await page.getByRole('row', { name: /msg_nothing/ }).click()
    await page.getByRole('dialog').getByText('order-4711').waitFor()
  })

  test('a number in any notation, and a message by its recipient', async () => {
    const { page } = full
    const body = { session_id: number, to: '15551230201', text: 'Looked for' }
    const headers = { origin: portal.url }
    const sent = await page.request.post(`${portal.url}/portal/api/v1/messages`, { data: body, headers })
    const { message_id: id } = (await sent.json()) as { message_id: string }
    await look('+1 (555) 123-0201')
    await page.getByRole('option', { name: new RegExp(id) }).click()
    await page.waitForURL(new RegExp(id))
    const phone = number.split('@')[0]!.split(':')[0]!
    await look(`+${phone.slice(0, 4)} ${phone.slice(4)}`)
    await page.getByRole('option', { name: /^Support \(/ }).waitFor()
    await page.keyboard.press('Escape')
  })

  test('entries of a relative time range', async () => {
    const { page } = full
    await full.goTo('/requests')
    await page.getByRole('row', { name: /msg_nothing/ }).waitFor()
    const request = page.waitForRequest(/\/v1\/requests\?.*since=/)
    const before = Date.now()
    await page.getByRole('button', { name: 'Time: Any time' }).click()
    await page.getByRole('button', { name: 'Last hour' }).click()
    await page.waitForURL(/since=1h/)
    const since = Date.parse(new URL((await request).url()).searchParams.get('since')!)
    // The page may round the start of the range to a minute.
    expect(since + 3_600_000).toBeGreaterThan(before - 60_000)
    expect(since + 3_600_000).toBeLessThanOrEqual(Date.now())
    await page.getByRole('row', { name: /msg_nothing/ }).waitFor()
    await page.getByRole('button', { name: 'From … to …' }).click()
    await page.getByLabel('To', { exact: true }).fill('2020-01-01 00:00')
    await page.getByRole('heading', { name: 'Nothing matches' }).waitFor()
  })

  test('entries of a range of two days, which the user can pick with the keyboard too', async () => {
    const { page } = full
    await full.goTo('/deliveries?since=2026-03-10T00:00')
    await page.getByRole('button', { name: /^Time: / }).click()
    await page.getByText('March 2026').waitFor()
    await page.getByRole('button', { name: 'Thursday, March 12, 2026' }).click()
    await page.waitForURL(/since=2026-03-10T00.*until=2026-03-12T23/)
    expect(await page.getByLabel('To', { exact: true }).inputValue()).toBe('2026-03-12 23:59')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.waitForURL(/since=2026-03-19T00/)
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: /^Time: 3\/19\/26/ }).waitFor()
  })
})

test.each([2560, 3840])('at %i pixels the page is wide, centred and not stretched', async width => {
  const wide = await portal.visit({ user: full.user, width })
  await wide.goTo('/numbers')
  await wide.page.getByRole('row', { name: /Support/ }).waitFor()
  const box = (await wide.page.getByRole('table').boundingBox())!
  const main = (await wide.page.locator('#main').boundingBox())!
  expect(box.width).toBeGreaterThan(1_500)
  expect(box.width).toBeLessThan(2_100)
  const left = box.x - main.x
  const right = main.x + main.width - (box.x + box.width)
  expect(Math.abs(left - right)).toBeLessThan(20)
  await wide.close()
})
