import { listenTo } from '../harness/event-stream.ts'
import { describe, expect, it } from 'vitest'
import { makeEvent } from '../../src/actions/make-event.ts'
import { expectError } from '../harness/client.ts'
import { textMessage } from '../harness/delivery.ts'
import { onAnyStore, type TestAccount, type TestGateway } from '../harness/gateway.ts'
import { startReceiver } from '../harness/receiver.ts'
import { until } from '../harness/until.ts'

const env = { POSTERN_ROLES: 'api,dispatcher', POSTERN_RETRY_DELAYS: '30ms,30ms,30ms' }

async function subscribed(gateway: TestGateway, account: TestAccount, url: string) {
  const session = await gateway.session(account)
  const webhook = await account.ask('POST', '/v1/webhooks', { session_id: session.id, messages_url: url })
  const publish = (text: string) =>
    gateway.store.events.publishEvent(makeEvent(gateway.context, account.id, textMessage(session.jid, text)))
  return { session, id: webhook.json.id as string, publish }
}

describe('Delivery history and test tool', () => {
  onAnyStore(gateway => {
    it('GET /v1/deliveries shows attempts and the redacted payload; another account sees 403, an unknown id is 404', async () => {
      const receiver = await startReceiver(() => ({ status: 500, body: 'not today' }))
      const account = await gateway().account()
      const hook = await subscribed(gateway(), account, receiver.url())
      await hook.publish('a secret text')
      await until(async () => (await account.ask('GET', '/v1/deliveries?status=dead')).json.data.length === 1)
      const { json } = await account.ask('GET', `/v1/deliveries?session_id=${encodeURIComponent(hook.session.id)}`)
      expect(json.next_cursor).toBeNull()
      const [entry] = json.data
      expect(entry).toMatchObject({
        webhook_id: hook.id,
        session_id: hook.session.jid,
        event_type: 'incoming_message',
        status: 'dead',
        reason: 'attempts_exhausted',
        code: 500,
        payload: { kind: 'message', text: '[redacted: 13 bytes]' },
      })
      expect(entry.attempts).toHaveLength(4)
      expect(entry.attempts[0]).toEqual({
        attempt: 1,
        time: expect.stringMatching(/Z$/),
        status: 'failed',
        code: 500,
        latency_ms: expect.any(Number),
        error: 'http_5xx',
        url: receiver.url(),
        response_headers: { date: expect.stringMatching(/GMT$/) },
        response_excerpt: 'not today',
      })
      expect((await account.ask('GET', `/v1/deliveries/${entry.id}`)).json).toEqual(entry)
      const other = await gateway().account()
      expectError(await other.ask('GET', `/v1/deliveries/${entry.id}`), 403, 'session does not belong to this tenant')
      expect((await other.ask('POST', `/v1/deliveries/${entry.id}/resend`)).status).toBe(403)
      expect((await account.ask('GET', '/v1/deliveries/dlv_none')).status).toBe(404)
      expect((await other.ask('GET', '/v1/deliveries')).json.data).toEqual([])
      for (const query of ['status=lost', 'event_type=x', 'since=yesterday', 'unknown=1']) {
        expect((await account.ask('GET', `/v1/deliveries?${query}`)).status).toBe(400)
      }
      await receiver.close()
    })

    it('resend answers 202, a replay is a job that can be watched and cancelled, and a test shows what the endpoints answer', async () => {
      let status = 500
      const receiver = await startReceiver(() => status)
      const account = await gateway().account()
      const hook = await subscribed(gateway(), account, receiver.url())
      await hook.publish('one')
      await hook.publish('two')
      await until(async () => (await account.ask('GET', '/v1/deliveries?status=dead')).json.data.length === 2)
      status = 200
      const [entry] = (await account.ask('GET', '/v1/deliveries')).json.data
      const again = await account.ask('POST', `/v1/deliveries/${entry.id}/resend`)
      expect(again.status).toBe(202)
      expect(again.json).toMatchObject({ message_id: entry.message_id, origin: 'resend', event_id: entry.event_id })
      await until(async () => (await account.ask('GET', `/v1/deliveries/${again.json.id}`)).json.status === 'delivered')
      const tooLate = await account.ask('POST', `/v1/deliveries/${entry.id}/resend`)
      expect(tooLate.status).toBe(400)
      expect(tooLate.json.error).toContain('no longer kept')

      const job = await account.ask('POST', `/v1/webhooks/${hook.id}/replay`, {})
      expect(job.status).toBe(202)
      expect(job.json).toMatchObject({ total: 1, webhook_id: hook.id })
      const path = `/v1/webhooks/${hook.id}/replay/${job.json.id}`
      await until(async () => (await account.ask('GET', path)).json.state === 'done')
      expect((await account.ask('DELETE', path)).json.state).toBe('done')
      await until(async () => (await account.ask('GET', '/v1/deliveries?status=delivered')).json.data.length === 2)
      expect((await account.ask('POST', `/v1/webhooks/${hook.id}/replay`, { status: 'delivered' })).status).toBe(400)

      const tested = await account.ask('POST', `/v1/webhooks/${hook.id}/test`, { category: 'messages' })
      expect(tested.json.data).toMatchObject([{ category: 'messages', http_status: 200, url: receiver.url() }])
      expect(tested.json.data[0]).not.toHaveProperty('error_kind')
      await receiver.close()
      const refused = await account.ask('POST', `/v1/webhooks/${hook.id}/test`, { category: 'messages' })
      expect(refused.json.data).toMatchObject([
        { http_status: null, error: 'the connection could not be opened', error_kind: 'refused' },
      ])
    })

    it('give-up answers 202 for a waiting delivery, 400 for a finished one, and 403 to another account', async () => {
      let status = 500
      const receiver = await startReceiver(() => status)
      const account = await gateway().account()
      const hook = await subscribed(gateway(), account, receiver.url())
      await hook.publish('one')
      await until(async () => (await account.ask('GET', '/v1/deliveries?status=dead')).json.data.length === 1)
      const [entry] = (await account.ask('GET', '/v1/deliveries')).json.data
      const deadLetters = async () => (await account.ask('GET', '/v1/me')).json.dead_letters
      expect(await deadLetters()).toBe(1)
      const { id: elsewhere } = await gateway().session(account)
      const { json: limited } = await account.ask('POST', '/v1/keys', { label: 'limited', session_ids: [elsewhere] })
      expect((await gateway().as(account, limited.key).ask('GET', '/v1/me')).json.dead_letters).toBe(0)
      const path = `/v1/deliveries/${entry.id}/give-up`
      expectError(
        await account.ask('POST', path),
        400,
        'this delivery is a dead letter already: it has no retries to stop',
      )
      const other = await gateway().account()
      expectError(await other.ask('POST', path), 403, 'session does not belong to this tenant')
      expect((await account.ask('POST', '/v1/deliveries/dlv_none/give-up')).status).toBe(404)
      status = 200
      const again = await account.ask('POST', `/v1/deliveries/${entry.id}/resend`)
      expect(again.json).toMatchObject({ replay_of: entry.id })
      expect((await account.ask('GET', `/v1/deliveries/${entry.id}`)).json.replayed_as).toBe(again.json.id)
      await until(async () => (await deadLetters()) === 0)
      await receiver.close()
    })

    it('a revoked key receives nothing more, even on a stream that is already open', async () => {
      const account = await gateway().account()
      const created = await account.ask('POST', '/v1/keys', { label: 'tail', scopes: ['read'] })
      const headers = { authorization: `Bearer ${created.json.key}` }
      const stream = await listenTo(gateway().url, '/v1/deliveries/events', headers)
      expect(stream.status).toBe(200)
      await stream.wait('ping')
      expect(stream.ended).toBe(false)
      expect((await account.ask('DELETE', `/v1/keys/${created.json.id}`)).status).toBe(200)
      await until(() => stream.ended)
    })

    it('the live tail shows each change, even if hundreds come at once', async () => {
      const receiver = await startReceiver()
      const account = await gateway().account()
      const hook = await subscribed(gateway(), account, receiver.url())
      const stream = await listenTo(gateway().url, '/v1/deliveries/events', { authorization: `Bearer ${account.key}` })
      await stream.wait('ping')
      await Promise.all(Array.from({ length: 250 }, (_, i) => hook.publish(`change ${i}`)))
      const delivered = () =>
        new Set(stream.of('delivery').flatMap(({ data }) => (data.status === 'delivered' ? [data.id] : [])))
      await until(() => delivered().size === 250)
      stream.close()
      await receiver.close()
    })

    it('a replay is rejected if nothing could be sent, and ends if the webhook is switched off meanwhile', async () => {
      const receiver = await startReceiver(() => 500)
      const account = await gateway().account()
      const hook = await subscribed(gateway(), account, receiver.url())
      await hook.publish('one')
      await until(async () => (await account.ask('GET', '/v1/deliveries?status=dead')).json.data.length === 1)
      await account.ask('PUT', `/v1/webhooks/${hook.id}`, { messages_url: '' })
      expectError(
        await account.ask('POST', `/v1/webhooks/${hook.id}/replay`, {}),
        400,
        'the webhook is not active or has no URL: nothing could be sent',
      )
      expect((await account.ask('GET', '/v1/deliveries?status=dead')).json.data).toHaveLength(1)
      await receiver.close()
    })

    it('the live tail shows a delivery', async () => {
      const receiver = await startReceiver()
      const account = await gateway().account()
      const hook = await subscribed(gateway(), account, receiver.url())
      const leaving = new AbortController()
      const stream = await fetch(`${gateway().url}/v1/deliveries/events`, {
        headers: { authorization: `Bearer ${account.key}` },
        signal: leaving.signal,
      })
      await hook.publish('live')
      let text = ''
      for await (const chunk of stream.body!.pipeThrough(new TextDecoderStream())) {
        text += chunk
        if (text.includes('"status":"delivered"')) break
      }
      leaving.abort()
      expect(text).toContain('event: delivery')
      expect(text).toContain(hook.id)
      await receiver.close()
    })
  }, env)
})
