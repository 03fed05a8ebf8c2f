import { afterAll, beforeAll, expect, test } from 'vitest'
import { openPortal, type Portal, type Visit } from './portal.ts'

let portal: Portal
let visit: Visit

beforeAll(async () => {
  portal = await openPortal()
  visit = await portal.visit()
})
afterAll(() => portal.stop())

/** Scans the code of the page with the sandbox phone of a number that has a passkey. */
async function scanned(phone: string): Promise<void> {
  const { page } = visit
  await visit.goTo(`/link?platform=sandbox&phone=${phone}`)
  await page.getByRole('button', { name: 'Scan with the sandbox phone' }).click()
  await page.getByRole('heading', { name: 'This number has a passkey' }).waitFor()
}

test('with a passkey: the phone scans the code, the passkey of the sandbox signs the request, and the number is connected', async () => {
  const { page } = visit
  await scanned('999517277539')
  await page.getByText(/The request expires in 09:\d\d/).waitFor()
  await page.getByRole('button', { name: 'Use the sandbox’s passkey' }).click()
  await page.getByText('+999 517 277 539 is connected.').waitFor()
  expect(visit.problems).toEqual([])
})

test('if the user must compare codes, the page shows both, and a confirmation links the number', async () => {
  const { page } = visit
  await scanned('999527277539')
  await page.getByRole('button', { name: 'Use it and compare codes' }).click()
  await page.getByRole('heading', { name: 'Does the phone show the same code?' }).waitFor()
  const code = await page.locator('[data-code]').innerText()
  expect(code).toMatch(/^[1-9A-Z]{4}-[1-9A-Z]{4}$/)
  await page.getByText(`The sandbox phone shows ${code}.`).waitFor()
  await page.getByRole('button', { name: 'Yes, it is the same' }).click()
  await page.getByText('+999 527 277 539 is connected.').waitFor()
  expect(visit.problems).toEqual([])
})

test('a denied code cancels the pairing, and starting again shows a new code', async () => {
  const { page } = visit
  await scanned('999537277539')
  await page.getByRole('button', { name: 'Use it and compare codes' }).click()
  await page.getByRole('button', { name: 'No, stop' }).click()
  await page.getByText('The pairing was cancelled.').waitFor()
  await scanned('999537277539')
  await page.getByRole('button', { name: 'Start over' }).click()
  await page.locator('svg[aria-label], canvas, img').first().waitFor()
  await page.getByRole('button', { name: 'Scan with the sandbox phone' }).waitFor()
})
