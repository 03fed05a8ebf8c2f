import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Receiver, startReceiver } from '../../test/harness/receiver.ts'
import { violationsOf } from './axe.ts'
import { DIALOGS, expectFocusBack, expectFocusHeld, expectFocusKept, press, SECRETS } from './dialogs.ts'
import { type Furnished, furnish, openPage, PAGES } from './furnished.ts'
import { openPortal, type Portal, type Visit } from './portal.ts'

/** One of each sort: a list, a form, charts, a panel, the phone. `accessibility.long` takes them all, in both themes. */
const SOME_PAGES = ['overview', 'a delivery', 'a webhook', 'the sandbox phone'] as const
const SOME_DIALOGS = ['sending a message', 'revoking a key'] as const

let portal: Portal
let receiver: Receiver
let visit: Visit
let places: Furnished

beforeAll(async () => {
  portal = await openPortal()
  receiver = await startReceiver(() => ({ status: 500, body: '<b>no</b>' }))
  visit = await portal.visit({ operator: true })
  places = await furnish(visit, receiver)
})
afterAll(async () => {
  await portal.stop()
  await receiver.close()
})

describe('axe finds nothing', () => {
  test.each(SOME_PAGES)('on %s, in the dark theme', async name => {
    await openPage(visit, PAGES[name]!(places))
    expect(await violationsOf(visit.page, ['dark'])).toEqual([])
  })

  test('on /sign-in, in either theme', async () => {
    const { page } = await portal.window()
    await page.goto(`${portal.url}/sign-in`)
    await page.getByRole('heading').first().waitFor()
    expect(await violationsOf(page)).toEqual([])
  })

  test('on a small screen with the menu open, in the light theme', async () => {
    await visit.page.setViewportSize({ width: 360, height: 740 })
    await openPage(visit, '/')
    await visit.page.getByRole('button', { name: 'Open the menu' }).click()
    expect(await violationsOf(visit.page, ['light'])).toEqual([])
    await visit.page.setViewportSize({ width: 1280, height: 900 })
  })
})

describe('of a dialog axe finds nothing either, and the focus goes in, stays in and comes back', () => {
  test.each(SOME_DIALOGS)('%s', async name => {
    const [path, button] = DIALOGS[name]!
    await openPage(visit, path(places))
    await press(visit.page, button!)
    await visit.page.locator('dialog[open]').waitFor()
    expect(await violationsOf(visit.page, ['light'])).toEqual([])
    await expectFocusKept(visit.page)
  })

  test('a new key, which only an answer ends', async () => {
    const { at, label, submit, answer } = SECRETS['a new key']!
    const [path, button] = at
    await openPage(visit, path(places))
    await press(visit.page, button!)
    const dialog = visit.page.locator('dialog[open]')
    await dialog.getByLabel(label!, { exact: true }).fill('production')
    await dialog.getByRole('button', { name: submit, exact: true }).click()
    await visit.page.locator('[data-secret]').waitFor()
    await expectFocusHeld(visit.page)
    await visit.page.keyboard.press('Escape')
    await dialog.getByRole('button', { name: answer, exact: true }).press('Enter')
    await expectFocusBack(visit.page)
  })

  test('details beside a list: the focus goes in, and comes back to the row', async () => {
    await openPage(visit, '/deliveries')
    await press(visit.page, '[data-row]')
    await visit.page.locator('[data-panel]:focus').waitFor()
    await visit.page.keyboard.press('Escape')
    await visit.page.locator('[data-opener]:focus').waitFor()
  })

  test('and on all of it nothing is asked of another host, nothing breaks the policy, and no error is raised', () => {
    expect(visit.problems).toEqual([])
  })
})
