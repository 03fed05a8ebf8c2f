import { type Simulator, startSimulator } from '../harness/simulator.ts'
import type { Phone } from '@postern/simulator/phone/phone'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '../../src/runtime/clock.ts'
import { createTargetPolicy, parseRanges } from '../../src/net/address-guard.ts'
import { createOutbound } from '../../src/net/outbound.ts'
import type { Platform } from '../../src/platform/platform.ts'
import { createWhatsApp } from '../../src/platform/whatsapp/whatsapp.ts'
import { type HostingBed, openHosting } from '../harness/hosting.ts'
import { storeWith } from '../harness/store-with.ts'
import type { StoreKind } from '../harness/stores.ts'
import { linkNumber, type StackNumber } from '../harness/whatsapp-stack.ts'
import { takeSession } from '../harness/leases.ts'

/** Messages that the library never finishes: the worker and the store abandon them. */

let simulator: Simulator
let platform: Platform
const outbound = createOutbound(
  createTargetPolicy({ clock: systemClock, requireHttps: false, allowedRanges: parseRanges(['127.0.0.0/8']) }),
  { clock: systemClock, timeoutMs: 1_000 },
)

beforeAll(async () => {
  simulator = await startSimulator({ historySync: false, timing: { readDelayMs: Infinity } })
  platform = await createWhatsApp({
    clock: systemClock,
    network: {
      kind: 'sandbox',
      url: simulator.url,
      rootKey: simulator.rootKey,
      mediaCa: simulator.mediaCa,
      mediaHost: simulator.mediaHost,
    },
    download: outbound.download,
    ackTimeoutMs: 2_000,
    stanzaTimeoutMs: 2_500,
    backoff: { lost: [20, 100], replaced: [100, 400] },
  })
})
afterAll(async () => {
  await simulator.close()
  await outbound.close()
})

/**
 * A store whose workers hang when the library reads the keys of this person, as it does for each message; with the
 * count of attempts at each start of the message.
 */
function hangingOn(bed: HostingBed, phone: Phone, messageId: string) {
  const names = [phone.digits, phone.lid.split('@')[0]!]
  const begins: number[] = []
  let hangs = false
  const readDeviceKeys: HostingBed['store']['devices']['readDeviceKeys'] = input => {
    if (input.category !== 'session' || !input.ids.some(id => names.some(name => id.includes(name))))
      return bed.store.devices.readDeviceKeys(input)
    hangs = true
    return new Promise(() => {})
  }
  const recordMessageTries: HostingBed['store']['inbox']['recordMessageTries'] = async input => {
    const outcome = await bed.store.inbox.recordMessageTries(input)
    begins.push(...input.tries.filter(({ key }) => key.endsWith(messageId)).map(({ tries }) => tries))
    return outcome
  }
  const store = storeWith(bed.store, {
    devices: { readDeviceKeys },
    inbox: { recordMessageTries },
  }) as HostingBed['store']
  return { store, begins, hangs: () => hangs }
}

const unacknowledged = ({ jid }: StackNumber) =>
  simulator.numbers().find(one => one.jid === jid)!.devices[0]!.unacknowledged

