import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Receiver, startReceiver } from '../../test/harness/receiver.ts'
import { addSandboxNumber, openPortal, type Portal, setWebhook, type Visit } from './portal.ts'

const CONTACT = '15551234567'

let portal: Portal
let receiver: Receiver
let visit: Visit
let number: string

beforeAll(async () => {
  portal = await openPortal({ POSTERN_DISCONNECT_GRACE: '300ms' })
  receiver = await startReceiver()
  visit = await portal.visit()
  number = await addSandboxNumber(visit.page, 'Support')
  await setWebhook(visit.page, number, receiver.url('/hooks'))
})
afterAll(async () => {
  await portal.stop()
  await receiver.close()
})

const post = async (path: string, data: object) => {
  const answer = await visit.page.request.post(`${portal.url}/portal/api${path}`, {
    data,
    headers: { origin: portal.url },
  })
  expect(answer.ok(), await answer.text()).toBe(true)
  return (await answer.json()) as Record<string, string>
}
const read = async (path: string) =>
  (await (await visit.page.request.get(`${portal.url}/portal/api${path}`)).json()) as Record<string, string>
const own = `/sandbox/sessions/`
const arrives = (part: string) => receiver.until(ledger => ledger.some(({ body }) => body.toString().includes(part)))
const bodyWith = (part: string) => receiver.ledger.find(({ body }) => body.toString().includes(part))!.body.toString()
const write = async (text: string) => {
  await visit.page.getByLabel('Message', { exact: true }).fill(text)
  await visit.page.getByRole('button', { name: 'Send', exact: true }).click()
  await arrives(JSON.stringify(text).slice(1, -1))
}
const events = () => visit.page.getByRole('list', { name: 'Events' })

test('the page shows the exact JSON that the endpoint received, and earlier events stay redacted', async () => {
  const { page } = visit
  await post(`${own}${encodeURIComponent(number)}/incoming`, {
    from: CONTACT,
    type: 'text',
    text: 'before anybody looked',
  })
  await arrives('before anybody looked')
  await page.goto(`${portal.url}/phone?chat=${CONTACT}`)
  await events()
    .getByRole('button', { name: /message text.*Delivered/ })
    .first()
    .click()
  await events()
    .getByText(/Only events that are posted while this page is open/)
    .waitFor()
  await events()
    .getByText(/redacted, 21 bytes/)
    .waitFor()
  expect(await events().innerText()).not.toContain('before anybody looked')
  await events()
    .getByRole('button', { name: /message text/ })
    .first()
    .click()

  await write('Grüße, "Ada" & <b>Bob</b> 👋')
  await events()
    .getByRole('button', { name: /message text.*Delivered/ })
    .nth(1)
    .waitFor()
  await events()
    .getByRole('button', { name: /message text.*Delivered/ })
    .first()
    .click()
  await events().getByText('"Grüße, \\"Ada\\" & <b>Bob</b> 👋"').waitFor()
  await events().getByRole('button', { name: 'Exact body' }).click()
  expect(await events().getByLabel('Exact body').last().textContent()).toBe(bodyWith('Grüße, '))
})

test('an open chat accepts text immediately, and a question mark is text, not a shortcut', async () => {
  const { page } = visit
  await post(`${own}${encodeURIComponent(number)}/incoming`, { from: CONTACT, type: 'text', text: 'the first one' })
  await page.goto(`${portal.url}/phone`)
  await page.getByRole('button', { name: /the first one/ }).click()
  await page.getByLabel('Message', { exact: true }).waitFor()
  await page.keyboard.type('what?')
  expect(await page.getByLabel('Message', { exact: true }).inputValue()).toBe('what?')
  expect(await page.locator('dialog[open]').count()).toBe(0)
})

test('a contact with reading off only receives, and reads the waiting messages when it is switched on', async () => {
  const { page } = visit
  const reads = page.getByRole('switch', { name: 'Ada reads messages' })
  await reads.click()
  await expect.poll(() => reads.getAttribute('aria-checked')).toBe('false')
  const body = { session_id: number, to: CONTACT, text: 'Unread for now' }
  const { message_id: id } = await post('/v1/messages', body)
  const other = await post('/v1/messages', { ...body, to: '15551230009' })
  const stateOf = async (message: string | undefined) => (await read(`/v1/messages/${message}`))['state']
  await expect.poll(() => stateOf(other['message_id'])).toBe('read')
  await expect.poll(() => stateOf(id)).toBe('delivered')
  await page.reload()
  await expect.poll(() => reads.getAttribute('aria-checked')).toBe('false')
  await reads.click()
  await expect.poll(() => stateOf(id)).toBe('read')
})

