import { afterAll, beforeAll, expect, test } from 'vitest'
import { ask } from '../../test/harness/client.ts'
import { type Receiver, startReceiver } from '../../test/harness/receiver.ts'
import { openPortal, type Portal, type Visit } from './portal.ts'

let portal: Portal
let receiver: Receiver
let visit: Visit

beforeAll(async () => {
  portal = await openPortal()
  receiver = await startReceiver()
  visit = await portal.visit({ acceptTos: false })
})
afterAll(async () => {
  await portal.stop()
  await receiver.close()
})

test('a new user gets from the sign-in to a replayed dead letter without the manual', async () => {
  const { page } = visit
  expect(page.url()).toBe(`${portal.url}/`)

  // The checklist leads to the Terms, a number and a key.
  await page.getByRole('button', { name: 'Accept the Terms' }).click()
  await page.getByRole('button', { name: 'Add a sandbox number' }).click()
  await page.getByLabel('Label').fill('Support')
  await page.getByRole('button', { name: 'Add the number' }).click()
  await page.getByRole('button', { name: 'Create a key' }).click()
  await page.getByLabel('Label').fill('staging')
  await page.getByRole('button', { name: 'Create the key' }).click()
  const key = await page.locator('[data-secret]').innerText()
  expect(key).toMatch(/^ptn_\w{40}$/)
  await page.getByRole('button', { name: 'I have stored it' }).click()

  // The webhook posts to a receiver of the user, signed with its secret.
  await page.getByRole('link', { name: 'Set a webhook' }).click()
  const endpoint = page.getByLabel('Endpoint URL')
  await page.getByRole('button', { name: 'Set the webhook' }).click()
  await page.getByText('Enter a URL: without one nothing would be sent.').waitFor()
  await endpoint.fill('not a url')
  await page.getByRole('button', { name: 'Set the webhook' }).click()
  await page.getByText('It is not a valid URL').waitFor()
  expect(await endpoint.getAttribute('aria-invalid')).toBe('true')
  await endpoint.fill(`${receiver.url('/hooks')} `)
  await page.getByRole('button', { name: 'Send a test' }).click()
  await page.getByText('Answered 200').waitFor()
  expect(receiver.ledger.length).toBe(4)
  await page.getByRole('button', { name: 'Set the webhook' }).click()
  const secret = await page.locator('[data-secret]').innerText()
  await page.getByRole('button', { name: 'I have stored it' }).click()
  await page.getByRole('heading', { name: /^Webhook of/ }).waitFor()
  receiver.secrets.set(page.url().split('/').at(-1)!, [secret])

  // A program sends with the key, and the page shows the states from queued to read.
  const sessions = await ask(portal.url, 'GET', '/v1/sessions', { key })
  const sessionId: string = sessions.json.data[0].id
  const body = { session_id: sessionId, to: '15551234567', text: 'Your order is on its way' }
  const sent = await ask(portal.url, 'POST', '/v1/messages', { key, body })
  expect(sent.status).toBe(202)
  await visit.goTo(`/messages/${sent.json.message_id}`)
  const shown = page.getByRole('dialog')
  await shown.getByText('Read', { exact: true }).first().waitFor()
  await shown.getByRole('link', { name: /^status\.sent Delivered attempt 1: 200/ }).waitFor()
  await shown.getByRole('link', { name: /^receipt\.read Delivered attempt 1: 200/ }).click()
  await page.getByRole('dialog', { name: /^receipt\.read/ }).waitFor()
  await shown.getByText('Your endpoint received it in full.').waitFor()
  await shown.getByText(`X-Webhook-ID`).waitFor()
  await shown.getByRole('link', { name: sent.json.message_id }).click()
  await shown.getByText('Timeline').waitFor()
  await shown.getByRole('link', { name: /^Support/ }).click()
  await page.getByRole('dialog', { name: 'Support' }).waitFor()

  // The phone replies. The receiver gets the signed event, and the page shows it beside the phone.
  await visit.goTo(`/phone?number=${encodeURIComponent(sessionId)}&chat=15551234567`)
  await page.getByText('Your order is on its way').first().waitFor()
  await page.getByLabel('Message', { exact: true }).fill('When does it arrive?')
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await receiver.until(ledger => ledger.some(({ body }) => body.toString().includes('When does it arrive?')))
  const event = receiver.ledger.find(({ body }) => body.toString().includes('When does it arrive?'))!
  expect(event.signed).toBe(true)
  await page.getByRole('button', { name: /message text.*Delivered/ }).waitFor()

  // The receiver fails: the page shows retries, then a dead letter with its cause and how to fix it.
  receiver.reply = () => ({ status: 503, body: '<script>alert(1)</script>' })
  await page.getByLabel('Message', { exact: true }).fill('Are you there?')
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await page.getByRole('button', { name: /message text.*Dead letter/ }).waitFor()
  await page.getByRole('link', { name: /Deliveries.*dead letters/ }).click()
  await page.getByLabel('Result').selectOption('dead')
  await page.getByRole('link', { name: 'Incoming message' }).first().click()
  const panel = page.getByRole('dialog', { name: 'Incoming message' })
  await panel.getByText('The endpoint failed with 503.').waitFor()
  expect(await panel.getByText(/^Attempt \d/).count()).toBe(4)
  // Equal responses are shown once, with the time of each attempt below them.
  await panel.getByText('Attempts 1 to 4: The endpoint failed with 503').waitFor()
  expect(await panel.getByText('<script>alert(1)</script>').count()).toBe(1)
  await panel.getByText('Your endpoint was reached and refused it.').waitFor()
  expect(await panel.getByText('Are you there?').count()).toBe(0)

  // The receiver works again: the user replays all dead letters, and the missed reply arrives.
  receiver.reply = () => 200
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Replay' }).click()
  await page.getByText(/^The gateway sends \d+ deliver(y|ies) again\.$/).waitFor()
  await page.getByRole('button', { name: 'Start the replay' }).click()
  await page.getByText(/^Done: (\d+) of \1 deliveries$/).waitFor()
  await page.getByText(/^[1-9]\d* delivered$/).waitFor()
  await page.getByText('0 pending').waitFor()
  await receiver.until(ledger =>
    ledger.some(({ answer, body }) => answer === 200 && body.toString().includes('Are you there?')),
  )
  await page.getByRole('button', { name: 'Close' }).last().click()

  // All steps are done, so the checklist is hidden.
  await page.getByRole('link', { name: 'Overview' }).click()
  await page.getByText('Numbers connected').waitFor()
  expect(await page.getByText('Get started').count()).toBe(0)
  expect(visit.problems).toEqual([])
})
