import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Receiver, startReceiver } from '../../test/harness/receiver.ts'
import { violationsOf } from './axe.ts'
import { DIALOGS, expectFocusKept, FROM_A_MENU, press, UNFOLDED } from './dialogs.ts'
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
