import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Event, StatusEvent } from '../../src/domain/event.ts'
import type { Store } from '../../src/store/store.ts'
import { ask } from '../harness/client.ts'
import { OPERATOR_TOKEN } from '../harness/gateway.ts'
import { type GatewayProcess, type Running, runPostern, startProcess } from '../harness/process.ts'
import { type Receiver, startReceiver } from '../harness/receiver.ts'
import { newPlace, openStore, type Place } from '../harness/stores.ts'
import { until } from '../harness/until.ts'

const TTL_MS = 3_000
const NUMBERS = 4
const SETTINGS = { POSTERN_LEASE_TTL: `${TTL_MS}ms`, POSTERN_DISCONNECT_GRACE: '10s', POSTERN_LOG_LEVEL: 'warn' }

describe('Two worker processes on PostgreSQL with real sandbox numbers', () => {
  let place: Place
  let store: Store
  let front: GatewayProcess
  let receiver: Receiver
  let key: string
  const workers: Running[] = []
  const sessions: string[] = []

  const post = async (path: string, body: unknown, status = 201) => {
    const answer = await ask(front.url, 'POST', path, { key, body })
    if (answer.status !== status) throw new Error(`${path}: ${answer.status} ${answer.text}`)
    return answer.json
  }
  const startWorker = async (): Promise<Running> => {
    const worker = runPostern(['start'], { ...place.env, ...SETTINGS, POSTERN_ROLES: 'worker', POSTERN_PORT: '0' })
    workers.push(worker)
    await until(() => worker.stdout().includes('is ready'))
    return worker
  }
  /** The host of each session. */
  const owners = async (): Promise<string[]> =>
    (await store.leases.listLeases('session'))
      .filter(lease => lease.expiresAt > Date.now())
      .map(lease => lease.owner ?? '')
  const spread = async (): Promise<boolean> => {
    const held = await owners()
    return held.length === NUMBERS && new Set(held).size === 2 && (await allConnected())
  }
  const allConnected = async (): Promise<boolean> => {
    const found = await Promise.all(sessions.map(id => store.sessions.getSession(id)))
    return found.every(session => session?.hosted === true && session.state === 'connected')
  }
  const events = (): Event[] => receiver.ledger.map(entry => JSON.parse(entry.body.toString()) as Event)
  const sentIds = (): string[] =>
    events()
      .filter((event): event is StatusEvent => event.kind === 'status' && event.status === 'sent')
      .map(event => event.message_id)

  beforeEach(async () => {
    place = await newPlace('postgres')
    receiver = await startReceiver()
    front = await startProcess(place, { ...SETTINGS, POSTERN_ROLES: 'api,dispatcher,simulator' })
    store = await openStore(place)
    const account = { name: 'test', plan: 'max', accept_tos: true, limits: { messages_per_second: null } }
    const made = await ask(front.url, 'POST', '/operator/accounts', { key: OPERATOR_TOKEN, body: account })
    key = made.json.api_key.key
    await startWorker()
    for (let i = 0; i < NUMBERS; i++) {
      const { id } = await post('/v1/sessions', { platform: 'sandbox' })
      sessions.push(id.replace(/:\d+@/, '@'))
      const url = receiver.url()
      const urls = { messages_url: url, status_url: url, connection_url: url, events_url: url }
      await post('/v1/webhooks', { session_id: id, ...urls })
    }
    await startWorker()
    await until(spread)
  })

  afterEach(async () => {
    for (const process of [...workers.splice(0), front]) {
      process.kill('SIGCONT')
      process.kill('SIGKILL')
      await process.exited
    }
    sessions.splice(0)
    await store.close()
    await receiver.close()
    place.remove()
  })

  /** Sends messages of every number to three contacts; returns their ids in the order of each (number, contact). */
  async function sendSome(prefix: string, each: number): Promise<string[]> {
    const ids: string[] = []
    for (let i = 0; i < each; i++) {
      for (const session_id of sessions) {
        const to = `1555000${1000 + (i % 3)}`
        ids.push((await post('/v1/messages', { session_id, to, text: `${prefix} ${i}` }, 202)).message_id)
      }
    }
    return ids
  }

  /** The messages of a number on the contacts' phones, oldest first. */
  async function held(sessionId: string): Promise<Array<{ text: string; contact: string }>> {
    const path = `/sandbox/sessions/${encodeURIComponent(sessionId)}/messages?limit=100`
    const answer = await ask(front.url, 'GET', path, { key })
    return answer.json.data.filter((message: { from_me: boolean }) => !message.from_me).reverse()
  }

  async function expectAllOnceAndInOrder(ids: string[], each: number): Promise<void> {
    await until(() => ids.every(id => sentIds().includes(id)))
    expect(new Set(sentIds()).size).toBe(sentIds().length)
    for (const session of sessions) {
      const messages = await held(session)
      expect(messages).toHaveLength(each)
      for (const contact of new Set(messages.map(message => message.contact))) {
        const numbers = messages
          .filter(message => message.contact === contact)
          .map(({ text }) => Number(text.split(' ')[1]))
        expect(numbers).toEqual([...numbers].sort((a, b) => a - b))
      }
    }
    expect(events().filter(event => event.kind === 'connection')).toHaveLength(0)
  }

  it('lose and duplicate nothing when one is killed with kill -9: its numbers are connected on the other', async () => {
    const victim = workers[0]!
    const sending = sendSome('kill', 12)
    await until(() => sentIds().length > 4)
    const before = new Set(await owners())
    victim.kill('SIGKILL')
    await victim.exited
    await until(async () => new Set(await owners()).size === 1 && (await owners()).length === NUMBERS)
    await until(allConnected)
    expect(before.size).toBe(2)
    await expectAllOnceAndInOrder(await sending, 12)
  })

  it('are fenced: one that was stopped and wakes up writes and sends nothing more', async () => {
    const victim = workers[0]!
    const sending = sendSome('stop', 12)
    await until(() => sentIds().length > 4)
    victim.kill('SIGSTOP')
    await until(async () => new Set(await owners()).size === 1 && (await owners()).length === NUMBERS)
    await until(allConnected)
    const leases = async () => new Map((await store.leases.listLeases('session')).map(lease => [lease.id, lease]))
    const taken = await leases()
    victim.kill('SIGCONT')
    const ids = await sending
    await expectAllOnceAndInOrder(ids, 12)
    // It is healthy again and takes its share; the other kept its own sessions throughout.
    await until(spread)
    const kept = [...(await leases()).values()].filter(({ id, owner }) => owner === taken.get(id)?.owner)
    expect(kept.length).toBeGreaterThan(0)
    expect(kept.map(({ epoch }) => epoch)).toEqual(kept.map(({ id }) => taken.get(id)!.epoch))
  })

  it('hand the numbers over on SIGTERM, without an event', async () => {
    const leaving = workers[0]!
    const sending = sendSome('term', 8)
    await until(() => sentIds().length > 4)
    leaving.kill('SIGTERM')
    await until(async () => new Set(await owners()).size === 1 && (await owners()).length === NUMBERS)
    await until(allConnected)
    expect(await leaving.exited).toMatchObject({ code: 0 })
    await expectAllOnceAndInOrder(await sending, 8)
  })
})
