import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cells, inSize, named } from '../../test/harness/matrix.ts'
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
import { openPortal, type Portal, type Theme, type Visit } from './portal.ts'

const SIZES = [
  [1280, 900],
  [390, 844],
  [1440, 900],
] as const
const LISTS = ['/deliveries', '/numbers', '/messages', '/requests']
/** `npm test` checks only a list, a form, charts, a panel and the phone, each in one theme. */
const PAGES_IN_SUITE = ['overview', 'a delivery', 'a webhook', 'the sandbox phone']
const DIALOGS_IN_SUITE = ['sending a message', 'revoking a key']
const themes = (inSuite: Theme): Theme[] => inSize([inSuite], ['light', 'dark'])

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

describe.each(cells(SIZES))('axe finds no violations at %i × %i', (width, height) => {
  beforeAll(() => visit.page.setViewportSize({ width, height }))

  test.each(named(PAGES, PAGES_IN_SUITE))('on %s', async (_name, path) => {
    await openPage(visit, path(places))
    expect(await violationsOf(visit.page, themes('dark'))).toEqual([])
  })

  test.each(named(UNFOLDED, ['the attachments']))('with %s open', async (_name, [path, button]) => {
    await openPage(visit, path(places))
    await press(visit.page, button!)
    expect(await violationsOf(visit.page, themes('light'))).toEqual([])
  })

  test.each(cells(LISTS))(
    'with the details of a row of %s open, and the focus moves in and returns to the row',
    async path => {
      await openPage(visit, path)
      await press(visit.page, '[data-row]')
      await visit.page.locator('[data-panel]:focus').waitFor()
      expect(await violationsOf(visit.page, themes('dark'))).toEqual([])
      await visit.page.keyboard.press('Escape')
      await visit.page.locator('[data-opener]:focus').waitFor()
    },
  )

  test.each(named(DIALOGS, DIALOGS_IN_SUITE))(
    'with %s open, and the focus moves in, stays in and returns',
    async (name, [path, button]) => {
      await openPage(visit, path(places))
      await press(visit.page, button!)
      await visit.page.locator('dialog[open]').waitFor()
      expect(await violationsOf(visit.page, themes('light'))).toEqual([])
      // On a small screen the palette replaces the menu that it was opened from.
      if (name !== 'the palette' || width > 900) await expectFocusKept(visit.page)
    },
  )

  test.each(named(FROM_A_MENU, []))(
    'with %s open, and the focus moves in, stays in and returns',
    async (_name, [button, choice]) => {
      await openPage(visit, '/phone?chat=15551234567')
      await press(visit.page, button)
      await visit.page.getByRole('menuitem', { name: choice }).click()
      await visit.page.locator('dialog[open]').waitFor()
      expect(await violationsOf(visit.page, themes('light'))).toEqual([])
      await expectFocusKept(visit.page)
    },
  )
})

describe('axe finds no violations', () => {
  beforeAll(() => visit.page.setViewportSize({ width: 1280, height: 900 }))

  test.each(cells(['/sign-in', '/sign-up']))('on %s, in either theme', async path => {
    const { page } = await portal.window()
    await page.goto(portal.url + path)
    await page.getByRole('heading').first().waitFor()
    expect(await violationsOf(page)).toEqual([])
    await page.context().close()
  })

  test('on a small screen with the menu open, and the focus stays in it', async () => {
    await visit.page.setViewportSize({ width: 360, height: 740 })
    await openPage(visit, '/')
    await press(visit.page, 'Open the menu')
    expect(await violationsOf(visit.page, themes('light'))).toEqual([])
    await expectFocusKept(visit.page)
    await visit.page.setViewportSize({ width: 1280, height: 900 })
  })

  test.each(named(SECRETS, ['a new key']))(
    'on %s, which only a confirmation closes',
    async (_name, { at, label, submit, answer }) => {
      const [path, button] = at
      await openPage(visit, path(places))
      await press(visit.page, button!)
      const dialog = visit.page.locator('dialog[open]')
      if (label !== undefined) await dialog.getByLabel(label, { exact: true }).fill('production')
      await dialog.getByRole('button', { name: submit, exact: true }).click()
      await visit.page.locator('[data-secret]').waitFor()
      expect(await violationsOf(visit.page, themes('dark'))).toEqual([])
      await expectFocusHeld(visit.page)
      await visit.page.keyboard.press('Escape')
      await dialog.getByRole('button', { name: answer, exact: true }).press('Enter')
      await expectFocusBack(visit.page)
    },
  )

  test('in the dialog that sends a file', async () => {
    await openPage(visit, '/messages')
    await press(visit.page, 'Send a message')
    const dialog = visit.page.locator('dialog[open]')
    await dialog.getByLabel('Content').selectOption('Document')
    const file = { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('notes') }
    await dialog.getByLabel('File', { exact: true }).setInputFiles(file)
    await dialog.getByText(/ · Uploaded$/).waitFor()
    expect(await violationsOf(visit.page, themes('light'))).toEqual([])
    await expectFocusKept(visit.page)
  })

  test('in the progress of a replay', async () => {
    await openPage(visit, '/deliveries')
    await press(visit.page, 'Replay')
    await visit.page.getByRole('button', { name: 'Start the replay' }).click()
    await visit.page.getByLabel('Progress of the replay').waitFor()
    expect(await violationsOf(visit.page, themes('light'))).toEqual([])
    await expectFocusKept(visit.page)
  })
})

test('the list of keyboard shortcuts returns the focus when it closes', async () => {
  await openPage(visit, '/messages')
  await visit.page.getByRole('button', { name: 'Send a message' }).focus()
  await visit.page.evaluate(() => document.activeElement!.setAttribute('data-opener', ''))
  await visit.page.keyboard.press('?')
  await expectFocusKept(visit.page)
})

test('these pages send no request to another host, break no content policy and raise no error', () => {
  expect(visit.problems).toEqual([])
})
