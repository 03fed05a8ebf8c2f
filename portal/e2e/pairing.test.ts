import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openPortal, type Portal, type Visit } from './portal.ts'

let portal: Portal
let visit: Visit
let patient: Page
/** Whether the code in the second window was renewed and then scanned. */
let renewed: Promise<void>

const shownQr = (page: Page) => page.getByRole('img', { name: 'QR code to scan with the phone' })
const codeOf = async (page: Page) => (await shownQr(page).getAttribute('data-qr'))!
const step = (page: Page, name: string) =>
  page.getByRole('list', { name: 'Steps' }).getByRole('listitem').filter({ hasText: name })

async function askForCode(page: Page, phone: string): Promise<void> {
  await visit.goTo('/link?platform=sandbox')
  await page.getByRole('button', { name: 'Pairing code' }).click()
  await page.getByLabel('Number of the phone').fill(phone)
  await page.getByRole('button', { name: 'Get a code' }).click()
}

/** The pairing that was created last. The latest change is no criterion, because the second window renews its code. */
async function newestPairing() {
  const all = await portal.gateway.store.pairings.listChangedPairings({ accountId: visit.user.accountId, sinceMs: 0 })
  return all.reduce((newest, one) => (one.id > newest.id ? one : newest))
}

beforeAll(async () => {
  portal = await openPortal()
  visit = await portal.visit()
  // A second window shows a code that no phone scans during the tests below.
  patient = await visit.page.context().newPage()
  await patient.goto(`${portal.url}/link?platform=sandbox`)
  await shownQr(patient).waitFor()
  const first = await codeOf(patient)
  const isRenewed = (old: string) =>
    ![old, undefined].includes(document.querySelector<HTMLElement>('[data-qr]')?.dataset['qr'])
  renewed = patient
    .waitForFunction(isRenewed, first, { polling: 500 })
    .then(() => patient.getByRole('button', { name: 'Scan with the sandbox phone' }).click())
  renewed.catch(() => {})
})
afterAll(() => portal.stop())

test('by QR: the sandbox phone scans the code, the page shows each step, and the number is connected', async () => {
  const { page } = visit
  await visit.goTo('/numbers?add=sandbox')
  await page.getByRole('link', { name: 'Pair it by QR instead' }).click()
  await shownQr(page).waitFor()
  expect(await step(page, 'Code shown').innerText()).toContain('done')
  expect(await step(page, 'Scanned').getAttribute('aria-current')).toBe('step')
  await page.getByText(/A new code comes in 00:\d\d/).waitFor()
  await page.getByRole('button', { name: 'Scan with the sandbox phone' }).click()
  await page.getByText(/^\+999 [\d ]+ is connected\.$/).waitFor()
  expect(await step(page, 'Connected').innerText()).toContain('done')
  await page.getByRole('link', { name: 'Open the number' }).click()
  await page.getByRole('dialog').getByText('Connected', { exact: true }).first().waitFor()
})

test('the history: the page says that it needs an endpoint, and with one it shows the job of the linked number', async () => {
  const { page } = visit
  const ask = async () => {
    await page.getByRole('radio', { name: 'Sandbox phone' }).check()
    const wanted = page.getByRole('switch', { name: 'Request the history' })
    if ((await wanted.getAttribute('aria-checked')) === 'false') await wanted.click()
    await page.getByRole('button', { name: 'Continue' }).click()
  }
  await visit.goTo('/link')
  await ask()
  await page.getByRole('alert').filter({ hasText: 'history needs an endpoint that includes history' }).waitFor()
  const wanted = page.getByRole('switch', { name: 'Request the history' })
  expect(await wanted.evaluate(field => field === document.activeElement)).toBe(true)
  await page.getByRole('link', { name: 'Create an endpoint' }).click()
  await page.getByRole('dialog', { name: 'Create an endpoint' }).waitFor()
  const data = { type: 'pull', include: ['history'] }
  const headers = { origin: portal.url }
  expect((await page.request.post(`${portal.url}/portal/api/v1/endpoints`, { data, headers })).status()).toBe(201)
  await visit.goTo('/link')
  await ask()
  await page.getByRole('button', { name: 'Scan with the sandbox phone' }).click()
  await page.getByText(/^\+999 [\d ]+ is connected\.$/).waitFor()
  await page.getByText(/^The history arrives over the next minutes/).waitFor()
  await page.getByRole('button', { name: /^Copy job_/ }).waitFor()
})