test('live changes that arrive before the first response are not lost: a message that was read meanwhile shows as read', async () => {
  const { page } = visit
  const reads = page.getByRole('switch', { name: 'Ada reads messages' })
  await reads.click()
  await expect.poll(() => reads.getAttribute('aria-checked')).toBe('false')
  const body = { session_id: number, to: CONTACT, text: 'Read in the meantime' }
  const { message_id: id } = await post('/v1/messages', body)
  await expect.poll(async () => (await read(`/v1/messages/${id}`))['state']).toBe('delivered')
  // The page learns of the change from the list behind the panel, and only then receives the older response.
  let first = true
  await page.route(`**/v1/messages/${id}`, async route => {
    if (!first) return route.continue()
    first = false
    const early = await route.fetch()
    expect((await early.json()).state).toBe('delivered')
    await post(`${own}${encodeURIComponent(number)}/actions`, { from: CONTACT, action: 'read_receipts', enabled: true })
    await page
      .locator('.table-row-line', { has: page.locator(`[data-row="${id}"]`) })
      .getByText('Read', { exact: true })
      .waitFor()
    await route.fulfill({ response: early })
  })
  await visit.goTo(`/messages/${id}`)
  await page.getByRole('dialog').getByText('Read', { exact: true }).first().waitFor()
  expect(first).toBe(false)
  await visit.goTo(`/phone?chat=${CONTACT}`)
})

test('a subscribed number receives an event when a contact goes online or offline', async () => {
  const { page } = visit
  await post(`/v1/sessions/${encodeURIComponent(number)}/presence/subscribe`, { contact_jid: CONTACT })
  const online = page.getByRole('switch', { name: 'Ada is online' })
  await online.click()
  await page.getByRole('region', { name: 'Phone', exact: true }).getByText('Online', { exact: true }).waitFor()
  await arrives('"kind":"presence"')
  const told = () => receiver.ledger.filter(({ body }) => body.toString().includes('"kind":"presence"')).length
  const before = told()
  await online.click()
  await page.getByRole('region', { name: 'Phone', exact: true }).getByText('Offline', { exact: true }).waitFor()
  await expect.poll(told).toBeGreaterThan(before)
})

test('a number goes offline when its connection drops, and online when it reconnects', async () => {
  const { page } = visit
  const linked = page.getByRole('switch', { name: 'Support has a connection' })
  await linked.click()
  await page.getByText('Disconnected', { exact: true }).waitFor()
  await arrives('"event":"disconnected"')
  await page.reload()
  await expect.poll(() => linked.getAttribute('aria-checked')).toBe('false')
  await linked.click()
  await page.getByText('Connected', { exact: true }).waitFor()
})

test('at 1440 pixels the page shows two phones and the events side by side, on a phone one of them at a time', async () => {
  const { page } = visit
  await page.setViewportSize({ width: 1440, height: 900 })
  await visit.goTo(`/phone?chat=${CONTACT}&second=list`)
  await write('Seen by both')
  const boxOf = async (name: string) => (await page.getByRole('region', { name, exact: true }).boundingBox())!
  await events().waitFor()
  const [first, second] = [await boxOf('Phone'), await boxOf('Second phone')]
  const feed = (await events().boundingBox())!
  expect(Math.abs(first.y - second.y)).toBeLessThan(2)
  expect(second.x).toBeGreaterThan(first.x + first.width)
  expect(feed.x).toBeGreaterThan(second.x + second.width)
  await page.setViewportSize({ width: 390, height: 844 })
  await page.getByRole('region', { name: 'Phone', exact: true }).waitFor()
  expect(await events().isVisible()).toBe(false)
  const composer = (await page.getByLabel('Message', { exact: true }).boundingBox())!
  expect(composer.y + composer.height).toBeLessThan(844)
  await page.getByRole('button', { name: 'Events', exact: true }).click()
  await events().waitFor()
  expect(await page.getByRole('region', { name: 'Phone', exact: true }).isVisible()).toBe(false)
  await page.setViewportSize({ width: 1280, height: 900 })
})

test('without a webhook the page shows the events of a listener, and deletes the listener when the user leaves', async () => {
  const { page } = visit
  const silent = await addSandboxNumber(page, 'Silent')
  const listening = page.waitForResponse(/\/v1\/listeners$/)
  await visit.goTo(`/phone?number=${encodeURIComponent(silent)}&chat=${CONTACT}`)
  await listening
  await page.getByLabel('Message', { exact: true }).fill('Heard by nobody else')
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await events()
    .getByRole('button', { name: /^message text \d\d:\d\d:\d\d\.\d{3}/ })
    .click()
  await events().getByText('"Heard by nobody else"').waitFor()
  const ended = page.waitForRequest(request => request.method() === 'DELETE' && /listeners\/lsn_/.test(request.url()))
  await page.getByRole('link', { name: 'Numbers' }).click()
  await ended
  await visit.goTo(`/phone?number=${encodeURIComponent(number)}&chat=${CONTACT}`)
})

test('the sandbox phone can log the gateway out', async () => {
  const { page } = visit
  await page.getByRole('button', { name: 'Log out' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Log out' }).click()
  await page.getByText('Logged out', { exact: true }).waitFor()
  await arrives('"event":"logged_out"')
  expect(visit.problems).toEqual([])
})
