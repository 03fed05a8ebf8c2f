import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { violationsOf } from './axe.ts'
import { addSandboxNumber, openPortal, type Portal, type Visit } from './portal.ts'

let portal: Portal
let visit: Visit

beforeAll(async () => {
  portal = await openPortal()
  visit = await portal.visit()
  await addSandboxNumber(visit.page, 'Support')
})
afterAll(() => portal.stop())

const PAGES: [string, number][] = [
  ['/docs', 1440],
  ['/docs', 390],
  ['/docs/quick-start', 1440],
  ['/docs/receiving', 390],
  ['/docs/reference/messages', 1440],
  ['/docs/errors', 390],
]

describe('the documentation', () => {
  test.each(PAGES)(
    'axe finds nothing on %s at a width of %i, in the light and in the dark theme',
    async (path, width) => {
      await visit.page.setViewportSize({ width, height: 900 })
      await visit.goTo(path)
      expect(await violationsOf(visit.page)).toEqual([])
      expect(await visit.page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
      await visit.page.setViewportSize({ width: 1440, height: 900 })
    },
  )

  test('a page opens at its top, with its entry of the menu visible', async () => {
    await visit.goTo('/docs/metrics')
    const current = visit.page.locator('nav.menu [aria-current]')
    await expect.poll(async () => (await current.boundingBox())!.y).toBeLessThan(900)
    expect((await current.boundingBox())!.y).toBeGreaterThan(0)
    expect(await visit.page.evaluate(() => window.scrollY)).toBe(0)
  })

  test('a signed-in user can try an operation with a number of their account', async () => {
    await visit.goTo('/docs/reference/messages')
    const operation = visit.page.locator('#post-v1-messages')
    await operation.getByRole('button', { name: 'Try it' }).click()
    await operation.getByText('Sends as the account').waitFor()
    await visit.page.waitForFunction(
      () => !document.querySelector<HTMLTextAreaElement>('#post-v1-messages textarea')!.value.includes('999100200300'),
    )
    expect(await violationsOf(visit.page)).toEqual([])
    await operation.getByRole('button', { name: 'POST it' }).click()
    await operation.getByText(/^202 /).waitFor()
    await operation.getByText('"status": "queued"').last().waitFor()
  })

  test('a visitor can try an operation with a pasted key, which the page does not store', async () => {
    const { page, problems } = await portal.window()
    const account = await portal.gateway.account()
    await page.goto(`${portal.url}/docs/reference/account`)
    const operation = page.locator('#get-v1-me')
    await operation.getByRole('button', { name: 'Try it' }).click()
    await operation.getByLabel('API key').fill(account.key)
    await operation.getByRole('button', { name: 'GET it' }).click()
    await operation.getByText(/^200 /).waitFor()
    const stored = await page.evaluate(() =>
      JSON.stringify([localStorage, sessionStorage, document.cookie, location.href]),
    )
    expect(stored).not.toContain(account.key)
    expect(problems).toEqual([])
    await page.context().close()
  })

  test('the search finds a field, a code and a command with the keyboard alone', async () => {
    await visit.goTo('/docs')
    for (const [words, address] of [
      ['idempotency key', '/docs/retries#idempotency-key'],
      ['country_code_missing', '/docs/errors#country_code_missing'],
      ['postern listen', '/docs/command-line#postern-listen'],
      ['poll_vote', '/docs/receiving#poll_vote'],
    ] as const) {
      await visit.page.keyboard.press('Control+k')
      await visit.page.getByRole('combobox', { name: 'Search the documentation' }).fill(words)
      await visit.page.locator(`#found a[href="${address}"]`).waitFor()
      await visit.page.keyboard.press('Escape')
    }
    await visit.page.keyboard.press('/')
    await visit.page.getByRole('combobox').fill('quick start')
    await visit.page.locator('#found a').first().waitFor()
    expect(await violationsOf(visit.page)).toEqual([])
    await visit.page.keyboard.press('Enter')
    await visit.page.waitForURL(/quick-start/)
  })

  test('the chosen programming language applies to every page and is remembered', async () => {
    await visit.goTo('/docs/sending')
    await visit.page.getByRole('radio', { name: 'Python' }).first().check()
    const shown = () =>
      visit.page
        .locator('.panel:visible')
        .evaluateAll(all => [...new Set(all.map(each => (each as HTMLElement).dataset['language']))])
    expect(await shown()).toEqual(['python'])
    await visit.goTo('/docs/quick-start')
    expect(await shown()).toEqual(['python'])
  })

  test('without JavaScript the pages, the choice of a language and the menu still work', async () => {
    const context = await visit.page
      .context()
      .browser()!
      .newContext({ javaScriptEnabled: false, viewport: { width: 390, height: 844 } })
    const page = await context.newPage()
    await page.goto(`${portal.url}/docs/sending`)
    await page.getByRole('radio', { name: 'Go' }).first().check()
    await page.locator('.panel:visible', { hasText: 'package main' }).first().waitFor()
    await page.getByLabel('Menu').click()
    await page.getByRole('link', { name: 'Field notes' }).click()
    await page.getByRole('heading', { level: 1 }).waitFor()
    expect(await page.getByRole('button', { name: 'Search' }).count()).toBe(0)
    await context.close()
  })

  test('the portal links to the documentation, which links back', async () => {
    await visit.goTo('/')
    await visit.page.getByRole('link', { name: 'Documentation' }).click()
    await visit.page.getByRole('heading', { name: 'Every operation' }).waitFor()
    await visit.page.getByRole('link', { name: 'Open the portal' }).first().click()
    await visit.page.getByRole('heading', { name: 'Overview' }).waitFor()
  })

  test('the pages send no request to another host, break no content policy and raise no error', () => {
    expect(visit.problems).toEqual([])
  })
})
