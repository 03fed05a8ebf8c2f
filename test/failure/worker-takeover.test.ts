import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startPairing } from '../../src/actions/pair-session.ts'
import { systemClock } from '../../src/runtime/clock.ts'
import type { MessageEvent } from '../../src/domain/event.ts'
import { aboutCreds } from '../../src/domain/sealed.ts'
import type { Store } from '../../src/store/store.ts'
import { StoreUnavailable } from '../../src/store/transaction.ts'
import { createFakePlatform, incomingText } from '../harness/fake-platform.ts'
import { type HostedNumber, type HostingBed, openHosting } from '../harness/hosting.ts'
import { ONE_STORE } from '../harness/stores.ts'
import { until } from '../harness/until.ts'

const ADA = '15550001111@s.whatsapp.net'
/** The session of a number that a test links. */
const LINKED = '15557770001@s.whatsapp.net'
/** Heartbeats per lease: a worker that misses this many is dead. */
const BEATS = 5

/** A store whose connection can be cut: `stopped` answers only once it continues, `away` rejects, `live` works. */
function breakable(store: Store) {
  let mode: 'live' | 'stopped' | 'away' = 'live'
  let refused = 0
  let goOn: () => void = () => {}
  let goesOn = Promise.resolve()
  const cuttable = (call: (input: unknown) => unknown) => async (input: unknown) => {
    await goesOn
    if (mode === 'away') {
      refused++
      throw new StoreUnavailable('the database is away')
    }
    return await call(input)
  }
  type Method = (input: unknown) => Promise<unknown>
  const repositories = Object.entries(store).map(([name, repository]) => {
    if (name === 'signals' || typeof repository === 'function') return [name, repository]
    const methods = Object.entries(repository as Record<string, Method>)
    return [name, Object.fromEntries(methods.map(([method, run]) => [method, cuttable(run)]))]
  })
  const broken = Object.fromEntries(repositories) as Store
  return {
    store: broken,
    /** The number of calls while it was unreachable. */
    refused: () => refused,
    set: (next: 'live' | 'stopped' | 'away') => {
      mode = next
      if (next === 'stopped') goesOn = new Promise(resolve => (goOn = resolve))
      else goOn()
    },
  }
}

