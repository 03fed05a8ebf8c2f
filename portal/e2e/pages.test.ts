import { afterAll, beforeAll, expect, test } from 'vitest'
import { Deferred } from '../../src/runtime/deferred.ts'
import { ask } from '../../test/harness/client.ts'
import { blackPng } from '../../test/harness/pictures.ts'
import { PASSWORD } from '../../test/harness/portal.ts'
import { type Receiver, startReceiver } from '../../test/harness/receiver.ts'
import { until } from '../../test/harness/until.ts'
import {
  addSandboxNumber,
  createEndpoint,
  createKey,
  openPortal,
  type Portal,
  setWebhook,
  type Visit,
} from './portal.ts'

let portal: Portal
let receiver: Receiver
let visit: Visit
let number: string
let webhookPath: string

beforeAll(async () => {
  portal = await openPortal()
  receiver = await startReceiver()
  visit = await portal.visit({ operator: true })
  number = await addSandboxNumber(visit.page, 'Support')
  await setWebhook(visit.page, number, receiver.url('/hooks'))
  webhookPath = new URL(visit.page.url()).pathname
})
afterAll(async () => {
  await portal.stop()
  await receiver.close()
})

test('numbers: the user sets addressing, appearance, pace, auto-reject and a proxy, pauses and restarts a number, and the state updates automatically', async () => {
  const { page } = visit
  await visit.goTo(`/numbers/${encodeURIComponent(number)}`)
  const panel = page.getByRole('dialog', { name: 'Support' })
  await panel.getByLabel('Addressing').selectOption('Hidden identifier (LID) only')
  await panel.getByLabel('Appears to contacts').selectOption('Always offline')
  await panel.getByRole('button', { name: 'Save', exact: true }).click()
  await expect.poll(stored).toMatchObject({ addressing: 'lid', appear: 'offline' })
  await panel.getByLabel('Shortest pause (ms)').fill('5')
  await panel.getByLabel('Longest pause (ms)').fill('9')
  await panel.getByLabel('Quiet from').fill('22:00')
  await panel.getByLabel('Quiet until').fill('07:00')
  await panel.getByLabel('Time zone').fill('Europe/Berlin')
  await panel.getByRole('button', { name: 'Save the pace' }).click()
  const quiet = { from: '22:00', to: '07:00', time_zone: 'Europe/Berlin' }
  await expect.poll(async () => (await stored()).pace).toMatchObject({ min_ms: 5, max_ms: 9, new_per_day: null, quiet })
  for (const label of ['Shortest pause (ms)', 'Longest pause (ms)', 'Quiet from', 'Quiet until'])
    await panel.getByLabel(label).fill('')
  await panel.getByRole('button', { name: 'Save the pace' }).click()
  await expect.poll(async () => (await stored()).pace).toBeNull()
  await panel.getByRole('switch', { name: /Reject calls/ }).click()
  await panel.getByLabel('Message to the caller').fill('Please write instead.')
  await panel.getByRole('button', { name: 'Save the message' }).click()
  await expect
    .poll(async () => (await stored()).auto_reject)
    .toEqual({ enabled: true, message: 'Please write instead.' })
  await panel.getByRole('textbox', { name: 'Proxy' }).fill('socks5://user:canary@10.0.0.1:1080')
  await panel.getByRole('button', { name: 'Save the proxy' }).click()
  await panel.getByText('url must not point to a private or reserved address').first().waitFor()
  await panel.getByRole('textbox', { name: 'Proxy' }).fill('socks5://user:canary@127.0.0.1:1080')
  await panel.getByRole('button', { name: 'Save the proxy' }).click()
  await panel.getByText('All connections of the number go through socks5://127.0.0.1:1080').waitFor()
  expect(await panel.innerText()).not.toContain('canary')
  await panel.getByRole('button', { name: 'Remove the proxy' }).click()
  await panel.getByText('The number connects directly.').waitFor()
  await panel.getByRole('switch', { name: 'Pause the number' }).click()
  await page.getByRole('row', { name: /Support.*Paused/ }).waitFor()
  await panel.getByRole('button', { name: 'Resume' }).click()
  await page.getByRole('row', { name: /Support.*Connected/ }).waitFor()
  await panel.getByRole('button', { name: 'Restart' }).click()
  await page
    .getByRole('dialog', { name: 'Restart Support?' })
    .getByRole('button', { name: 'Restart', exact: true })
    .click()
  await page.getByText('Support restarts.').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('row', { name: /Support.*Connected/ }).waitFor()
})

const stored = async () => {
  const response = await visit.page.request.get(`${portal.url}/portal/api/v1/sessions/${encodeURIComponent(number)}`)
  return (await response.json()) as {
    auto_reject: unknown
    addressing: string
    appear: string
    pace: unknown
    state: string
  }
}

