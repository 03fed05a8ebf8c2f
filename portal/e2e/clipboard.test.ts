import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addSandboxNumber, openPortal, type Portal } from './portal.ts'

let portal: Portal
beforeAll(async () => {
  portal = await openPortal()
})
afterAll(() => portal.stop())

const copied = (page: Page) => page.evaluate(() => navigator.clipboard.readText())
const refuseInterface = () => {
  navigator.clipboard.writeText = () => Promise.reject(new DOMException('Write permission denied.', 'NotAllowedError'))
}
const refuseOldWay = () => {
  document.execCommand = () => false
}

test('the key c copies the id of the selected row', async () => {
  const visit = await portal.visit()
  const { page, problems } = visit
  const number = await addSandboxNumber(page, 'Support')
  await visit.goTo('/numbers')
  await page.getByRole('link', { name: 'Support' }).waitFor()
  await page.keyboard.press('j')
  await page.keyboard.press('c')
  await expect.poll(() => copied(page)).toBe(number)
  expect(problems).toEqual([])
})

test('if the browser denies the clipboard API, execCommand copies and the focus stays', async () => {
  const visit = await portal.visit()
  const { page, user, problems } = visit
  await page.addInitScript(refuseInterface)
  await visit.goTo('/settings')
  const button = page.getByRole('button', { name: `Copy ${user.accountId}` })
  await button.click()
  await page.getByRole('button', { name: 'Copied' }).waitFor()
  expect(await copied(page)).toBe(user.accountId)
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe(user.accountId)
  expect(problems).toEqual([])
})

test.each([
  ['de-DE', 'Kopieren nicht möglich'],
  ['en-US', 'Could not copy'],
  ['es-MX', 'No se pudo copiar'],
  ['pt-BR', 'Não foi possível copiar'],
])('if the browser denies both ways to copy, the button says so in %s', async (locale, words) => {
  const visit = await portal.visit({ locale })
  await visit.page.addInitScript(refuseInterface)
  await visit.page.addInitScript(refuseOldWay)
  await visit.goTo('/settings')
  await visit.page.getByRole('button', { name: visit.user.accountId }).click()
  await visit.page.getByRole('button', { name: words }).waitFor()
  expect(visit.problems).toEqual([])
})