describe.each(ONE_STORE)('Workers that fail on %s', kind => {
  let bed: HostingBed
  let numbers: HostedNumber[]

  beforeEach(async () => {
    bed = await openHosting(kind)
    numbers = []
    for (let i = 0; i < 6; i++) numbers.push(await bed.addNumber())
  })
  afterEach(() => bed.close())

  /** A worker that can be killed: its connection to the store is cut and it is not awaited. */
  const startMortal = () => {
    const line = breakable(bed.store)
    const worker = bed.startWorker({ store: line.store }, bed.network, { store: line.store })
    return {
      kill: () => {
        line.set('stopped')
        worker.abandon()
      },
    }
  }

  const owners = async (): Promise<Array<string | null>> =>
    (await bed.store.leases.listLeases('session')).map(lease => lease.owner?.split('/')[0] ?? null)
  const allConnected = () => Promise.all(numbers.map(number => bed.connected(number)))
  const counts = async (): Promise<number[]> => {
    const tally = new Map<string | null, number>()
    for (const owner of await owners()) tally.set(owner, (tally.get(owner) ?? 0) + 1)
    return [...tally.values()].sort((a, b) => a - b)
  }

  /** Lets heartbeats pass until the workers share the sessions. */
  const spread = async (workers: number): Promise<void> => {
    await until(async () => (await holders()) === workers)
    await until(async () => {
      const shares = await counts()
      if (shares.length === workers && shares.every(share => share === numbers.length / workers)) return true
      await bed.nextBeat(workers)
      return false
    })
  }
  const holders = async (): Promise<number> =>
    (await bed.query("select id from holders where pool = 'whatsapp'")).length

  /** Lets a lease pass without heartbeats of the dead; the living worker takes their sessions then, and no earlier. */
  const leasePasses = async (dead: Array<string | null>): Promise<void> => {
    await until(async () => (await holders()) === 2)
    for (let beat = 1; beat < BEATS - 1; beat++) await bed.nextBeat(1)
    expect(await owners()).toEqual(dead)
    for (let beat = BEATS - 1; beat <= BEATS; beat++) await bed.nextBeat(1)
    expect(await holders()).toBe(1)
  }

  it('leave sessions spread evenly over the living workers', async () => {
    bed.startWorker()
    await allConnected()
    const second = bed.startWorker()
    await spread(2)
    bed.startWorker()
    await spread(3)
    await allConnected()
    await second.stop()
    await spread(2)
    await allConnected()
    const events = (await Promise.all(numbers.map(number => bed.events(number)))).flat()
    expect(events.filter(event => event.kind === 'connection')).toHaveLength(numbers.length)
  })

  it('are replaced within their lease and not before, without an event, and their messages are sent', async () => {
    const mortal = startMortal()
    await allConnected()
    bed.network.treat(() => 'silent')
    const caught = await bed.send(numbers[0]!, ADA, 'in flight')
    await until(() => bed.network.frames.length === 1)
    mortal.kill()
    bed.network.treat(() => 'ack')
    const dead = await owners()
    bed.startWorker()
    await leasePasses(dead)
    await until(async () => (await owners()).every(owner => owner !== null && !dead.includes(owner)))
    await until(async () => (await bed.stateOf(caught)) === 'sent')
    await until(() => numbers.every(number => bed.network.linkId(number.sessionId) > numbers.length))
    const ids = bed.network.frames.filter(frame => frame.text === 'in flight').map(frame => frame.platformId)
    expect(new Set(ids)).toEqual(new Set([caught.platformId]))
    for (const number of numbers) {
      const events = (await bed.events(number)).filter(event => event.kind === 'connection')
      expect(events).toHaveLength(1)
    }
  })

  it('and wake up after their lease write and send nothing more', async () => {
    const line = breakable(bed.store)
    // It assumes its lease is valid forever, as if it had been stopped between reading the clock and acting.
    const sleeper = createFakePlatform()
    bed.startWorker({ store: line.store, clock: { ...systemClock, monotonicMs: () => 0 } }, sleeper, {
      store: line.store,
    })
    await allConnected()
    const { sessionId } = numbers[0]!
    const old = { link: sleeper.linkId(sessionId), storage: sleeper.storage(sessionId) }
    line.set('stopped')
    const dead = await owners()
    bed.startWorker()
    await leasePasses(dead)
    await until(() => numbers.every(number => bed.network.isOpen(number.sessionId)))
    line.set('live')
    const late = incomingText(sessionId, '15550009999', 'from the past')
    await expect(sleeper.receive(sessionId, late)).rejects.toThrow('lease')
    await expect(old.storage.commit({ creds: Buffer.from('old') })).rejects.toThrow('lease')
    const sent = await bed.send(numbers[0]!, ADA, 'once')
    await until(async () => (await bed.stateOf(sent)) === 'sent')
    // Once it runs again it may get numbers, under a new lease and on a new link.
    expect(bed.network.frames.length + sleeper.frames.length).toBe(1)
    expect(sleeper.frames.filter(frame => frame.link === old.link)).toEqual([])
    expect((await bed.events(numbers[0]!)).some(event => event.kind === 'message')).toBe(false)
    const [row] = await bed.query<{ sealed: Uint8Array }>(
      `select sealed from device_creds where session_id = '${sessionId}'`,
    )
    expect(bed.seal.open(row!.sealed, aboutCreds(sessionId)).toString()).toBe('creds')
  })

  it('leave received items to the next worker, which publishes each once, in order', async () => {
    const mortal = startMortal()
    await allConnected()
    const number = numbers[0]!
    let asked = 0
    const held = new Promise<void>(() => {})
    for (let i = 0; i < 20; i++) {
      bed.network.interpretAs(`left-${i}`, async item => {
        if (++asked <= 4) await held
        return JSON.parse(Buffer.from(item.body).toString())
      })
      const chat = `1555000${String(1000 + (i % 4))}`
      const meaning = incomingText(number.sessionId, chat, `m${i}`)
      await bed.network.receive(number.sessionId, meaning, { key: `left-${i}`, chat })
    }
    await until(() => asked === 4)
    mortal.kill()
    const dead = await owners()
    bed.startWorker()
    await leasePasses(dead)
    const texts = async () =>
      (await bed.events(number)).filter((event): event is MessageEvent => event.kind === 'message')
    await until(async () => (await texts()).length === 20)
    const events = await texts()
    for (let chat = 0; chat < 4; chat++) {
      const ofChat = events.filter(event => event.chat_jid.startsWith(`1555000${1000 + chat}`)).map(event => event.text)
      expect(ofChat).toEqual([0, 1, 2, 3, 4].map(i => `m${i * 4 + chat}`))
    }
  })

  it('are replaced even if they die right after they linked the first number of a network', async () => {
    const first = startMortal()
    await allConnected()
    const { accountId } = numbers[0]!
    await startPairing(bed.context, { accountId, method: 'qr', phone: null, label: '', platform: 'sandbox' })
    await until(() => bed.network.pairings.length === 1)
    bed.network.pairings[0]!.accept('15557770001')
    const owner = async () => (await bed.store.leases.listLeases('session')).find(({ id }) => id === LINKED)?.owner
    const dead = await until(owner)
    first.kill()
    bed.startWorker()
    await until(async () => {
      if (![dead, null].includes((await owner())!)) return true
      await bed.nextBeat(1)
      return false
    })
  })

  /** How many hosts died of an item, or have it in hand. */
  const deathsOf = async (key: string): Promise<number> => {
    const [row] = await bed.query<{ begun_by: string | null }>(`select begun_by from inbox where key = '${key}'`)
    return JSON.parse(row!.begun_by ?? '[]').length
  }

  it('because of the same item each time lead to the item being abandoned', async () => {
    const number = numbers[0]!
    const first = bed.startWorker()
    await allConnected()
    bed.network.interpretAs('deadly', () => new Promise(() => {}))
    await bed.network.receive(number.sessionId, incomingText(number.sessionId, '15550001111', 'x'), { key: 'deadly' })
    await first.stop()
    const reason = async () =>
      (await bed.query<{ reason: string | null }>("select reason from inbox where key = 'deadly'"))[0]!.reason
    // The first may have died of another item in progress.
    for (let i = 1; i <= 4; i++) {
      const line = breakable(bed.store)
      bed.startWorker({ store: line.store }, bed.network, { store: line.store }).abandon()
      await until(async () => (await deathsOf('deadly')) === i)
      line.set('stopped')
      await bed.query('delete from holders returning id')
      await bed.query("update leases set owner = null where kind = 'session' returning id")
    }
    bed.startWorker()
    await until(async () => (await reason()) === 'poison')
  })

  it('because of one item do not prevent the publication of another, however many fail', async () => {
    const number = numbers[0]!
    const first = bed.startWorker()
    await allConnected()
    const chats = { deadly: '15550001111', innocent: '15550002222' }
    bed.network.interpretAs('deadly', () => new Promise(() => {}))
    bed.network.interpretAs('innocent', () => new Promise(() => {}))
    for (const [key, chat] of Object.entries(chats))
      await bed.network.receive(number.sessionId, incomingText(number.sessionId, chat, key), { key, chat })
    await first.stop()
    const dies = async (isReached: () => Promise<boolean>) => {
      const line = breakable(bed.store)
      bed.startWorker({ store: line.store }, bed.network, { store: line.store }).abandon()
      await until(isReached)
      line.set('stopped')
      await bed.query('delete from holders returning id')
      await bed.query("update leases set owner = null where kind = 'session' returning id")
    }
    await dies(async () => (await deathsOf('deadly')) === 1 && (await deathsOf('innocent')) === 1)
    for (let i = 2; i <= 4; i++) await dies(async () => (await deathsOf('deadly')) === i)
    expect(await deathsOf('innocent')).toBe(1)
    bed.network.interpretAs('innocent', async item => JSON.parse(Buffer.from(item.body).toString()))
    bed.startWorker()
    await until(async () => (await bed.events(number)).some(event => event.kind === 'message'))
  })

  it('in an orderly shutdown do not count against an item', async () => {
    const number = numbers[0]!
    const first = bed.startWorker()
    await allConnected()
    bed.network.interpretAs('slow', () => new Promise(() => {}))
    await bed.network.receive(number.sessionId, incomingText(number.sessionId, '15550001111', 'x'), { key: 'slow' })
    await first.stop()
    for (let i = 0; i < 2; i++) {
      const next = bed.startWorker()
      await until(async () => (await deathsOf('slow')) === 1)
      await next.stop()
      expect(await deathsOf('slow')).toBe(0)
    }
  })
})

