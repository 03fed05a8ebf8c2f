import { describe, expect, it } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { startGateway } from '../../src/gateway.ts'
import { makeEvent } from '../../src/actions/make-event.ts'
import { expectError } from '../harness/client.ts'
import { textMessage } from '../harness/delivery.ts'
import { onAnyStore, startTestGateway, type TestAccount, type TestGateway } from '../harness/gateway.ts'
import { startReceiver } from '../harness/receiver.ts'
import { newPlace } from '../harness/stores.ts'
import { until } from '../harness/until.ts'

/** An operator who allows every target still does not allow the gateway itself. */
const EVERYTHING = { POSTERN_ALLOWED_TARGETS: '0.0.0.0/0,::/0' }
const DELIVERING = { ...EVERYTHING, POSTERN_ROLES: 'api,dispatcher', POSTERN_RETRY_DELAYS: '20ms,20ms,20ms' }
const OURS = /must not point to this gateway$/

/** Forms of this machine's address that need no name; `::127.0.0.1` and similar ones are unreachable. */
const WRITTEN = ['127.0.0.1', '127.1', '2130706433', '127.9.8.7', '0.0.0.0', '[::1]', '[::]', '[::ffff:127.0.0.1]']

const portOf = (url: string): number => Number(new URL(url).port)

async function hook(gateway: TestGateway, account: TestAccount, url: string) {
  const session = await gateway.session(account)
  return await account.ask('POST', '/v1/webhooks', { session_id: session.id, messages_url: url })
}

const requestsTo = async (gateway: Pick<TestGateway, 'context'>, route: string): Promise<number> => {
  const { values } = await gateway.context.metrics.requests.get()
  return values.filter(({ labels }) => labels.route === route).reduce((sum, { value }) => sum + value, 0)
}

describe('The address that the gateway actually listens on', () => {
  onAnyStore(gateway => {
    it.each(WRITTEN)(
      'is rejected as webhook and media URL, written as %s, whatever targets are allowed',
      async host => {
        const account = await gateway().account()
        const url = `http://${host}:${portOf(gateway().url)}/healthz`
        expectError(await hook(gateway(), account, url), 400, OURS)
        const session = await gateway().session(account)
        const media = { session_id: session.id, to: '15550001111', media_type: 'document', media_url: url }
        expectError(await account.ask('POST', '/v1/messages', media), 400, OURS)
      },
    )

    it('is also rejected when it is dialled under a name, by the test tool and by deliveries', async () => {
      const account = await gateway().account()
      const created = await hook(gateway(), account, `http://localhost:${portOf(gateway().url)}/healthz`)
      expect(created.status).toBe(201)
      const before = await requestsTo(gateway(), '/healthz')
      const tested = await account.ask('POST', `/v1/webhooks/${created.json.id}/test`, {})
      expect(tested.json.data).toMatchObject([{ http_status: null, error: expect.stringMatching(/not allowed/) }])
      const event = makeEvent(gateway().context, account.id, textMessage(created.json.session_id))
      await gateway().store.events.publishEvent(event)
      const [letter] = await until(async () => {
        const { json } = await account.ask('GET', '/v1/deliveries?status=dead')
        return json.data.length === 1 && json.data
      })
      expect(letter.attempts).toMatchObject(Array.from({ length: 4 }, () => ({ error: 'address_not_allowed' })))
      expect(await requestsTo(gateway(), '/healthz')).toBe(before)
    })

    it('is distinguished from other programs of the same machine by its port', async () => {
      const receiver = await startReceiver()
      const account = await gateway().account()
      const created = await hook(gateway(), account, receiver.url())
      expect(created.status).toBe(201)
      const tested = await account.ask('POST', `/v1/webhooks/${created.json.id}/test`, {})
      expect(tested.json.data).toMatchObject([{ http_status: 200 }])
      await receiver.close()
    })
  }, DELIVERING)
})