test('messages: a message that the pace of its number holds says why and until when', async () => {
  const { page } = visit
  const key = await createKey(page, 'to hold')
  const path = `/v1/sessions/${encodeURIComponent(number)}`
  const timeIn = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString().slice(11, 16)
  const quiet = { from: timeIn(-1), to: timeIn(2), time_zone: 'UTC' }
  await ask(portal.url, 'PATCH', path, { key, body: { pace: { quiet } } })
  const body = { session_id: number, to: '15550009876', text: 'good night' }
  const { message_id: id } = (await ask(portal.url, 'POST', '/v1/messages', { key, body })).json
  await expect
    .poll(async () => (await ask(portal.url, 'GET', `/v1/messages/${id}`, { key })).json.held_because)
    .toBe('quiet_hours')
  await visit.goTo(`/messages/${id}`)
  await page.getByText(/Waits for the end of the quiet hours, until .+ The pace of the number decides that\./).waitFor()
  await page.keyboard.press('Escape')
  await ask(portal.url, 'DELETE', `/v1/messages/${id}`, { key })
  await ask(portal.url, 'PATCH', path, { key, body: { pace: null } })
})

test('API keys: a key is shown once, has its scopes, and stops working after its revocation', async () => {
  const { page } = visit
  const key = await createKey(page, 'to revoke')
  expect((await ask(portal.url, 'GET', '/v1/me', { key })).status).toBe(200)
  const row = page.getByRole('row', { name: /to revoke/ })
  expect(await row.innerText()).toContain(key.slice(0, 12))
  expect(await page.locator('body').innerText()).not.toContain(key)
  await row.getByRole('button', { name: 'Revoke' }).click()
  await page.getByText('Requests with it will get 401 from now on').waitFor()
  await page.getByRole('button', { name: 'Revoke the key' }).click()
  await row.waitFor({ state: 'detached' })
  await expect.poll(async () => (await ask(portal.url, 'GET', '/v1/me', { key })).status).toBe(401)
})

test('webhooks: a test of each category shows status, latency and excerpt, and an endpoint can reject an unsigned one', async () => {
  const { page } = visit
  receiver.reply = () => ({ status: 418, body: 'short and <b>stout</b>' })
  await visit.goTo(webhookPath)
  const messages = page.getByRole('listitem').filter({ hasText: 'Messages' })
  await messages.getByRole('button', { name: 'Test' }).click()
  await messages.getByText('The endpoint refused the request with 418').waitFor()
  expect(await messages.innerText()).toMatch(/\d ms/)
  expect(await messages.innerText()).toContain('short and <b>stout</b>')
  receiver.reply = () => 200
  await page.getByRole('button', { name: 'Test all' }).click()
  await expect.poll(() => page.getByText('Answered 200').count()).toBe(4)
})