test('by code: the sandbox phone of the number accepts the code', async () => {
  const { page } = visit
  await visit.goTo('/link?platform=sandbox')
  await page.getByRole('button', { name: 'Pairing code' }).click()
  await page.getByLabel('Number of the phone').fill('15551234567')
  await page.getByRole('button', { name: 'Get a code' }).click()
  await page.getByText(/must begin with 999/).waitFor()
  await page.getByLabel('Number of the phone').fill('+999 123 456 789')
  await page.getByRole('button', { name: 'Get a code' }).click()
  await page.locator('[data-code]').waitFor()
  expect(await page.locator('[data-code]').innerText()).toMatch(/^[A-Z0-9]{4}-[A-Z0-9]{4}$/)
  expect(await step(page, 'Entered').getAttribute('aria-current')).toBe('step')
  await page.getByRole('button', { name: 'Enter the code on the sandbox phone' }).click()
  await page.getByText('+999 123 456 789 is connected.').waitFor()
})

test('by QR: if a scan fails, the page shows a new code, which links the number', async () => {
  const { page } = visit
  await visit.goTo('/link?platform=sandbox&phone=999555100205')
  await shownQr(page).waitFor()
  const before = await codeOf(page)
  await page.getByRole('button', { name: 'Scan with the sandbox phone' }).click()
  await page.getByText(/could not link the device: scan the code that is shown now/i).waitFor()
  await expect.poll(() => codeOf(page)).not.toBe(before)
  await page.getByRole('button', { name: 'Scan with the sandbox phone' }).click()
  await page.getByText('+999 555 100 205 is connected.').waitFor()
})

test('by code: if the platform rejects the first request, the page says why and when the next code comes, which links the number', async () => {
  const { page } = visit
  // Checked together, because the page shows it for only three seconds.
  const refused = page
    .locator('#main')
    .filter({ hasText: /too many codes were requested.*The gateway requests another code/i })
    .filter({ hasText: 'The code is on its way' })
    .filter({ hasNot: page.locator('[data-code]') })
  await Promise.all([refused.waitFor(), askForCode(page, '999555100429')])
  await page.locator('[data-code]').waitFor()
  await page.getByRole('button', { name: 'Enter the code on the sandbox phone' }).click()
  await page.getByText('+999 555 100 429 is connected.').waitFor()
})

test('a pairing code that the platform revokes is replaced automatically, and links', async () => {
  const { page } = visit
  await askForCode(page, '999555100410')
  const code = () => page.locator('[data-code]').getAttribute('data-code')
  const before = await code()
  await page.getByRole('button', { name: 'Enter the code on the sandbox phone' }).click()
  await page.getByText(/no longer good: enter the one that is shown now/i).waitFor()
  await expect.poll(code).not.toBe(before)
  await page.getByRole('button', { name: 'Enter the code on the sandbox phone' }).click()
  await page.getByText('+999 555 100 410 is connected.').waitFor()
})

test('by code: a button requests another code', async () => {
  const { page } = visit
  await askForCode(page, '999555100011')
  const code = () => page.locator('[data-code]').getAttribute('data-code')
  await page.locator('[data-code]').waitFor()
  let refused = false
  while (!refused) {
    const [answer] = await Promise.all([
      page.waitForResponse(/\/pairings\/[^/]+\/code$/),
      page.getByRole('button', { name: 'New code' }).click(),
    ])
    refused = !answer.ok()
  }
  await page.getByText(/wait before you request another/i).waitFor()
  const before = await code()
  await expect
    .poll(
      async () => {
        await page.getByRole('button', { name: 'New code' }).click()
        return await code()
      },
      { interval: 1_000 },
    )
    .not.toBe(before)
  await page.getByRole('button', { name: 'Enter the code on the sandbox phone' }).click()
  await page.getByText('+999 555 100 011 is connected.').waitFor()
})

