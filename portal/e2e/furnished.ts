import type { Page } from 'playwright-core'
import type { Receiver } from '../../test/harness/receiver.ts'
import { addSandboxNumber, createEndpoint, createKey, setWebhook, type Visit } from './portal.ts'

/** The paths of the data that the test account has. */
export interface Furnished {
  number: string
  group: string
  webhook: string
  endpoint: string
  message: string
  scheduled: string
  delivery: string
}

/** Creates an account with data on every page. */
export async function furnish({ page }: Visit, receiver: Receiver): Promise<Furnished> {
  const { origin } = new URL(page.url())
  const number = await addSandboxNumber(page, 'Support')
  await setWebhook(page, number, receiver.url())
  const webhook = new URL(page.url()).pathname
  await page.getByRole('button', { name: 'Test all' }).click()
  await page.getByText('The endpoint failed with 500').first().waitFor()
  const authorization = `Bearer ${await createKey(page, 'production')}`
  await page.request.get(`${origin}/v1/me`, { headers: { authorization } })
  // The API log hides successful reads.
  await page.request.post(`${origin}/v1/messages`, { headers: { authorization }, data: { session_id: number } })
  await page.goto(`${origin}/phone?chat=15551234567`)
  await page.getByLabel('Message', { exact: true }).fill('<img src=x onerror=alert(1)>')
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await page.getByRole('button', { name: /message text.*Dead letter/ }).waitFor()
  await page.goto(`${origin}/messages`)
  await page.getByRole('button', { name: 'Send a message' }).click()
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await page.getByRole('link', { name: 'Follow its delivery' }).click()
  await page.getByRole('dialog').getByText('Read', { exact: true }).first().waitFor()
  const message = new URL(page.url()).pathname
  await createEndpoint(page, receiver.url('/events'), 'Orders')
  const endpoint = new URL(page.url()).pathname
  await page.goto(`${origin}/deliveries?status=dead`)
  await page.getByRole('link', { name: 'Incoming message' }).first().click()
  await page.getByRole('heading', { name: 'Attempts' }).waitFor()
  const delivery = new URL(page.url()).pathname
  const scheduled = `/messages/${await schedule(page, number)}`
  const group = `/numbers/${encodeURIComponent(number)}/groups/${await createGroup(page, number)}`
  return { number: `/numbers/${encodeURIComponent(number)}`, group, webhook, endpoint, message, scheduled, delivery }
}

/** Schedules a message, so that a test can cancel it. */
async function schedule(page: Page, number: string): Promise<string> {
  const { origin } = new URL(page.url())
  const send_at = new Date(Date.now() + 3_600_000).toISOString()
  const data = { session_id: number, to: '15551234567', text: 'Later', send_at }
  const answer = await page.request.post(`${origin}/portal/api/v1/messages`, { data, headers: { origin } })
  return ((await answer.json()) as { message_id: string }).message_id
}

/** Creates a group and a channel of the number. Returns the JID of the group. */
async function createGroup(page: Page, number: string): Promise<string> {
  const { origin } = new URL(page.url())
  const post = async (path: string, data: object) => {
    const url = `${origin}/portal/api/v1/sessions/${encodeURIComponent(number)}${path}`
    return (await (await page.request.post(url, { data, headers: { origin } })).json()) as { jid: string }
  }
  await post('/newsletters', { name: 'Shop news', description: 'Offers every Monday' })
  return encodeURIComponent((await post('/groups', { subject: 'Project 1001', members: ['15551234567'] })).jid)
}

export const PAGES: Record<string, (at: Furnished) => string> = {
  overview: () => '/',
  numbers: () => '/numbers',
  'a number': at => at.number,
  'the chats of a number': at => `${at.number}/chats`,
  'the groups of a number': at => `${at.number}/groups`,
  'a group': at => at.group,
  'the channels of a number': at => `${at.number}/channels`,
  'adding a number': () => '/numbers?add=sandbox',
  'choosing how to link a phone': () => '/link',
  'linking a phone': () => '/link?platform=sandbox',
  'the sandbox phone': () => '/phone?chat=15551234567',
  'two phones': () => '/phone?second=list',
  messages: () => '/messages',
  'a message': at => at.message,
  deliveries: () => '/deliveries',
  'no deliveries': () => '/deliveries?status=pending&type=other',
  'a delivery': at => at.delivery,
  webhooks: () => '/webhooks',
  'a webhook': at => at.webhook,
  'a new webhook': () => '/webhooks/new',
  endpoints: () => '/endpoints',
  'an endpoint': at => at.endpoint,
  'a new endpoint': () => '/endpoints?add=endpoint',
  'the API log': () => '/requests',
  'API keys': () => '/keys',
  'a new key': () => '/keys?add=key',
  usage: () => '/usage',
  settings: () => '/settings',
  'the Terms': () => '/settings/terms',
  accounts: () => '/accounts',
  nodes: () => '/nodes',
  'an unknown page': () => '/nowhere',
}

/** Opens a page and waits until it is complete. */
export async function openPage(visit: Visit, path: string): Promise<void> {
  await visit.goTo(path)
  await visit.page.locator('h1, h2').first().waitFor()
  await visit.page.waitForFunction(() => document.querySelector('.skeleton') === null)
}
