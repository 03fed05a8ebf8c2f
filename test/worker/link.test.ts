import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { sendSessionRequest } from '../../src/actions/send-request.ts'
import { systemClock } from '../../src/runtime/clock.ts'
import type { ConnectionEvent } from '../../src/domain/event.ts'
import { heartbeatMs } from '../../src/domain/lease-owner-watch.ts'
import { StoreUnavailable } from '../../src/store/transaction.ts'
import { incomingText } from '../harness/fake-platform.ts'
import { type HostedNumber, type HostingBed, openHosting } from '../harness/hosting.ts'
import { ONE_STORE } from '../harness/stores.ts'
import { until } from '../harness/until.ts'
import { storeWith } from '../harness/store-with.ts'

describe.each(ONE_STORE)('Connection events on %s', kind => {
  let bed: HostingBed
  let number: HostedNumber
  let aheadMs: number
  const clock = { ...systemClock, now: () => new Date(Date.now() + aheadMs) }

  beforeEach(async () => {
    bed = await openHosting(kind, { POSTERN_DISCONNECT_GRACE: '60s' })
    number = await bed.addNumber()
    aheadMs = 0
  })
  afterEach(() => bed.close())

  const connections = async (): Promise<string[]> =>
    (await bed.events(number))
      .filter((event): event is ConnectionEvent => event.kind === 'connection')
      .map(event => event.event)
  const state = async (of = number) => (await bed.store.sessions.getSession(of.sessionId))!.state

  it('connected follows a pairing, and a restart adds no event', async () => {
    const first = bed.startWorker()
    await bed.connected(number)
    expect(await connections()).toEqual(['connected'])
    await first.stop()
    expect((await bed.store.sessions.getSession(number.sessionId))!.hosted).toBe(false)
    bed.startWorker()
    await until(async () => bed.network.isOpen(number.sessionId) && (await state()) === 'connected')
    expect(await connections()).toEqual(['connected'])
  })

  it('a logout whose record got no response is published once, and the number is released', async () => {
    let losesResponse = true
    const recordLink: HostingBed['store']['sessions']['recordLink'] = async record => {
      const outcome = await bed.store.sessions.recordLink(record)
      if (record.memory.state !== 'logged_out' || !losesResponse) return outcome
      losesResponse = false
      throw new StoreUnavailable('the connection was lost')
    }
    bed.startWorker({ store: storeWith(bed.store, { sessions: { recordLink } }) })
    await bed.connected(number)
    bed.network.logOut(number.sessionId)
    await until(async () => !(await bed.store.sessions.getSession(number.sessionId))!.hosted)
    expect(losesResponse).toBe(false)
    expect(await connections()).toEqual(['connected', 'logged_out'])
  })

  it('a logged-out number is released even if its host checks its leases before the logout is confirmed', async () => {
    let looks = 0
    const readHeld: HostingBed['store']['hosting']['readHeld'] = async host => {
      const held = await bed.store.hosting.readHeld(host)
      looks++
      return held
    }
    const recordLink: HostingBed['store']['sessions']['recordLink'] = async record => {
      const outcome = await bed.store.sessions.recordLink(record)
      // The first of them may have begun before.
      for (let i = 0; i < 2 && record.memory.state === 'logged_out'; i++) {
        const before = looks
        bed.clock.pass(2 * heartbeatMs(bed.context.config.leaseTtlMs))
        await until(() => looks > before)
      }
      return outcome
    }
    bed.startWorker({ store: storeWith(bed.store, { sessions: { recordLink }, hosting: { readHeld } }) })
    await bed.connected(number)
    bed.network.logOut(number.sessionId)
    await until(async () => !(await bed.store.sessions.getSession(number.sessionId))!.hosted)
    expect(await connections()).toEqual(['connected', 'logged_out'])
  })

  it('a pause that the platform has set is shown with its end, survives its host, and ends when the link is back', async () => {
    const shown = async () => {
      const { linkReason, linkUntil } = (await bed.store.sessions.getSession(number.sessionId))!
      return { linkReason, linkUntil }
    }
    const first = bed.startWorker()
    await bed.connected(number)
    expect(await shown()).toEqual({ linkReason: null, linkUntil: null })
    const endsAt = Date.now() + 3_600_000
    bed.network.pause(number.sessionId, endsAt)
    const paused = { linkReason: 'the platform has banned it', linkUntil: endsAt }
    await until(async () => (await shown()).linkUntil === endsAt)
    expect(await shown()).toEqual(paused)
    const opened = bed.network.refs.length
    await sendSessionRequest(bed.context, number, { kind: 'restart' })
    await until(() => bed.network.refs.length > opened)
    expect(bed.network.refs.at(-1)?.notBeforeMs, 'a restart does not end it').toBe(endsAt)
    expect(await shown()).toEqual(paused)
    await first.stop()
    bed.startWorker()
    await until(() => bed.network.refs.at(-1)?.notBeforeMs === endsAt)
    expect(await shown()).toEqual(paused)
    await bed.network.reconnect(number.sessionId)
    await until(async () => (await shown()).linkReason === null)
    expect(await shown()).toEqual({ linkReason: null, linkUntil: null })
  })

  it('100 short drops publish no event', async () => {
    bed.startWorker()
    await bed.connected(number)
    for (let i = 0; i < 100; i++) {
      bed.network.drop(number.sessionId)
      await bed.network.reconnect(number.sessionId)
    }
    await until(async () => (await state()) === 'connected' && bed.network.isOpen(number.sessionId))
    await bed.network.receive(number.sessionId, incomingText(number.sessionId, '15550001111', 'after'))
    await until(async () => (await bed.events(number)).some(event => event.kind === 'message'))
    expect(await connections()).toEqual(['connected'])
  })

  it('disconnected is published if the link does not recover within the grace, and connected once it does', async () => {
    bed.startWorker({ clock })
    const other = await bed.addNumber()
    await bed.connected(other)
    await bed.connected(number)
    bed.network.drop(other.sessionId)
    await until(async () => (await state(other)) === 'connecting')
    aheadMs = 30_000
    bed.network.drop(number.sessionId)
    await until(async () => (await state()) === 'connecting')
    expect(await state(other)).toBe('connecting')
    aheadMs = 60_000
    await until(async () => (await state(other)) === 'disconnected')
    expect(await state()).toBe('connecting')
    expect(await connections()).toEqual(['connected'])
    aheadMs = 90_000
    await until(async () => (await state()) === 'disconnected')
    expect(await connections()).toEqual(['connected', 'disconnected'])
    await bed.network.reconnect(number.sessionId)
    await bed.connected(number)
    expect(await connections()).toEqual(['connected', 'disconnected', 'connected'])
  })

  it('a restart during the grace continues the countdown', async () => {
    const first = bed.startWorker({ clock })
    await bed.connected(number)
    bed.network.drop(number.sessionId)
    await until(async () => (await state()) === 'connecting')
    aheadMs = 30_000
    const [before] = await bed.query<{ down_since: number }>('select down_since from sessions')
    await first.stop()
    bed.startWorker({ clock })
    await until(async () => (await bed.store.sessions.getSession(number.sessionId))!.hosted)
    expect(await state()).toBe('connecting')
    aheadMs = 60_000
    await until(async () => (await state()) === 'disconnected')
    const [after] = await bed.query<{ down_since: number }>('select down_since from sessions')
    expect(after).toEqual(before)
    expect(await connections()).toEqual(['connected', 'disconnected'])
  })

  it('logged_out is published immediately and is final', async () => {
    bed.startWorker()
    await bed.connected(number)
    bed.network.logOut(number.sessionId)
    await until(async () => (await state()) === 'logged_out')
    await until(async () => !(await bed.store.sessions.getSession(number.sessionId))!.hosted)
    expect(await connections()).toEqual(['connected', 'logged_out'])
    const openings = bed.network.linkId(number.sessionId)
    const other = await bed.addNumber()
    await bed.connected(other)
    expect(bed.network.linkId(number.sessionId)).toBe(openings)
  })
})
