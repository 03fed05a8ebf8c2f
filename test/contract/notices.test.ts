import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeId } from '../../src/domain/ids.ts'
import { openAttached } from '../../src/store/open-attached.ts'
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts'
import type { Signal, Topic } from '../../src/store/signals.ts'
import type { Store } from '../../src/store/store.ts'
import { registerTestSession } from '../harness/gateway.ts'
import { takeSession } from '../harness/leases.ts'
import { newPlace, type Place, queryPlace } from '../harness/stores.ts'
import { until } from '../harness/until.ts'

const [A, B] = [makeId('node'), makeId('node')]

describe('Notifications between processes on PostgreSQL', () => {
  let place: Place
  const open: Store[] = []
  let a: Store
  let b: Store
  let accountId: string

  const openAs = async (address: string, listen = true): Promise<Store> => {
    const store = await openPostgresStore({ url: place.databaseUrl!, address, listen })
    open.push(store)
    return store
  }
  beforeAll(async () => {
    place = await newPlace('postgres')
    ;[a, b] = [await openAs(A), await openAs(B)]
    accountId = await newAccount()
  })
  afterAll(async () => {
    for (const store of open) await store.close()
    place.remove()
  })

  const newAccount = async (): Promise<string> => {
    const id = makeId('acc')
    const account = { id, name: 'x', plan: 'max', limitOverrides: {}, acceptTosVersion: null } as const
    await a.accounts.createAccount({ ...account, user: null, key: null })
    return id
  }
  const collect = (store: Store, ...topics: Topic[]): Signal[] => {
    const received: Signal[] = []
    for (const topic of topics) store.signals.on(topic, signal => received.push(signal))
    return received
  }
  const numberOf = async (owner: string | null): Promise<string> => {
    const { jid } = await registerTestSession(a, accountId, false)
    if (owner !== null) await takeSession(a, jid, { owner })
    return jid
  }
  const change = (store: Store, id: string) => store.sessions.updateSession({ id, accountId, label: 'x' })
  /** Waits until the other store listens, which it does shortly after its first waiter. */
  const untilReceived = (received: Signal[], again: () => Promise<unknown>) =>
    until(async () => {
      await again()
      return received.length > 0
    })

  it('reach the process that hosts the number, and no other', async () => {
    const [received, others] = [collect(b, 'sessions'), collect(await openAs(makeId('node')), 'sessions', 'keys')]
    const number = await numberOf(`${B}/${makeId('host')}`)
    const elsewhere = await numberOf(`${makeId('node')}/${makeId('host')}`)
    await untilReceived(received, () => change(a, number))
    received.length = 0
    await change(a, elsewhere)
    await change(a, number)
    await until(() => received.length > 0)
    expect(received).toEqual([{ about: 'sessions', sessionId: number }])
    // Sent afterwards to all: by then the third has received everything that it will receive.
    await untilReceived(others, () => a.accounts.updateAccount({ id: accountId, name: 'y' }))
    expect(others.every(({ about }) => about === 'keys')).toBe(true)
  })

  it('of a number without a host reach all processes that might take it', async () => {
    const received = collect(b, 'hosts')
    await untilReceived(received, () => registerTestSession(a, accountId, false))
    expect(received[0]).toEqual({ about: 'hosts' })
  })

  it('of one kind reach a process that has begun to wait for several at once', async () => {
    const c = await openAs(makeId('node'))
    await untilReceived(collect(c, 'keys'), () => a.accounts.updateAccount({ id: accountId, name: 'u' }))
    const [hosts, pairings, replays] = [collect(c, 'hosts'), collect(c, 'pairings'), collect(c, 'replays')]
    await untilReceived(hosts, () => registerTestSession(a, accountId, false))
    expect([pairings, replays]).toEqual([[], []])
  })

  it('of a response reach the process that sent the request, and within one process none is sent', async () => {
    const [received, own] = [collect(b, 'answers'), collect(a, 'answers')]
    const answer = (replyTo: string) =>
      a.requests.answerRequest({ id: makeId('req'), replyTo, sealed: Buffer.from('x') })
    await untilReceived(received, () => answer(B))
    const before = received.length
    const mark = own.length
    await answer(A)
    expect(own.length).toBe(mark + 1)
    await answer(B)
    await until(() => received.length > before)
    // An earlier one may arrive late; none of them belongs to another process.
    for (const signal of received.slice(before)) expect(signal).toMatchObject({ about: 'answers', to: B })
  })

  it('reach a process before its own caller continues, and once', async () => {
    const [own, others] = [collect(a, 'keys'), collect(b, 'keys')]
    await untilReceived(others, () => a.accounts.updateAccount({ id: accountId, name: 'z' }))
    const [first, last] = [await newAccount(), await newAccount()]
    const about = (id: string) => (received: Signal[]) =>
      received.filter(signal => signal.about === 'keys' && signal.accountId === id).length
    await a.accounts.updateAccount({ id: first, name: 'w' })
    expect(about(first)(own)).toBe(1)
    await a.accounts.updateAccount({ id: last, name: 'w' })
    await until(() => about(last)(others) === 1)
    await untilReceived(own, () => b.accounts.updateAccount({ id: last, name: 'v' }))
    expect([own, others].map(about(first))).toEqual([1, 1])
  })

  it('pass between the threads of a process, even without listening', async () => {
    const store = await openAs(makeId('node'), false)
    const [thread, other] = [await openAttached(store.attach()), await openAttached(store.attach())]
    const all = [store, thread, other].map(each => collect(each, 'keys'))
    const changed = () => store.accounts.updateAccount({ id: accountId, name: 'v' })
    for (const received of all) await untilReceived(received, changed)
    for (const from of [store, thread]) {
      const id = await newAccount()
      await from.accounts.updateAccount({ id, name: 'u' })
      const isReceived = (received: Signal[]) =>
        received.some(signal => signal.about === 'keys' && signal.accountId === id)
      await until(() => all.every(isReceived))
    }
    await Promise.all([thread.close(), other.close()])
  })

  it('resume after their connection was closed, without any other action', async () => {
    const received = collect(b, 'sessions')
    const number = await numberOf(`${B}/${makeId('host')}`)
    await untilReceived(received, () => change(a, number))
    const ended = await queryPlace(
      place,
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid()`,
    )
    expect(ended.length).toBeGreaterThan(1)
    received.length = 0
    await untilReceived(received, () => change(a, number).catch(() => {}))
  })

  it('were sent when a store is closed', async () => {
    const received = collect(b, 'keys')
    await untilReceived(received, () => a.accounts.updateAccount({ id: accountId, name: 's' }))
    received.length = 0
    const brief = await openPostgresStore({ url: place.databaseUrl! })
    await brief.accounts.updateAccount({ id: accountId, name: 't' })
    await brief.close()
    await until(() => received.length > 0)
  })

  it('are neither sent nor received if listening is off', async () => {
    const quiet = await openAs(makeId('node'), false)
    const [received, others] = [collect(quiet, 'keys', 'pairings'), collect(b, 'keys')]
    await untilReceived(others, () => a.accounts.updateAccount({ id: accountId, name: 'q' }))
    const [unannounced, last] = [await newAccount(), await newAccount()]
    await quiet.accounts.updateAccount({ id: unannounced, name: 'r' })
    await a.accounts.updateAccount({ id: last, name: 'q' })
    await until(() => JSON.stringify(others).includes(last))
    expect(JSON.stringify(others)).not.toContain(unannounced)
    expect(received).toEqual([{ about: 'keys', accountId: unannounced }])
    expect(quiet.signals.pollDelayMs(1_000)).toBe(500)
  })
})