describe('The other addresses of the gateway', () => {
  it('include the database, which is not allowed as a target on any port', async () => {
    const gateway = await startTestGateway('postgres', EVERYTHING)
    const database = new URL(gateway.place.databaseUrl!)
    const account = await gateway.account()
    const url = `http://127.0.0.1:${database.port}/`
    expectError(await hook(gateway, account, url), 400, OURS)
    await gateway.stop()
  })

  it('include another node, within seconds of its start and until it has stopped', async () => {
    const place = await newPlace('postgres')
    const gateway = await startTestGateway(place, EVERYTHING)
    const env = { ...place.env, POSTERN_PORT: '0', POSTERN_ROLES: 'api', POSTERN_LOG_LEVEL: 'silent' }
    const other = await startGateway(readConfig(env))
    const account = await gateway.account()
    const url = `http://127.0.0.1:${portOf(other.localUrl!)}/`
    await until(async () => OURS.test((await hook(gateway, account, url)).json.error))
    await other.stop()
    await until(async () => (await hook(gateway, account, url)).status === 201)
    await gateway.stop()
    place.remove()
  })

  it('include every address of a node that listens on all of them', async () => {
    const place = await newPlace('postgres')
    const gateway = await startTestGateway(place, EVERYTHING)
    const env = { ...place.env, POSTERN_PORT: '0', POSTERN_ROLES: 'api', POSTERN_LOG_LEVEL: 'silent' }
    const other = await startGateway(readConfig({ ...env, POSTERN_HOST: '0.0.0.0' }))
    const port = portOf(other.localUrl!)
    const known = () => gateway.context.endpoints.all().filter(endpoint => endpoint.port === port)
    await until(() => known().length > 0)
    expect(known().map(({ address }) => address)).toContain('127.0.0.1')
    expect(known().map(({ address }) => address)).not.toContain('0.0.0.0')
    const account = await gateway.account()
    for (const { address } of known()) {
      const host = address.includes(':') ? `[${address}]` : address
      expectError(await hook(gateway, account, `http://${host}:${port}/`), 400, OURS)
    }
    await other.stop()
    await gateway.stop()
    place.remove()
  })

  it('include the sandbox network, and neither media nor previews nor webhooks reach them', async () => {
    const gateway = await startTestGateway('sqlite', {
      ...EVERYTHING,
      POSTERN_ROLES: 'api,worker,dispatcher,simulator',
      POSTERN_RETRY_DELAYS: '20ms,20ms,20ms',
    })
    const account = await gateway.account()
    const created = await account.ask('POST', '/v1/sessions', { platform: 'sandbox' })
    expect(created.status).toBe(201)
    const sessionId = created.json.id as string
    const ports = () => new Set(gateway.context.endpoints.all().map(({ port }) => port))
    await until(() => ports().size >= 3)
    for (const port of ports()) {
      const media = { session_id: sessionId, to: '15550001111', media_type: 'document' }
      const sent = { ...media, media_url: `http://127.0.0.1:${port}/` }
      expectError(await account.ask('POST', '/v1/messages', sent), 400, OURS)
    }
    await until(async () => {
      const { json } = await account.ask('GET', `/v1/sessions/${encodeURIComponent(sessionId)}`)
      return json.state === 'connected'
    })
    // The worker checks a name when it connects.
    const own = `http://localhost:${portOf(gateway.url)}/healthz`
    const before = await requestsTo(gateway, '/healthz')
    const media = { media_type: 'document', media_url: own, text: 'x' }
    const contact = '15550100100'
    const failing = await account.ask('POST', '/v1/messages', { session_id: sessionId, to: contact, ...media })
    expect(failing.status).toBe(202)
    const plain = { session_id: sessionId, to: contact, text: `look at ${own}`, link_preview: true }
    const previewed = await account.ask('POST', '/v1/messages', plain)
    expect(previewed).toMatchObject({ status: 202 })
    const stateOf = async (id: string) => (await account.ask('GET', `/v1/messages/${id}`)).json
    const failed = await until(async () => {
      const message = await stateOf(failing.json.message_id)
      return ['failed', 'sent', 'delivered', 'read'].includes(message.state) && message
    })
    expect(failed).toMatchObject({ state: 'failed', reason: 'MEDIA_FAILED' })
    await until(async () => /sent|delivered|read/.test((await stateOf(previewed.json.message_id)).state))
    expect(await requestsTo(gateway, '/healthz')).toBe(before)
    await gateway.stop()
  })
})