test('webhooks: each one has the label of its number and links to it', async () => {
  const { page } = visit
  await visit.goTo('/webhooks')
  await page.getByRole('link', { name: 'Support', exact: true }).click()
  await page.getByRole('heading', { name: 'Webhook of Support' }).waitFor()
  await page.getByRole('button', { name: 'Rotate the secret' }).click()
  await page.getByRole('dialog', { name: 'Rotate the secret of Support?' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('link', { name: /^\+999/ }).click()
  await page.getByRole('dialog', { name: 'Support' }).waitFor()
})

test('webhooks: an empty URL is saved, and an invalid one shows an error at its field', async () => {
  const { page } = visit
  await visit.goTo(webhookPath)
  await page.getByRole('button', { name: 'Customise' }).click()
  await page.getByLabel('Connection URL').fill('')
  await page.getByRole('button', { name: 'Save the URLs' }).click()
  await page.getByText('The URLs are saved.').waitFor()
  const window = page.viewportSize()!
  await page.setViewportSize({ width: 390, height: 844 })
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
  await page.setViewportSize(window)
  await page.getByLabel('Events URL').fill('ftp://127.0.0.1/hooks')
  await page.getByRole('button', { name: 'Save the URLs' }).click()
  await page.getByText(/events_url/).waitFor()
  expect(await page.getByLabel('Events URL').getAttribute('aria-invalid')).toBe('true')
})

test('webhooks: a rotated secret is shown once, and both secrets sign during the overlap', async () => {
  const { page } = visit
  await visit.goTo(webhookPath)
  await page.getByRole('button', { name: 'Rotate the secret' }).click()
  await page.getByRole('button', { name: 'Rotate', exact: true }).click()
  const secret = await page.locator('[data-secret]').innerText()
  await page.getByRole('button', { name: 'I have stored it' }).click()
  receiver.secrets.set(webhookPath.split('/').at(-1)!, [secret])
  const before = receiver.ledger.length
  await page.getByRole('button', { name: 'Test all' }).click()
  await receiver.until(ledger => ledger.length > before)
  const last = receiver.ledger.at(-1)!
  expect(last.signed).toBe(true)
  expect(String(last.headers['x-webhook-signature']).match(/v1=/g)).toHaveLength(2)
})

test('endpoints: a user creates one with an error at its field, tests, edits and rotates it, and resends and replays what it failed', async () => {
  const { page } = visit
  await visit.goTo('/endpoints?add=endpoint')
  await page.getByLabel('URL', { exact: true }).fill('ftp://127.0.0.1/events')
  await page.getByRole('button', { name: 'Create the endpoint' }).click()
  await page.getByText('It must use https or http').waitFor()
  expect(await page.getByLabel('URL', { exact: true }).getAttribute('aria-invalid')).toBe('true')
  const orders = await startReceiver(() => ({ status: 400, body: 'not <i>now</i>' }))
  await createEndpoint(page, orders.url('/events'), 'Orders')
  const id = new URL(page.url()).pathname.split('/').at(-1)!

  await page.getByRole('button', { name: 'Edit' }).click()
  const dialog = page.getByRole('dialog', { name: 'Edit Orders' })
  await dialog.getByRole('button', { name: 'Choose' }).click()
  await dialog.getByLabel(/^receipt/).uncheck()
  await dialog.getByLabel('Direction').selectOption('Only what people send to your numbers')
  await dialog.getByLabel(/^Messages from your own phone/).check()
  await dialog.getByLabel('Retries').selectOption('Ladder: each delivery by its own schedule')
  await dialog.getByRole('button', { name: 'Add a header' }).click()
  await dialog.getByLabel('Name of header 1').fill('__proto__')
  await dialog.getByLabel('Value of header 1').fill('seven')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByRole('alert').getByText('not a valid header name').waitFor()
  await dialog.getByLabel('Name of header 1').fill('X-Tenant')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByText('The endpoint is saved.').waitFor()
  await page.getByText('X-Tenant').waitFor()
  expect(await page.locator('body').innerText()).not.toContain('seven')

  await page.getByRole('button', { name: 'Send a test' }).click()
  await page.getByText('not <i>now</i>').waitFor()
  expect(orders.ledger.at(-1)!.headers['x-tenant']).toBe('seven')
  await page.getByRole('button', { name: 'Rotate the secret' }).click()
  await page.getByRole('button', { name: 'Rotate', exact: true }).click()
  orders.secrets.set(id, [await page.locator('[data-secret]').innerText()])
  await page.getByRole('button', { name: 'I have stored it' }).click()

  orders.reply = () => ({ status: 503, body: '' })
  const incoming = `${portal.url}/portal/api/sandbox/sessions/${encodeURIComponent(number)}/incoming`
  for (const text of ['An order', 'Another order'])
    await page.request.post(incoming, {
      headers: { origin: portal.url },
      data: { from: '15551234567', type: 'text', text },
    })
  const dead = page.getByRole('row', { name: /message\.text.*Dead letter/ })
  await expect.poll(() => dead.count()).toBe(2)
  orders.reply = () => 200
  await dead.first().click()
  await page.getByRole('link', { name: 'Orders' }).waitFor()
  await page.getByRole('button', { name: 'Resend' }).click()
  await page.getByRole('dialog', { name: 'Resend this delivery?' }).getByRole('button', { name: 'Resend' }).click()
  await page.getByText('Resent manually').waitFor()
  await page.getByRole('dialog').getByText('Delivered', { exact: true }).first().waitFor()
  expect(orders.ledger.at(-1)!.signed).toBe(true)

  // The gateway records a failure that has lasted for 30 seconds.
  await portal.gateway.store.endpoints.recordEndpointHealth({
    id,
    health: { kind: 'failing', sinceMs: 1_790_000_000_000 },
  })
  await visit.goTo('/endpoints')
  await page.getByRole('row', { name: /Orders.*Failing/ }).click()
  await page.getByText('It has been failing since').waitFor()
  await page.getByRole('button', { name: 'Replay' }).click()
  await page.getByText('The gateway sends 1 delivery again.').waitFor()
  await page.getByRole('button', { name: 'Start the replay' }).click()
  await page.getByText('Everything has arrived.').waitFor()
  await page.getByRole('button', { name: 'Close' }).last().click()
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('button', { name: 'Delete the endpoint' }).click()
  await page.getByRole('heading', { name: 'No endpoint yet' }).waitFor()
  await orders.close()
})

test('sandbox phone: location, poll, reaction and call arrive as events, and the contact’s vote too', async () => {
  const { page } = visit
  receiver.ledger.length = 0
  await visit.goTo('/phone?chat=15551234567')
  await page.getByRole('button', { name: 'Attach' }).click()
  await page.getByRole('menuitem', { name: 'Location' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Send' }).click()
  await kindArrives('"type":"location"')
  await page
    .getByRole('article')
    .filter({ hasText: 'Brandenburg Gate' })
    .getByRole('button', { name: 'Reply or react' })
    .click()
  await page.getByRole('menuitem', { name: 'React with 👍' }).click()
  await kindArrives('"type":"reaction"')
  const body = { session_id: number, to: '15551234567', poll: { name: 'Which day?', options: ['Monday', 'Tuesday'] } }
  await page.request.post(`${portal.url}/portal/api/v1/messages`, { data: body, headers: { origin: portal.url } })
  await page.getByRole('checkbox', { name: 'Tuesday' }).check()
  await kindArrives('"kind":"poll_vote"')
  await page.getByRole('button', { name: 'Call', exact: true }).click()
  await kindArrives('"kind":"call"')
})

const kindArrives = (part: string) =>
  receiver.until(ledger => ledger.some(({ body }) => body.toString().includes(part)))

test('deliveries: the URL has the filters, and a shared address opens the same panel', async () => {
  const { page } = visit
  await visit.goTo('/deliveries')
  await page.getByLabel('Event', { exact: true }).selectOption('incoming_message')
  await page.waitForURL(/type=incoming_message/)
  await page.getByRole('link', { name: 'Incoming message' }).first().click()
  await page.waitForURL(/\/deliveries\/dlv_\w+\?type=incoming_message/)
  await page.getByRole('heading', { name: 'Attempts' }).waitFor()
  await page.reload()
  await page.getByRole('heading', { name: 'Attempts' }).waitFor()
  expect(await page.getByRole('link', { name: 'Message status' }).count()).toBe(0)
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Escape')
  await page.waitForURL(/\/deliveries\?type=incoming_message/)
})

test('deliveries: a failure shows its cause and how to fix it, and a resend has the same id', async () => {
  const { page } = visit
  receiver.reply = () => 503
  receiver.ledger.length = 0
  await write('this one dies')
  await visit.goTo(`/deliveries?status=dead&webhook=${webhookPath.split('/').at(-1)}`)
  await page.getByRole('link', { name: 'Incoming message' }).first().waitFor()
  receiver.reply = () => 200
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await page.getByText('Check the service and its log').waitFor()
  await page.keyboard.press('r')
  await page.getByRole('dialog', { name: 'Resend this delivery?' }).getByRole('button', { name: 'Resend' }).click()
  await receiver.until(ledger => ledger.some(({ answer }) => answer === 200))
  const ids = new Set(
    receiver.ledger.filter(({ body }) => body.toString().includes('this one dies')).map(({ id }) => id),
  )
  expect(ids.size).toBe(1)
  // The links lead from the resend to the dead letter and back.
  await page.getByText('Resent manually').waitFor()
  await page.getByRole('link', { name: /^dlv_/ }).click()
  await page.getByText('The event was delivered later').waitFor()
  await page.getByText('Replayed as').waitFor()
  await page.getByRole('dialog').getByText('Replayed', { exact: true }).waitFor()
})

test('deliveries: stopping the retries makes a delivery a dead letter as soon as the current attempt has failed', async () => {
  const { page } = visit
  const answer = new Deferred<void>()
  receiver.reply = () => ({ status: 503, after: answer.promise })
  await write('this one is given up')
  await visit.goTo('/deliveries?status=pending')
  await page.getByRole('link', { name: 'Incoming message' }).first().click()
  await page.getByRole('button', { name: 'Stop retries now' }).click()
  const dialog = page.getByRole('dialog', { name: 'Stop the retries of this delivery?' })
  await dialog.getByRole('button', { name: 'Stop retries now' }).click()
  await dialog.waitFor({ state: 'detached' })
  answer.resolve()
  await page.getByText('The retries were stopped by hand before the last attempt').waitFor()
  expect(await page.getByText('Attempt 2').count()).toBe(0)
  receiver.reply = () => 200
})

test('the API log hides read requests until the user shows them', async () => {
  const { page } = visit
  const key = await createKey(page, 'reader')
  await ask(portal.url, 'GET', '/v1/sessions', { key })
  await ask(portal.url, 'GET', '/v1/messages/msg_none', { key })
  await visit.goTo('/requests')
  await page.getByRole('row', { name: /msg_none/ }).waitFor()
  expect(await page.getByRole('row', { name: 'GET /v1/sessions' }).count()).toBe(0)
  await page.getByLabel('Show reads (GET)').check()
  await page
    .getByRole('row', { name: /GET \/v1\/sessions/ })
    .first()
    .waitFor()
})

test('an invalid field of a dialog shows its error and has the focus', async () => {
  const { page } = visit
  await visit.goTo('/messages')
  await page.getByRole('button', { name: 'Send a message' }).click()
  const to = page.getByRole('dialog').getByLabel('To', { exact: true })
  await to.fill('nobody at all')
  await page.getByRole('dialog').getByRole('button', { name: 'Send', exact: true }).click()
  await page.getByRole('dialog').getByRole('alert').waitFor()
  expect(await to.evaluate(field => field === document.activeElement)).toBe(true)
  const described = await to.getAttribute('aria-describedby')
  expect(await page.locator(`[id="${described}"]`).innerText()).toMatch(/^To /)
  await page.keyboard.press('Escape')
})

async function write(text: string): Promise<string> {
  const path = `${portal.url}/portal/api/sandbox/sessions/${encodeURIComponent(number)}/incoming`
  const response = await visit.page.request.post(path, {
    data: { from: '15551234567', type: 'text', text },
    headers: { origin: portal.url },
  })
  expect(response.status()).toBe(202)
  return ((await response.json()) as { message_id: string }).message_id
}

test('deliveries: a delivery that dies while the list loads appears on the list', async () => {
  const { page } = visit
  receiver.reply = () => 503
  let letGo = (): unknown => undefined
  const isRead = new Promise<void>(resolve => {
    void page.route(/\/portal\/api\/v1\/deliveries\?/, async route => {
      const response = await route.fetch()
      letGo = () => route.fulfill({ response })
      resolve()
    })
  })
  const isLive = page.waitForResponse(/\/portal\/api\/live/)
  try {
    await visit.goTo('/deliveries?status=dead')
    await Promise.all([isRead, isLive])
    await page.evaluate(noteDeaths)
    const messageId = await write('this one dies unseen')
    const dead = await page.waitForFunction(id => window.deadOf.get(id), messageId)
    await letGo()
    await page.locator(`[data-row="${await dead.jsonValue()}"]`).waitFor()
  } finally {
    receiver.reply = () => 200
    await page.unrouteAll({ behavior: 'ignoreErrors' })
  }
})

declare global {
  interface Window {
    /** Dead deliveries, by the message that they are about. */
    deadOf: Map<string, string>
  }
}

/** Runs in the page and follows the live stream in parallel. */
function noteDeaths(): Promise<void> {
  window.deadOf = new Map()
  const stream = new EventSource('/portal/api/live')
  stream.addEventListener('delivery', event => {
    const { id, status, message_id } = JSON.parse((event as MessageEvent<string>).data) as Record<string, string>
    if (status === 'dead') window.deadOf.set(message_id!, id!)
  })
  return new Promise(resolve => stream.addEventListener('open', () => resolve()))
}

test('deliveries: new entries wait behind a chip while the user reads further down', async () => {
  const { page } = visit
  for (let i = 0; i < 12; i++) await write(`filler ${i}`)
  await visit.goTo('/deliveries')
  await page.setViewportSize({ width: 1280, height: 420 })
  await expect.poll(() => page.getByRole('row').count()).toBeGreaterThan(12)
  await page.evaluate(() => window.scrollTo({ top: 400 }))
  const chip = page.getByRole('button', { name: /^\d+ new$/ })
  // The list reloads after its stream opens, so it has the first entry without the chip.
  await expect
    .poll(async () => {
      await write('while reading')
      return await chip.count()
    })
    .toBe(1)
  await chip.click()
  await expect.poll(() => page.evaluate(() => window.scrollY)).toBe(0)
  await page.setViewportSize({ width: 1280, height: 900 })
})

test('keyboard: the palette opens pages and finds ids, and ? lists the shortcuts', async () => {
  const { page } = visit
  await visit.goTo('/')
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox').waitFor()
  await page.keyboard.type('api keys')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/keys/)
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox').waitFor()
  await page.keyboard.type(webhookPath.split('/').at(-1)!)
  await page.keyboard.press('Enter')
  await page.waitForURL(new RegExp(webhookPath))
  await page.getByRole('heading', { name: /^Webhook of/ }).waitFor()
  await page.keyboard.press('?')
  await page.getByText('Open the command palette').waitFor()
  await page.keyboard.press('Escape')
})

test('a dialog returns the focus to its opener, and an extra Enter does not close a secret that is shown once', async () => {
  const { page } = visit
  await visit.goTo('/keys')
  const create = page.getByRole('button', { name: 'Create a key' }).first()
  await create.click()
  await page.getByRole('dialog').waitFor()
  await page.keyboard.press('Escape')
  await expect.poll(() => create.evaluate(button => button === document.activeElement)).toBe(true)
  await page.keyboard.press('Enter')
  await page.getByLabel('Label').fill('focus')
  await page.keyboard.press('Enter')
  await page.locator('[data-secret]').waitFor()
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toContain('Copy')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Copied' }).waitFor()
  expect(await page.locator('[data-secret]').innerText()).toMatch(/^ptn_/)
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
    await page.locator('[data-secret]').innerText(),
  )
  // Only the confirmation closes it: repeated Escape never hides it, and there is no close button.
  const dialog = page.getByRole('dialog')
  await dialog.evaluate(shown => shown.addEventListener('close', () => shown.setAttribute('data-closed', '')))
  for (const _time of [1, 2, 3]) await page.keyboard.press('Escape')
  await page.evaluate(() => new Promise(painted => requestAnimationFrame(() => setTimeout(painted))))
  expect(await dialog.getAttribute('data-closed')).toBeNull()
  expect(await page.locator('[data-secret]').isVisible()).toBe(true)
  expect(await page.getByRole('dialog').getByRole('button', { name: 'Close' }).count()).toBe(0)
  await page.getByRole('button', { name: 'I have stored it' }).click()
})

test('messages: the user sends any content from a chosen number, and received messages are listed too', async () => {
  const { page } = visit
  await visit.goTo('/messages')
  await page.getByRole('button', { name: 'Send a message' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Content').selectOption('Poll')
  await dialog.getByLabel('Question').fill('Tea or coffee?')
  expect(await dialog.getByLabel('From').locator('option').count()).toBeGreaterThan(0)
  expect(await dialog.getByLabel('The same with curl').innerText()).toContain('Tea or coffee?')
  await dialog.getByRole('button', { name: 'Send', exact: true }).click()
  await dialog.getByRole('link', { name: 'Follow its delivery' }).click()
  await page.getByRole('dialog').getByText('Timeline').waitFor()
  await page.keyboard.press('Escape')
  await page.getByLabel('Direction').selectOption('Received')
  await page.waitForURL(/direction=received/)
  const received = page.getByRole('table', { name: 'Received messages' })
  await received.getByRole('link', { name: '+1 555 123 4567' }).first().click()
  await page.waitForURL(/\/deliveries\/dlv_/)
})

test('messages: an uploaded file arrives, and a file that cannot be sent shows an error at the field', async () => {
  const { page } = visit
  await visit.goTo('/messages')
  await page.getByRole('button', { name: 'Send a message' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Content').selectOption('Picture')
  const send = dialog.getByRole('button', { name: 'Send', exact: true })
  await send.click()
  await dialog.getByText('Choose a file first.').waitFor()
  const field = dialog.getByLabel('File', { exact: true })
  await field.setInputFiles({ name: 'nothing.png', mimeType: 'image/png', buffer: Buffer.alloc(0) })
  await dialog.getByText('The file is empty.').waitFor()
  const picture = blackPng({ width: 64, height: 48 })
  await field.setInputFiles({ name: "Ada's parcel.png", mimeType: 'image/png', buffer: picture })
  await dialog.getByText(/ · Uploaded$/).waitFor()
  expect(await dialog.getByLabel('The same with curl').innerText()).toMatch(
    /--data-binary '@Ada'\\''s parcel\.png'[^]*"media_id":"med_/,
  )
  await send.click()
  await dialog.getByRole('link', { name: 'Follow its delivery' }).click()
  await page.getByRole('dialog').getByText('Delivered', { exact: true }).first().waitFor()
  const id = new URL(page.url()).pathname.split('/').at(-1)!
  const ofMessage = (body: Buffer) => body.toString().includes(id) && body.toString().includes('"sent"')
  await receiver.until(ledger => ledger.some(({ body }) => ofMessage(body)))
  const path = `/portal/api/sandbox/sessions/${encodeURIComponent(number)}/messages?include_media=true`
  const held = (await (await page.request.get(portal.url + path)).json()) as { data: { media?: { data: string } }[] }
  expect(held.data[0]!.media!.data).toBe(picture.toString('base64'))
  await page.keyboard.press('Escape')
})

/** Waits until the dialog of a form is closed. */
const closed = () => visit.page.locator('dialog[open]').waitFor({ state: 'detached' })

test('groups: the user creates one, sees who could not be added, reads its link, adds, promotes and removes a member, and leaves it', async () => {
  const { page } = visit
  await visit.goTo(`/numbers/${encodeURIComponent(number)}`)
  await page.getByRole('link', { name: 'Its groups' }).click()
  await page.getByRole('heading', { name: 'No group yet' }).waitFor()
  await page.getByRole('button', { name: 'Create a group' }).first().click()
  await page.getByLabel('Name of the group').fill('Project 1001')
  await page.getByLabel('Members').fill('+1 555 123 4567\n15551230404')
  await page.getByRole('button', { name: 'Create the group' }).click()
  await page.getByText('Not on WhatsApp').waitFor()
  await page.getByRole('button', { name: 'Open the group' }).click()
  const panel = page.getByRole('dialog', { name: 'Project 1001' })
  await panel.getByRole('heading', { name: 'Members (2)' }).waitFor()
  await panel.getByRole('button', { name: 'Show the link' }).click()
  expect(await panel.getByLabel('Invite link').innerText()).toMatch(/^https:\/\/chat\.whatsapp\.com\//)
  await panel.getByLabel('Add members').fill('15551234568')
  await panel.getByRole('button', { name: 'Add to the group' }).click()
  await panel.getByRole('heading', { name: 'Members (3)' }).waitFor()
  const choose = (name: string) => panel.getByRole('checkbox', { name, exact: true }).check()
  expect(await panel.getByRole('button', { name: 'Make admin' }).isDisabled()).toBe(true)
  await choose('+1 555 123 4567')
  await choose('+1 555 123 4568')
  await panel.getByRole('button', { name: 'Make admin' }).click()
  await expect.poll(() => panel.getByText('Admin now').count()).toBe(2)
  await choose('+1 555 123 4567')
  await panel.getByRole('button', { name: 'Remove as admin' }).click()
  await panel.getByText('No longer an admin').waitFor()
  await panel.getByRole('listitem').filter({ hasText: '4568' }).getByText('Admin', { exact: true }).waitFor()
  await choose('+1 555 123 4568')
  await panel.getByRole('button', { name: 'Remove', exact: true }).click()
  const question = page.getByRole('dialog', { name: 'Remove these members?' })
  await question.getByText('+1 555 123 4568').waitFor()
  await question.getByRole('button', { name: 'Remove from the group' }).click()
  await panel.getByText('Removed').waitFor()
  await panel.getByRole('heading', { name: 'Members (2)' }).waitFor()
  await panel.getByRole('button', { name: 'Leave the group' }).click()
  await page.locator('dialog[open]').getByRole('button', { name: 'Leave the group' }).click()
  await page.getByText('The number has left Project 1001.').waitFor()
  await page.getByRole('heading', { name: 'No group yet' }).waitFor()
})

test('chats: the user archives, mutes and unmutes a chat, and sees no content', async () => {
  const { page } = visit
  await visit.goTo(`/numbers/${encodeURIComponent(number)}/chats`)
  await page
    .getByRole('heading', { name: 'No chat yet' })
    .or(page.getByRole('table', { name: 'Chats' }))
    .waitFor()
  await write('not for this page')
  await until(async () => {
    await visit.goTo(`/numbers/${encodeURIComponent(number)}/chats`)
    await page
      .getByRole('heading', { name: 'No chat yet' })
      .or(page.getByRole('table', { name: 'Chats' }))
      .waitFor()
    return (await page.getByRole('row', { name: /\+1 555 123 4567/ }).count()) === 1
  })
  const row = page.getByRole('row', { name: /\+1 555 123 4567/ })
  await row.getByRole('button', { name: /^Archive / }).click()
  await row.getByText('Archived').waitFor()
  await row.getByRole('button', { name: /^Mute / }).click()
  await row.getByText('Muted').waitFor()
  await row.getByRole('button', { name: /^Unmute / }).click()
  await row.getByText('Muted').waitFor({ state: 'detached' })
  await row.getByRole('button', { name: /^Unarchive / }).click()
  await row.getByText('Archived').waitFor({ state: 'detached' })
  expect(await page.locator('#main').innerText()).not.toContain('not for this page')
})

test('channels: the user creates one, and finds, follows and unfollows another', async () => {
  const { page } = visit
  const post = async (path: string, data: object) => {
    const headers = { origin: portal.url }
    return await (await page.request.post(`${portal.url}/portal/api/v1${path}`, { data, headers })).json()
  }
  await visit.goTo(`/numbers/${encodeURIComponent(number)}/channels`)
  await page.getByRole('button', { name: 'Create a channel' }).first().click()
  await page.getByLabel('Name', { exact: true }).fill('Shop news')
  await page.getByRole('button', { name: 'Create the channel' }).click()
  await closed()
  await page.getByRole('row', { name: /Shop news.*Owner/ }).waitFor()
  const { id: other } = (await post('/sessions', { platform: 'sandbox', label: 'Publisher' })) as { id: string }
  const path = `/sessions/${encodeURIComponent(other)}/newsletters`
  const { invite } = await until(async () => {
    const made = (await post(path, { name: 'Weather' })) as { invite?: string }
    return made.invite === undefined ? undefined : { invite: made.invite }
  })
  await page.getByRole('button', { name: 'Find a channel' }).click()
  await page.getByLabel('Link of the channel').fill(invite)
  await page.getByRole('button', { name: 'Find', exact: true }).click()
  await page.getByRole('dialog').getByText('Weather').waitFor()
  await page.getByRole('button', { name: 'Follow', exact: true }).click()
  await closed()
  await page
    .getByRole('row', { name: /Weather.*Follower/ })
    .getByRole('button', { name: 'Unfollow' })
    .click()
  await page.getByRole('row', { name: /Weather/ }).waitFor({ state: 'detached' })
})

test('overview: problems come first with their cause, followed by the state of each webhook', async () => {
  const { page } = visit
  receiver.reply = () => 503
  await write('nobody hears this')
  await visit.goTo('/?range=1h')
  const needs = page.getByRole('region', { name: 'Needs attention' })
  await needs.getByText('The endpoint of Support fails').waitFor()
  expect(await needs.innerText()).toContain('The endpoint failed with 503')
  await page.getByRole('region', { name: 'Webhooks' }).getByRole('link', { name: 'Support' }).waitFor()
  receiver.reply = () => 200
})

test('if the gateway is unreachable, the page stays and a banner offers to try again', async () => {
  const other = await portal.visit({ user: visit.user })
  await other.goTo('/deliveries')
  await other.page.getByRole('row').nth(1).waitFor()
  const cut = (on: boolean) => other.page.context().setOffline(on)
  await cut(true)
  await other.page.evaluate(() => window.dispatchEvent(new Event('offline')))
  await other.page.getByText('The gateway cannot be reached.').waitFor()
  expect(await other.page.getByRole('row').count()).toBeGreaterThan(1)
  await other.page.getByRole('button', { name: 'Try again now' }).click()
  await other.page.getByText('The gateway cannot be reached.').waitFor()
  await cut(false)
  await other.page.getByText('The gateway cannot be reached.').waitFor({ state: 'detached' })
  await other.close()
})

test('usage: accepted messages count against the plan', async () => {
  await visit.goTo('/usage')
  await visit.page.getByText('The max plan').waitFor()
  const today = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone: 'UTC' }).format(new Date())
  await visit.page.getByRole('row', { name: today }).waitFor()
  expect(await visit.page.getByRole('meter', { name: 'Linked numbers' }).count()).toBe(1)
})

test('operators: an operator creates an account with its key and changes its plan and limits', async () => {
  const { page } = visit
  await visit.goTo('/accounts')
  await page.getByRole('button', { name: 'Create an account' }).click()
  await page.getByLabel('Name').fill('Globex')
  await page.getByLabel('The Terms are accepted already').check()
  await page.getByRole('button', { name: 'Create the account' }).click()
  const key = await page.locator('[data-secret]').innerText()
  await page.getByRole('button', { name: 'I have passed it on' }).click()
  await page.getByRole('button', { name: 'Globex' }).click()
  await page.getByLabel('Plan').selectOption('pro')
  await page.getByLabel('Messages per month').fill('77')
  await page.getByLabel('New email').fill('hank@example.com')
  await page.getByLabel('New password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('row', { name: /Globex.*Pro.*77/ }).waitFor()
  const me = await ask(portal.url, 'GET', '/v1/me', { key })
  expect([me.json.account.plan, me.json.limits.messages_per_month]).toEqual(['pro', 77])
  const hank = await portal.window()
  await hank.page.goto(portal.url)
  await hank.page.getByLabel('Email').fill('hank@example.com')
  await hank.page.getByLabel('Password').fill(PASSWORD)
  await hank.page.getByRole('button', { name: 'Sign in' }).click()
  await hank.page.getByText('Globex').first().waitFor()
  await visit.goTo('/nodes')
  await page.getByRole('row', { name: /Healthy/ }).waitFor()
})

test('settings: a user sets a password, signs in with it, and signs out in every browser', async () => {
  const { page, user } = visit
  await visit.goTo('/settings')
  await page.getByLabel('New password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Set the password' }).click()
  await page.getByLabel('Current password').waitFor()
  await page.getByLabel('Theme', { exact: true }).selectOption('dark')
  expect(await page.evaluate(() => document.documentElement.dataset['theme'])).toBe('dark')

  const second = await portal.window()
  await second.page.goto(`${portal.url}/deliveries?status=dead`)
  await second.page.getByLabel('Email').fill(user.email)
  await second.page.getByLabel('Password').fill('not the password')
  await second.page.getByRole('button', { name: 'Sign in' }).click()
  await second.page.getByRole('alert').waitFor()
  await second.page.getByLabel('Password').fill(PASSWORD)
  await second.page.getByRole('button', { name: 'Sign in' }).click()
  await second.page.waitForURL(/\/deliveries\?status=dead/)

  await page.getByRole('button', { name: 'Sign out everywhere' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  await second.page.reload()
  await second.page.getByRole('heading', { name: 'Sign in' }).waitFor()
})

test('sign-up: a visitor creates an account if the gateway allows it', async () => {
  const { page, problems } = await portal.window()
  await page.goto(`${portal.url}/sign-in`)
  await page.getByRole('link', { name: 'Create an account' }).click()
  await page.getByLabel('Name of the account').fill('Initech')
  await page.getByLabel('Email').fill('peter@example.com')
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Create the account' }).click()
  await page.getByRole('button', { name: 'Accept the Terms' }).waitFor()
  await page.goto(`${portal.url}/deliveries`)
  await page.getByText('Accept the Terms to go on').waitFor()
  expect(problems).toEqual([])
})

test('these tests sent no request to another host, broke no content policy and raised no error', () => {
  expect(visit.problems).toEqual([])
})