test('by code: if the number gets no code, the page says what to do, and the user can correct the number', async () => {
  const { page } = visit
  await askForCode(page, '999555100404')
  await page.getByRole('alert').getByText('The platform does not know this number: check it').waitFor()
  await page.getByRole('button', { name: 'Try again' }).click()
  expect(await page.getByLabel('Number of the phone').inputValue()).toBe('999555100404')
})

test('a number that its phone logged out can be paired again from its panel', async () => {
  const { page } = visit
  await visit.goTo('/phone?number=999123456789@s.whatsapp.net')
  await page.getByRole('button', { name: 'Log out' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Log out' }).click()
  await page.getByText('Logged out', { exact: true }).waitFor()
  await visit.goTo('/numbers/999123456789@s.whatsapp.net')
  await page.getByRole('link', { name: 'Pair it again' }).click()
  await page.getByRole('button', { name: 'Scan with the sandbox phone' }).click()
  await page.getByText('+999 123 456 789 is connected.').waitFor()
})

test('the button and leaving the page cancel a pairing, and the user can start again', async () => {
  const { page } = visit
  await visit.goTo('/link?platform=sandbox')
  await shownQr(page).waitFor()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByText('The pairing was cancelled.').waitFor()
  await page.getByRole('button', { name: 'Try again' }).click()
  await shownQr(page).waitFor()
  const last = await newestPairing()
  expect(last.status).toBe('waiting')
  await page.getByRole('link', { name: 'Overview' }).click()
  await expect.poll(async () => (await portal.gateway.store.pairings.getPairing(last.id))!.status).toBe('cancelled')
})

test('an expired pairing and a failed pairing say what happened and what to do', async () => {
  const { page } = visit
  const endLast = async (status: 'expired' | 'failed', error: string | null) => {
    const { id } = await newestPairing()
    await portal.gateway.store.pairings.endPairing({ id, status, error })
  }
  await visit.goTo('/link?platform=sandbox')
  await shownQr(page).waitFor()
  await endLast('expired', null)
  await page.getByRole('alert').getByText('The code was not scanned in time.').waitFor()
  await page.getByRole('button', { name: 'Try again' }).click()
  await shownQr(page).waitFor()
  await endLast('failed', 'the device could not be linked')
  await page
    .getByRole('alert')
    .getByText(/device could not be linked/i)
    .waitFor()
})

test('the page contacts the platform only after the user chooses a method, and a full plan is rejected then', async () => {
  const full = await portal.visit()
  await portal.gateway.operator('PATCH', `/operator/accounts/${full.user.accountId}`, { limits: { sessions: 0 } })
  await full.goTo('/link')
  expect(await full.page.getByRole('radio', { name: 'Sandbox phone' }).isChecked()).toBe(true)
  await full.page.getByRole('radio', { name: 'QR code' }).check()
  expect(
    await portal.gateway.store.pairings.listChangedPairings({ accountId: full.user.accountId, sinceMs: 0 }),
  ).toEqual([])
  await full.page.getByRole('button', { name: 'Continue' }).click()
  await full.page
    .getByRole('alert')
    .getByText(/limit of 0 numbers is reached.*larger plan/)
    .waitFor()
  await full.page.getByRole('button', { name: 'Pairing code' }).click()
  await full.page.getByLabel('Number of the phone').fill('+1 555 123 4567')
  await full.page.getByRole('button', { name: 'Get a code' }).click()
  await full.page.getByText(/limit of 0 numbers is reached/).waitFor()
  // Sandbox numbers do not count.
  await full.page.getByRole('button', { name: 'Choose another way' }).click()
  await full.page.getByRole('radio', { name: 'Sandbox phone' }).check()
  await full.page.getByRole('button', { name: 'Continue' }).click()
  await shownQr(full.page).waitFor()
  expect(full.problems.filter(problem => !problem.includes('status of 429'))).toEqual([])
  await full.close()
})

test('a code that no phone scans is renewed automatically', async () => {
  await renewed
  await patient.getByText(/is connected\.$/).waitFor()
  expect(visit.problems).toEqual([])
})
