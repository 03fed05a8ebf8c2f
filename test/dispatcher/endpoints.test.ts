import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeEvent } from '../../src/actions/make-event.ts'
import { makeEndpointSecret, NOTICE_AFTER_MS, SWITCH_OFF_AFTER_MS } from '../../src/domain/endpoint.ts'
import type { EndpointEvent } from '../../src/domain/event.ts'
import { makeId } from '../../src/domain/ids.ts'
import { aboutEndpoint } from '../../src/domain/sealed.ts'
import { systemClock } from '../../src/runtime/clock.ts'
import type { EndpointSettings } from '../../src/store/endpoints/endpoints.ts'
import { type DeliveryBed, openDelivery, textMessage } from '../harness/delivery.ts'
import { type Received, type Receiver, startReceiver } from '../harness/receiver.ts'
import { newPlace, ONE_STORE } from '../harness/stores.ts'
import { until } from '../harness/until.ts'

/** The system's time, moved ahead and never the same twice; waits take as long as they say. */
function aheadClock() {
  let aheadMs = 0
  let last = 0
  return {
    ...systemClock,
    now: () => new Date((last = Math.max(last + 1, Date.now() + aheadMs))),
    pass: (ms: number) => void (aheadMs += ms),
  }
}

describe.each(ONE_STORE)('The endpoints of an account on %s', kind => {
  let bed: DeliveryBed
  let receiver: Receiver
  const clock = aheadClock()

  beforeAll(async () => {
    receiver = await startReceiver()
    bed = await openDelivery({ POSTERN_RETRY_DELAYS: '100ms,200ms,300ms', ...(await newPlace(kind)).env })
    bed.startDispatcher({ clock })
  })
  afterAll(async () => {
    await bed.close()
    await receiver.close()
  })

  const addEndpoint = async (accountId: string, path: string, more: Partial<EndpointSettings> = {}) => {
    const id = makeId('ep')
    await bed.context.store.endpoints.createEndpoint({
      id,
      accountId,
      url: receiver.url(path),
      keepHours: null,
      description: '',
      kinds: null,
      sessionIds: null,
      direction: null,
      include: [],
      headers: { names: [], sealed: null },
      signature: 'postern',
      retry: 'eager',
      reply: false,
      active: true,
      sealedSecret: bed.context.seal.seal(makeEndpointSecret(), aboutEndpoint(id)),
      ...more,
    })
    return id
  }
  const at = (path: string): Received[] => receiver.ledger.filter(each => each.path === path)
  const taken = (path: string) => at(path).filter(({ answer }) => answer === 200)
  const number = (n: number) => `1555${n}@s.whatsapp.net`
  const textsOf = (ledger: Received[]) =>
    ledger.map(({ body }) => (JSON.parse(body.toString()) as { text: string }).text)

  /** The messages of a number in the order in which their successful attempts began. */
  const deliveredIds = async (accountId: string, sessionId: string): Promise<string[]> => {
    const asked = { accountId, sessionIds: null, sessionId, limit: 500, cursor: null }
    const listed = async () => (await bed.context.store.deliveries.listDeliveries(asked)).data
    await until(async () => (await listed()).every(({ status }) => status === 'delivered'))
    return (await listed())
      .sort((a, b) => a.attempts.at(-1)!.atMs - b.attempts.at(-1)!.atMs)
      .map(({ dedupeId }) => dedupeId)
  }

  test('get the extra fields that they include, after the same bytes that a webhook gets', async () => {
    receiver.reply = () => 200
    for (const size of [10, 20_000]) {
      const paths = { hook: `/hook-${size}`, plain: `/plain-${size}`, context: `/context-${size}` }
      const webhook = await bed.addWebhook(receiver.url(paths.hook))
      await addEndpoint(webhook.accountId, paths.plain, { include: ['own'] })
      await addEndpoint(webhook.accountId, paths.context, { include: ['context'] })
      const event = textMessage(webhook.sessionId, 'x'.repeat(size))
      const extras = { context: { forwarded: true, mentions: ['15550001111@s.whatsapp.net'] } }
      await bed.context.store.events.publishEvent(makeEvent(bed.context, webhook.accountId, event, { extras }))
      await receiver.until(() => Object.values(paths).every(path => at(path).length === 1))
      const sent = JSON.stringify(event)
      expect(at(paths.hook)[0]!.body.toString()).toBe(sent)
      expect(at(paths.plain)[0]!.body.toString()).toBe(sent)
      expect(JSON.parse(at(paths.context)[0]!.body.toString())).toEqual({ ...event, ...extras.context })
      expect(at(paths.context)[0]!.body.toString().startsWith(sent.slice(0, -1))).toBe(true)
      const history = await bed.context.store.deliveries.listDeliveries({
        accountId: webhook.accountId,
        sessionIds: null,
        limit: 10,
        cursor: null,
      })
      const shown = history.data.map(({ redacted }) => JSON.parse(redacted) as Record<string, unknown>)
      expect(shown.filter(payload => 'forwarded' in payload)).toEqual([
        expect.objectContaining({ forwarded: true, mentions: extras.context.mentions }),
      ])
    }
  })

  test('get an event that requires a word only if they include it, and no webhook gets it', async () => {
    receiver.reply = () => 200
    const webhook = await bed.addWebhook(receiver.url('/never'))
    await addEndpoint(webhook.accountId, '/without')
    await addEndpoint(webhook.accountId, '/with-own', { include: ['own'] })
    const own = makeEvent(bed.context, webhook.accountId, textMessage(webhook.sessionId, 'mine'), { requires: 'own' })
    await bed.context.store.events.publishEvent(own)
    await bed.publish(webhook, textMessage(webhook.sessionId, 'theirs'))
    await receiver.until(() => at('/with-own').length === 2 && at('/without').length === 1 && at('/never').length === 1)
    expect(textsOf(at('/with-own')).sort()).toEqual(['mine', 'theirs'])
    expect([...textsOf(at('/without')), ...textsOf(at('/never'))]).toEqual(['theirs', 'theirs'])
  })

  test.each([
    ['is unreachable', 503 as const],
    ['resets connections', 'reset' as const],
  ])('get everything that waits, in order, once the URL answers again that %s', async (name, failure) => {
    const path = `/outage-${name.replaceAll(' ', '-')}`
    const accountId = await bed.addAccount()
    await addEndpoint(accountId, path)
    let isDown = false
    receiver.reply = ({ path: asked }) => (asked === path && isDown ? failure : 200)
    const sent: string[][] = [[], []]
    const publish = async (from: number, to: number) => {
      for (let i = from; i < to; i++) {
        const event = textMessage(number(i % 2), `text ${i}`)
        sent[i % 2]!.push(event.message_id)
        await bed.publish({ accountId }, event)
      }
    }
    await publish(0, 10)
    await receiver.until(() => taken(path).length === 10)
    isDown = true
    await publish(10, 80)
    // More probes than the ladder has attempts.
    await receiver.until(() => at(path).length >= 10 + 12)
    const probes = new Set(textsOf(at(path).slice(10)))
    expect(probes.size).toBeLessThan(40)
    isDown = false
    await receiver.until(() => taken(path).length === 80)
    for (const session of [0, 1]) expect(await deliveredIds(accountId, number(session))).toEqual(sent[session])
  })

  test('are not blocked by an event that their URL always rejects, which becomes a dead letter', async () => {
    const accountId = await bed.addAccount()
    await addEndpoint(accountId, '/poison')
    receiver.reply = ({ body }) => (body.includes('poison') ? 500 : 200)
    await bed.publish({ accountId }, textMessage(number(1), 'poison'))
    for (let i = 0; i < 5; i++) await bed.publish({ accountId }, textMessage(number(1), `fine ${i}`))
    await receiver.until(() => taken('/poison').length === 5)
    const asked = { accountId, sessionIds: null, limit: 10, cursor: null, status: 'dead' as const }
    await until(async () => (await bed.context.store.deliveries.listDeliveries(asked)).data.length === 1)
    const [letter] = (await bed.context.store.deliveries.listDeliveries(asked)).data
    expect(letter).toMatchObject({ reason: 'attempts_exhausted' })
    expect(letter!.attempts.filter(({ probe }) => !probe)).toHaveLength(4)
  })

  test('get an event when another one has failed for an hour, recovers, or is switched off after days', async () => {
    const accountId = await bed.addAccount()
    const id = await addEndpoint(accountId, '/failing')
    await addEndpoint(accountId, '/notices', { kinds: ['endpoint'] })
    let isDown = true
    receiver.reply = ({ path }) => (path === '/failing' && isDown ? 503 : 200)
    const notices = () => at('/notices').map(({ body }) => JSON.parse(body.toString()) as EndpointEvent)
    const known = async () => (await bed.context.store.endpoints.getEndpoint(id))!
    await bed.publish({ accountId }, textMessage(number(1), 'one'))
    await receiver.until(() => at('/failing').length >= 2)
    clock.pass(60_000)
    await until(async () => (await known()).failingSince !== null)
    expect(notices()).toEqual([])
    clock.pass(NOTICE_AFTER_MS)
    await receiver.until(() => notices().length === 1)
    isDown = false
    await receiver.until(() => notices().length === 2)
    expect((await known()).failingSince).toBeNull()
    isDown = true
    await bed.publish({ accountId }, textMessage(number(1), 'two'))
    const asked = at('/failing').length
    await receiver.until(() => at('/failing').length >= asked + 2)
    clock.pass(60_000)
    await until(async () => (await known()).failingSince !== null)
    clock.pass(SWITCH_OFF_AFTER_MS)
    await until(async () => !(await known()).active)
    expect((await known()).switchedOffAt).not.toBeNull()
    await receiver.until(() => notices().length === 3)
    expect(notices()).toEqual(
      ['failing', 'recovered', 'switched_off'].map(event =>
        expect.objectContaining({ kind: 'endpoint', endpoint_id: id, event }),
      ),
    )
    expect(notices()[0]).toMatchObject({ last_status: 503, last_error: 'http_5xx' })
    const dead = { accountId, sessionIds: null, limit: 10, cursor: null, status: 'dead' as const }
    await until(async () => (await bed.context.store.deliveries.listDeliveries(dead)).data.length === 1)
    expect((await bed.context.store.deliveries.listDeliveries(dead)).data[0]!.reason).toBe('endpoint_inactive')
  })
})
