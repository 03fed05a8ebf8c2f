import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Receiver, startReceiver } from '../../test/harness/receiver.ts'
import { violationsOf } from './axe.ts'
import { addSandboxNumber, openPortal, type Portal, setWebhook, type Visit } from './portal.ts'

let portal: Portal
let receiver: Receiver
let first: Visit
let paths: Record<string, string>

beforeAll(async () => {
  portal = await openPortal()
  receiver = await startReceiver(() => ({ status: 500, body: '<b>no</b>' }))
  first = await portal.visit({ operator: true })
  paths = await furnish(first)
}, 180_000)
afterAll(async () => {
  await portal.stop()
  await receiver.close()
})

/** An account with something on every page. */
async function furnish({ page }: Visit): Promise<Record<string, string>> {
  const number = await addSandboxNumber(page, 'Support')
  await setWebhook(page, number, receiver.url())
  const webhook = new URL(page.url()).pathname
  await page.getByRole('button', { name: 'Test all' }).click()
  await page.getByText('The endpoint failed with 500').first().waitFor()
  await page.goto(`${portal.url}/phone?chat=15551234567`)
  await page.getByLabel('Message', { exact: true }).fill('<img src=x onerror=alert(1)>')
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await page.getByRole('button', { name: /message text.*Dead letter/ }).waitFor({ timeout: 30_000 })
  await page.goto(`${portal.url}/messages`)
  await page.getByRole('button', { name: 'Send a message' }).click()
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await page.getByRole('link', { name: 'Watch where it goes' }).click()
  await page.getByRole('dialog').getByText('Read', { exact: true }).first().waitFor()
  const message = new URL(page.url()).pathname
  await page.goto(`${portal.url}/deliveries?status=dead`)
  await page.getByRole('link', { name: 'Incoming message' }).first().click()
  await page.getByRole('heading', { name: 'Attempts' }).waitFor()
  const delivery = new URL(page.url()).pathname
  return { number: `/numbers/${encodeURIComponent(number)}`, webhook, message, delivery }
}

const PAGES: Record<string, () => string> = {
  overview: () => '/',
  numbers: () => '/numbers',
  'a number': () => paths['number']!,
  'adding a number': () => '/numbers?add=sandbox',
  'linking a phone': () => '/link',
  'the sandbox phone': () => '/phone?chat=15551234567',
  'two phones': () => '/phone?second=list',
  messages: () => '/messages',
  'a message': () => paths['message']!,
  deliveries: () => '/deliveries',
  'no deliveries': () => '/deliveries?status=pending&type=other',
  'a delivery': () => paths['delivery']!,
  webhooks: () => '/webhooks',
  'a webhook': () => paths['webhook']!,
  'a new webhook': () => '/webhooks/new',
  'API keys': () => '/keys',
  'a new key': () => '/keys?add=key',
  usage: () => '/usage',
  settings: () => '/settings',
  'the Terms': () => '/settings/terms',
  accounts: () => '/accounts',
  nodes: () => '/nodes',
  'an unknown page': () => '/nowhere',
}

/** What opens over a page, and how. */
const DIALOGS: Record<string, [() => string, string]> = {
  'sending a message': [() => '/messages', 'Send a message'],
  'unlinking a number': [() => paths['number']!, 'Unlink'],
  'restarting a number': [() => paths['number']!, 'Restart'],
  'resending a delivery': [() => paths['delivery']!, 'Resend'],
  'replaying deliveries': [() => '/deliveries', 'Replay'],
  'rotating a secret': [() => paths['webhook']!, 'Rotate the secret'],
  'deleting a webhook': [() => paths['webhook']!, 'Delete'],
  'signing out everywhere': [() => '/settings', 'Sign out everywhere'],
  'creating an account': [() => '/accounts', 'Create an account'],
  'the palette': [() => '/', 'Search'],
  'a new chat': [() => '/phone', 'New chat'],
  'the attachments': [() => '/phone?chat=15551234567', 'Attach'],
  'a chart as a table': [() => '/', 'As a table'],
}

describe('axe finds nothing in the light and in the dark theme', () => {
  let visit: Visit
  beforeAll(async () => {
    visit = await portal.visit({ user: first.user })
  })
  afterAll(() => visit.close())

  const open = async (path: string) => {
    await visit.goTo(path)
    await visit.page.locator('h1, h2').first().waitFor()
    await visit.page.waitForFunction(() => document.querySelector('.skeleton') === null)
  }

  test.each(Object.entries(PAGES))('on %s', async (_name, path) => {
    await open(path())
    expect(await violationsOf(visit.page)).toEqual([])
  })

  test.each(Object.entries(DIALOGS))('with %s open', async (_name, [path, button]) => {
    await open(path())
    await visit.page.getByRole('button', { name: button, exact: true }).first().click()
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
    await open('/')
    await visit.page.getByRole('button', { name: 'Open the menu' }).click()
    expect(await violationsOf(visit.page)).toEqual([])
    await visit.page.setViewportSize({ width: 1280, height: 900 })
  })

  test('and on all of it nothing is asked of another host, nothing breaks the policy, and no error is raised', () => {
    expect(visit.problems).toEqual([])
  })
})
