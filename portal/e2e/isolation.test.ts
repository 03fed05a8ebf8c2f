import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Receiver, startReceiver } from '../../test/harness/receiver.ts'
import { addSandboxNumber, createKey, openPortal, type Portal, setWebhook, type Visit } from './portal.ts'

let portal: Portal
let receiver: Receiver
let ada: Visit
let bob: Visit
let adasNumber: string
let adasWebhook: string

beforeAll(async () => {
  portal = await openPortal()
  receiver = await startReceiver()
  ada = await portal.visit()
  bob = await portal.visit()
  adasNumber = await addSandboxNumber(ada.page, 'Number of Ada')
  await setWebhook(ada.page, adasNumber, receiver.url())
  adasWebhook = new URL(ada.page.url()).pathname
  await createKey(ada.page, 'key of Ada')
})
afterAll(async () => {
  await portal.stop()
  await receiver.close()
})

/** Every response of the gateway to a browser, including the live stream. */
async function recordLive(visit: Visit): Promise<() => Promise<string>> {
  await visit.page.evaluate(() => {
    const told: string[] = []
    const stream = new EventSource('/portal/api/live')
    for (const type of ['delivery', 'session', 'message', 'pairing']) {
      stream.addEventListener(type, event => told.push((event as MessageEvent<string>).data))
    }
    Object.assign(window, { told })
  })
  return () => visit.page.evaluate(() => (window as unknown as { told: string[] }).told.join('\n'))
}

test('two browsers with two accounts never see each other’s data, the live stream included', async () => {
  await bob.goTo('/deliveries')
  const told = await recordLive(bob)
  await ada.goTo('/deliveries')
  const heard = await recordLive(ada)

  const phone = await ada.page.context().newPage()
  await phone.goto(`${portal.url}/phone?chat=15551234567`)
  await phone.getByLabel('Message', { exact: true }).fill('For Ada alone')
  await phone.getByRole('button', { name: 'Send', exact: true }).click()
  await ada.page.getByRole('link', { name: 'Incoming message' }).first().waitFor()
  await receiver.until(ledger => ledger.length > 0)
  await expect.poll(heard).toContain('dlv_')

  // Bob's own event proves that his stream was open during the test.
  await addSandboxNumber(
    await bob.page
      .context()
      .newPage()
      .then(async page => (await page.goto(portal.url), page)),
    'Number of Bob',
  )
  await expect.poll(told).toContain('Number of Bob')
  expect(await told()).not.toContain(adasNumber.split(':')[0])
  expect(await bob.page.getByText('No delivery yet').count()).toBe(1)
})

test('no address shows data of another account', async () => {
  const delivery = await ada.page.getByRole('link', { name: 'Incoming message' }).first().getAttribute('href')
  for (const path of [adasWebhook, delivery!]) {
    await bob.goTo(path)
    await bob.page.getByRole('alert').first().waitFor()
    expect(await bob.page.getByRole('alert').first().innerText()).toContain('does not belong to this tenant')
  }
  await bob.goTo(`/numbers/${encodeURIComponent(adasNumber)}`)
  await bob.page.getByText('This account has no such number').waitFor()
  for (const path of ['/numbers', '/keys', '/webhooks', '/messages', '/usage', '/settings']) {
    await bob.goTo(path)
    await bob.page.getByRole('heading', { level: 1 }).waitFor()
    await bob.page.waitForFunction(() => document.querySelector('.skeleton') === null)
    expect(await bob.page.locator('body').innerText()).not.toMatch(/of Ada/)
  }
})

test('the pages for operators are hidden from other users', async () => {
  for (const path of ['/accounts', '/nodes']) {
    await bob.goTo(path)
    await bob.page.getByRole('alert').first().waitFor()
  }
  expect(await bob.page.getByRole('link', { name: 'Accounts' }).count()).toBe(0)
})

test('signing out removes all data from the browser', async () => {
  await ada.goTo('/keys')
  await ada.page.getByText('key of Ada').waitFor()
  await ada.page.getByRole('button', { name: 'Sign out' }).click()
  await ada.page.getByRole('heading', { name: 'Sign in' }).waitFor()
  await ada.page.goBack()
  await ada.page.getByRole('heading', { name: 'Sign in' }).waitFor()
  expect(await ada.page.getByText('key of Ada').count()).toBe(0)
})
