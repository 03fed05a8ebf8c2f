import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeEvent } from '../../src/actions/make-event.ts'
import type { Event } from '../../src/domain/event.ts'
import { ask } from '../harness/client.ts'
import { textMessage } from '../harness/delivery.ts'
import { startTestGateway, type TestAccount, type TestGateway } from '../harness/gateway.ts'
import { type Running, runPostern } from '../harness/process.ts'
import { type Receiver, startReceiver } from '../harness/receiver.ts'
import { newPlace, type Place } from '../harness/stores.ts'
import { until } from '../harness/until.ts'

const TRIES = 5

/**
 * This process sends no notification for its commits, as if it died between each commit and its notification; the other
 * listens or not.
 */
describe.each([
  ['on', 'loses each notice'],
  ['off', 'listens to nothing'],
])('A process with POSTERN_LISTEN=%s that %s', listens => {
  let place: Place
  let front: TestGateway
  let back: Running
  let receiver: Receiver
  let account: TestAccount
  let session: { id: string; jid: string }

  beforeAll(async () => {
    place = await newPlace('postgres')
    receiver = await startReceiver()
    front = await startTestGateway(place, { POSTERN_LISTEN: 'off' })
    const roles = { POSTERN_ROLES: 'worker,dispatcher,simulator', POSTERN_PORT: '0', POSTERN_LOG_LEVEL: 'warn' }
    back = runPostern(['start'], { ...place.env, ...roles, POSTERN_LISTEN: listens })
    await until(() => back.stdout().includes('is ready'))
    account = await front.account()
    // On a busy machine the sandbox may take longer than a request waits for it.
    const id = await until(async () => {
      const { json } = await account.ask('POST', '/v1/sessions', { platform: 'sandbox' })
      return json.id as string | undefined
    })
    session = { id, jid: id.replace(/:\d+@/, '@') }
    const url = receiver.url()
    const made = await account.ask('POST', '/v1/webhooks', { session_id: id, messages_url: url, status_url: url })
    expect(made.status, made.text).toBe(201)
  })
  afterAll(async () => {
    await front.stop()
    back.kill('SIGKILL')
    await back.exited
    await receiver.close()
    place.remove()
  })

  const isPublished = (is: (event: Event) => boolean): boolean =>
    receiver.ledger.some(({ body }) => is(JSON.parse(body.toString()) as Event))
  async function eachDone(work: () => Promise<() => boolean | Promise<boolean>>): Promise<void> {
    for (let i = 0; i < TRIES; i++) await until(await work())
  }

  it('sends accepted messages', async () => {
    await eachDone(async () => {
      const body = { session_id: session.id, to: '15551234567', text: 'hi' }
      const { status, json } = await account.ask('POST', '/v1/messages', body)
      expect(status).toBe(202)
      return async () => (await front.store.messages.getMessage(json.message_id))!.state !== 'queued'
    })
  })

  it('delivers what another process has committed', async () => {
    await eachDone(async () => {
      const event = makeEvent(front.context, account.id, textMessage(session.jid))
      await front.store.events.publishEvent(event)
      return () => receiver.ledger.some(entry => entry.body.toString().includes(event.dedupeId))
    })
  })

  it('answers requests to a number', async () => {
    for (let i = 0; i < TRIES; i++) {
      const body = { chat_jid: '15551234567', typing: true }
      const { status, text } = await account.ask('POST', `/v1/sessions/${session.id}/typing`, body)
      expect(status, text).toBeLessThan(300)
    }
    expect(isPublished(({ kind }) => kind === 'status')).toBe(true)
  })

  it('rejects a key that was revoked on another node', async () => {
    const other = await startTestGateway(place, { POSTERN_LISTEN: listens })
    const { json } = await account.ask('POST', '/v1/keys', { label: 'x' })
    await until(async () => (await ask(other.url, 'GET', '/v1/me', { key: json.key })).status === 200)
    await account.ask('DELETE', `/v1/keys/${json.id}`)
    await until(async () => (await ask(other.url, 'GET', '/v1/me', { key: json.key })).status === 401)
    await other.stop()
  })
})