describe.each<[StoreKind, string]>([
  ['sqlite', '999520000001'],
  ['postgres', '999520000002'],
])('A message that never finishes on %s', (kind, digits) => {
  let bed: HostingBed

  beforeAll(async () => {
    bed = await openHosting(kind, { POSTERN_LEASE_TTL: '20s', POSTERN_DISCONNECT_GRACE: '20s' })
  })
  afterAll(() => bed.close())

  test('is attempted once with others and three times alone, through restarts of the worker, then stored encrypted and confirmed', async () => {
    // The library has one queue per person for all numbers of a thread: the hanging person is no contact of other
    // numbers.
    const eve = simulator.phone(`55${digits}`)
    const bob = simulator.phone('5511940000002')
    let worker = bed.startWorker({}, platform)
    const number = await linkNumber(bed, simulator, digits)
    for (const phone of [eve, bob]) {
      const { id } = await phone.sendTo(number.jid, { type: 'text', text: 'before' })
      await number.next('message', event => event.message_id === id)
    }
    await worker.stop()

    const hanging = await eve.sendTo(number.jid, { type: 'text', text: 'hangs' })
    const innocent = await bob.sendTo(number.jid, { type: 'text', text: 'innocent' })
    const tries = async (): Promise<number> => {
      const rows = await bed.query<{ tries: number }>(
        `select tries from unfinished_messages where key like '%${hanging.id}'`,
      )
      return Number(rows[0]?.tries ?? 0)
    }
    const { store, begins, hangs } = hangingOn(bed, eve, hanging.id)
    for (const times of [1, 2, 3]) {
      worker = bed.startWorker({ store }, platform)
      await number.until(() => hangs() && begins.length >= times)
      await worker.stop()
      expect(await tries()).toBe(times)
    }
    worker = bed.startWorker({ store }, platform)
    await number.next('message', event => event.message_id === innocent.id)
    await number.until(() => unacknowledged(number) === 0)
    expect(begins).toEqual([1, 2, 3, 4])

    const [row] = await bed.query<{ reason: string; sealed: Uint8Array | null }>(
      `select reason, sealed from inbox where session_id = '${number.jid}' and key like '%${hanging.id}'`,
    )
    expect(row!.reason).toBe('poison')
    expect(row!.sealed!.length).toBeGreaterThan(0)
    expect(Buffer.from(row!.sealed!).includes(hanging.id)).toBe(false)
    expect(await bed.query('select * from unfinished_messages')).toEqual([])
    expect(await number.dropped('poison')).toBeGreaterThan(0)
    expect(await bed.store.inbox.readPoison()).toMatchObject({ total: 1, numbers: [{ sessionId: number.jid, n: 1 }] })
    expect(number.events.filter(event => event.kind === 'message' && event.message_id === hanging.id)).toEqual([])
    await worker.stop()
  })

  test('has its attempts counted only by the lease owner', async () => {
    const { sessionId } = await bed.addNumber()
    const lease = await takeSession(bed.store, sessionId)
    const record = (counts: Record<string, number>, epoch = lease!.epoch) =>
      bed.store.inbox.recordMessageTries({
        lease: { ...lease!, epoch },
        tries: Object.entries(counts).map(([key, tries]) => ({ key, tries })),
      })
    expect(await record({ 'm/a': 1, 'm/b': 1 })).toBe('done')
    expect(await record({ 'm/a': 2 })).toBe('done')
    expect(await record({ 'm/a': 3 }, 99)).toBe('lost')
    const sorted = async () =>
      (await bed.store.inbox.readMessageTries(sessionId)).sort((a, b) => a.key.localeCompare(b.key))
    expect(await sorted()).toEqual([
      { key: 'm/a', tries: 2 },
      { key: 'm/b', tries: 1 },
    ])
    expect(await record({ 'm/a': 1, 'm/b': 0 })).toBe('done')
    expect(await sorted()).toEqual([{ key: 'm/a', tries: 1 }])
    const change = { creds: null, keys: [], inbox: [], sent: [] }
    await bed.store.devices.commitDeviceState({ lease: lease!, ...change, finished: ['m/a'] })
    expect(await sorted()).toEqual([])
  })

  test('has its attempts reset for its own number only, even if several numbers are written together', async () => {
    const numbers = await Promise.all([bed.addNumber(), bed.addNumber(), bed.addNumber()])
    const leases = await Promise.all(
      numbers.map(async ({ sessionId }) => {
        const lease = await takeSession(bed.store, sessionId)
        const tries = ['m/a', 'm/b', 'm/c'].map(key => ({ key, tries: 1 }))
        await bed.store.inbox.recordMessageTries({ lease: lease!, tries })
        return lease!
      }),
    )
    const change = { creds: null, keys: [], inbox: [], sent: [] }
    const finished = [['m/a'], ['m/b', 'm/c'], []]
    await Promise.all(
      leases.map((lease, i) => bed.store.devices.commitDeviceState({ lease, ...change, finished: finished[i]! })),
    )
    const left = await Promise.all(
      numbers.map(async ({ sessionId }) =>
        (await bed.store.inbox.readMessageTries(sessionId)).map(({ key }) => key).sort(),
      ),
    )
    expect(left).toEqual([['m/b', 'm/c'], ['m/a'], ['m/a', 'm/b', 'm/c']])
  })
})