describe.each(ONE_STORE)('An unreachable database on %s', kind => {
  const OUTAGE_MS = 3_600_000
  let bed: HostingBed
  let numbers: HostedNumber[]
  let line: ReturnType<typeof breakable>

  beforeEach(async () => {
    bed = await openHosting(kind, {
      POSTERN_DATABASE_OUTAGE: `${OUTAGE_MS}ms`,
      POSTERN_DISCONNECT_GRACE: `${OUTAGE_MS / 2}ms`,
    })
    numbers = [await bed.addNumber(), await bed.addNumber()]
    line = breakable(bed.store)
    bed.startWorker({ store: line.store }, bed.network, { store: line.store })
    await Promise.all(numbers.map(number => bed.connected(number)))
  })
  afterEach(() => bed.close())

  /** Three quarters of the allowed outage, and longer than a lease and the grace. */
  const staysAway = async () => {
    line.set('away')
    for (let quarter = 0; quarter < 3; quarter++) {
      const before = line.refused()
      bed.clock.pass(OUTAGE_MS / 4)
      // By then it has sent heartbeats and checked its deadline several times.
      await until(() => line.refused() > before + 10)
    }
  }
  const links = () => numbers.map(({ sessionId }) => bed.network.linkId(sessionId))
  const events = async () => (await Promise.all(numbers.map(number => bed.events(number)))).flat()

  it('for less than the limit ends no link and publishes nothing; items received meanwhile are published afterwards', async () => {
    const before = links()
    const away = staysAway()
    const [number] = numbers
    const received = bed.network.receive(number!.sessionId, incomingText(number!.sessionId, '15550001111', 'meanwhile'))
    await away
    expect(numbers.every(({ sessionId }) => bed.network.isOpen(sessionId))).toBe(true)
    line.set('live')
    await received
    const sent = await bed.send(number!, ADA, 'afterwards')
    await until(async () => (await bed.stateOf(sent)) === 'sent')
    await until(async () => (await events()).some(event => event.kind === 'message'))
    expect(links()).toEqual(before)
    expect((await events()).filter(event => event.kind === 'connection')).toHaveLength(numbers.length)
  })

  it('for longer ends the links, which reconnect automatically', async () => {
    await staysAway()
    expect(numbers.every(number => bed.network.isOpen(number.sessionId))).toBe(true)
    bed.clock.pass(OUTAGE_MS / 4)
    await until(() => numbers.every(number => !bed.network.isOpen(number.sessionId)))
    line.set('live')
    await bed.nextBeat(1)
    await until(() => numbers.every(number => bed.network.isOpen(number.sessionId)))
    await Promise.all(numbers.map(number => bed.connected(number)))
  })
})
