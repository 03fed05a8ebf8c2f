import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Receiver, startReceiver } from '../../test/harness/receiver.ts'
import { violationsOf } from './axe.ts'
import {
  DIALOGS,
  expectFocusBack,
  expectFocusHeld,
  expectFocusKept,
  FROM_A_MENU,
  press,
  SECRETS,
  UNFOLDED,
} from './dialogs.ts'
import { type Furnished, furnish, openPage, PAGES } from './furnished.ts'
import { openPortal, type Portal, type Visit } from './portal.ts'

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

describe.each([
  [390, 844],
  [1440, 900],
])('at %i × %i axe finds nothing in either theme', (width, height) => {
  beforeAll(() => visit.page.setViewportSize({ width, height }))

  test.each(Object.entries(PAGES))('on %s', async (_name, path) => {
    await openPage(visit, path(places))
    expect(await violationsOf(visit.page)).toEqual([])
  })

  test.each(Object.entries(UNFOLDED))('with %s open', async (_name, [path, button]) => {
    await openPage(visit, path(places))
    await press(visit.page, button!)
    expect(await violationsOf(visit.page)).toEqual([])
  })

  test.each(Object.entries(DIALOGS))('with %s open', async (name, [path, button]) => {
    await openPage(visit, path(places))
    await press(visit.page, button!)
    await visit.page.locator('dialog[open]').waitFor()
    expect(await violationsOf(visit.page)).toEqual([])
    // On a small screen the palette takes the place of the menu that it was opened from.
    if (name !== 'the palette' || width > 900) await expectFocusKept(visit.page)
  })

  test.each(Object.entries(FROM_A_MENU))('with %s open', async (_name, [button, choice]) => {
    await openPage(visit, '/phone?chat=15551234567')
    await press(visit.page, button)
    await visit.page.getByRole('menuitem', { name: choice }).click()
    await visit.page.locator('dialog[open]').waitFor()
    expect(await violationsOf(visit.page)).toEqual([])
  })

  test('with each kind of details open, from the list', async () => {
    for (const path of ['/numbers', '/messages', '/deliveries', '/requests']) {
      await openPage(visit, path)
      await press(visit.page, '[data-row]')
      await visit.page.locator('[data-panel]').waitFor()
      expect(await violationsOf(visit.page)).toEqual([])
    }
  })
})

describe('axe finds nothing in the light and in the dark theme', () => {
  test.each(Object.entries(PAGES))('on %s', async (_name, path) => {
    await openPage(visit, path(places))
    expect(await violationsOf(visit.page)).toEqual([])
  })

  test.each(Object.entries(UNFOLDED))('with %s open', async (_name, [path, button]) => {
    await openPage(visit, path(places))
    await press(visit.page, button!)
    expect(await violationsOf(visit.page)).toEqual([])
  })

  test.each(['/sign-in', '/sign-up'])('on %s', async path => {
    const { page } = await portal.window()
    await page.goto(portal.url + path)
    await page.getByRole('heading').first().waitFor()
    expect(await violationsOf(page)).toEqual([])
    await page.context().close()
  })

  test('on a small screen with the menu open', async () => {
    await visit.page.setViewportSize({ width: 360, height: 740 })
    await openPage(visit, '/')
    await visit.page.getByRole('button', { name: 'Open the menu' }).click()
    expect(await violationsOf(visit.page)).toEqual([])
    await visit.page.setViewportSize({ width: 1280, height: 900 })
  })
})

describe('of a dialog axe finds nothing either, and the focus goes in, stays in and comes back', () => {
  test.each(Object.entries(DIALOGS))('%s', async (_name, [path, button]) => {
    await openPage(visit, path(places))
    await press(visit.page, button!)
    await visit.page.locator('dialog[open]').waitFor()
    expect(await violationsOf(visit.page)).toEqual([])
    await expectFocusKept(visit.page)
  })

  test.each(Object.entries(FROM_A_MENU))('%s', async (_name, [button, choice]) => {
    await openPage(visit, '/phone?chat=15551234567')
    await press(visit.page, button)
    await visit.page.getByRole('menuitem', { name: choice }).click()
    await visit.page.locator('dialog[open]').waitFor()
    expect(await violationsOf(visit.page)).toEqual([])
    await expectFocusKept(visit.page)
  })

  test.each(Object.entries(SECRETS))('%s, which only an answer ends', async (_name, { at, label, submit, answer }) => {
    const [path, button] = at
    await openPage(visit, path(places))
    await press(visit.page, button!)
    const dialog = visit.page.locator('dialog[open]')
    if (label !== undefined) await dialog.getByLabel(label, { exact: true }).fill('somebody')
    await dialog.getByRole('button', { name: submit, exact: true }).click()
    await visit.page.locator('[data-secret]').waitFor()
    expect(await violationsOf(visit.page)).toEqual([])
    await expectFocusHeld(visit.page)
    await visit.page.keyboard.press('Escape')
    await dialog.getByRole('button', { name: answer, exact: true }).press('Enter')
    await expectFocusBack(visit.page)
  })

  test('the progress of a replay', async () => {
    await openPage(visit, '/deliveries')
    await press(visit.page, 'Replay')
    await visit.page.getByRole('button', { name: 'Start the replay' }).click()
    await visit.page.getByLabel('Progress of the replay').waitFor()
    expect(await violationsOf(visit.page)).toEqual([])
    await expectFocusKept(visit.page)
  })

  test('a file that is being sent', async () => {
    await openPage(visit, '/messages')
    await press(visit.page, 'Send a message')
    const dialog = visit.page.locator('dialog[open]')
    await dialog.getByLabel('Content').selectOption('Document')
    const file = { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('notes') }
    await dialog.getByLabel('File', { exact: true }).setInputFiles(file)
    await dialog.getByText(/ · Uploaded$/).waitFor()
    expect(await violationsOf(visit.page)).toEqual([])
    await expectFocusKept(visit.page)
  })

  test('the list of keys, opened by a key: the focus comes back to where it was', async () => {
    await openPage(visit, '/messages')
    await visit.page.getByRole('button', { name: 'Send a message' }).focus()
    await visit.page.evaluate(() => document.activeElement!.setAttribute('data-opener', ''))
    await visit.page.keyboard.press('?')
    await expectFocusKept(visit.page)
  })

  test('the menu of a small screen', async () => {
    await visit.page.setViewportSize({ width: 360, height: 740 })
    await openPage(visit, '/')
    await press(visit.page, 'Open the menu')
    await expectFocusKept(visit.page)
    await visit.page.setViewportSize({ width: 1280, height: 900 })
  })

  test('details beside a list: the focus goes in, and comes back to the row', async () => {
    for (const path of ['/numbers', '/messages', '/deliveries', '/requests']) {
      await openPage(visit, path)
      await press(visit.page, '[data-row]')
      await visit.page.locator('[data-panel]:focus').waitFor()
      await visit.page.keyboard.press('Escape')
      await visit.page.locator('[data-opener]:focus').waitFor()
    }
  })

  test('and on all of it nothing is asked of another host, nothing breaks the policy, and no error is raised', () => {
    expect(visit.problems).toEqual([])
  })
})
