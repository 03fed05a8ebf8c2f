import { readConfig } from '../../src/config.ts'
import { type Context, createContext } from '../../src/context.ts'
import type { Limits, Plan } from '../../src/domain/account.ts'
import type { Event } from '../../src/domain/event.ts'
import { heartbeatMs } from '../../src/domain/lease-owner-watch.ts'
import { makeId } from '../../src/domain/ids.ts'
import type { Content, Outgoing, Quote } from '../../src/domain/message.ts'
import { aboutWebhook, aboutMessage, aboutEvent, aboutCreds } from '../../src/domain/sealed.ts'
import type { Platform } from '../../src/platform/platform.ts'
import { databasePath } from '../../src/store/sqlite/data-folder.ts'
import { type Database, openDatabase } from '../../src/store/sqlite/driver.ts'
import type { HostDeps } from '../../src/worker/deps.ts'
import { createWorker } from '../../src/worker/worker.ts'
import { movableClock } from './clocks.ts'
import { createFakePlatform } from './fake-platform.ts'
import { newPlace, queryPlace, type StoreKind } from './stores.ts'
import { until } from './until.ts'
import { takeSession } from './leases.ts'
import { sessionLease } from '../../src/domain/lease.ts'

/** The number of steps in which a heartbeat interval passes. */
const STEPS = 16

export interface HostedNumber {
  accountId: string
  sessionId: string
}

export interface SentHandle {
  messageId: string
  requestId: string
  platformId: string
  to: string
}

/** A store, a network in memory, and workers between them. */
export async function openHosting(kind: StoreKind, env: Record<string, string> = {}) {
  const place = await newPlace(kind)
  const config = readConfig({
    ...place.env,
    // Long enough for any machine: a test lets them pass by moving the clock of the workers.
    POSTERN_LEASE_TTL: '10m',
    POSTERN_DATABASE_OUTAGE: '1h',
    POSTERN_DISCONNECT_GRACE: '10m',
    POSTERN_ACK_TIMEOUT: '10m',
    POSTERN_SEND_RETRY_DELAYS: '20ms,30ms,40ms,50ms',
    POSTERN_LOG_LEVEL: process.env.TEST_LOG ?? 'silent',
    ...env,
  })
  const context = await createContext(config)
  const { store, seal } = context
  const clock = movableClock()
  const network = createFakePlatform()
  const stops = new Set<() => Promise<void>>()
  let phones = Math.floor(Math.random() * 1e6)

  // Tests poll: opening the file for each read would cost more than the read.
  let reader: Database | undefined
  const query = async <R>(sql: string): Promise<R[]> => {
    if (place.databaseUrl !== null || !sql.trimStart().startsWith('select')) return await queryPlace<R>(place, sql)
    reader ??= openDatabase(databasePath(place.dataDir), { readOnly: true })
    return reader.prepare(sql).all() as R[]
  }

  const addAccount = async (plan: Plan = 'max', limits: Partial<Limits> = {}): Promise<string> => {
    const id = makeId('acc')
    const limitOverrides = { messages_per_second: null, ...limits }
    await store.accounts.createAccount({
      id,
      name: 'test',
      plan,
      limitOverrides,
      acceptTosVersion: '2026-01',
      user: null,
      key: null,
    })
    return id
  }

  /** A linked number whose webhook receives everything. */
  const addNumber = async (accountId?: string): Promise<HostedNumber> => {
    const owner = accountId ?? (await addAccount())
    const phone = `1555${String(++phones).padStart(7, '0')}`
    const sessionId = `${phone}@s.whatsapp.net`
    await store.leases.addLeases({ names: [sessionLease(sessionId)], pool: null })
    const lease = (await takeSession(store, sessionId, { owner: 'nobody' }))!
    await store.devices.commitDeviceState({
      lease,
      creds: seal.seal('creds', aboutCreds(sessionId)),
      keys: [],
      inbox: [],
      sent: [],
    })
    await store.leases.releaseLeases([lease])
    await store.sessions.registerSession({
      accountId: owner,
      id: sessionId,
      phone,
      device: 3,
      label: '',
      platform: 'whatsapp',
      maxSessions: null,
    })
    await addWebhook(owner, sessionId)
    return { accountId: owner, sessionId }
  }

  const addWebhook = async (accountId: string, sessionId: string): Promise<string> => {
    const id = makeId('wh')
    const url = 'http://127.0.0.1:9/hook'
    await store.webhooks.createWebhook({
      id,
      accountId,
      sessionId,
      phone: sessionId.split('@')[0]!,
      urls: { messages: url, status: url, connection: url, events: url },
      sealedSecret: seal.seal('whsec_test', aboutWebhook(id)),
    })
    return id
  }

  const send = async (
    number: HostedNumber,
    to: string,
    what: string | Content,
    more: { sendAt?: number; requestKey?: string; quote?: Quote; typingMs?: number; isUrgent?: boolean } = {},
  ): Promise<SentHandle> => {
    const id = makeId('msg')
    const jid = to.includes('@') ? to : `${to}@s.whatsapp.net`
    const content: Content =
      typeof what === 'string' ? { type: 'text', text: what, mentions: [], linkPreview: false } : what
    const { typingMs } = more
    const outgoing: Outgoing = { content, quote: more.quote ?? null, ...(typingMs !== undefined && { typingMs }) }
    const platformId = context.platformIds.of(id)
    const requestId = more.requestKey ?? id
    const accepted = await store.messages.acceptMessage({
      accountId: number.accountId,
      limits: { perSecond: null, burst: null, perMonth: null },
      message: {
        id,
        sessionId: number.sessionId,
        requestKey: more.requestKey ?? null,
        fingerprint: more.requestKey === undefined ? null : Buffer.from('f'),
        to: jid,
        type: content.type,
        platformId,
        sendAt: more.sendAt ?? null,
        ...(more.isUrgent && { priority: 1 }),
      },
      sealedContent: seal.sealJson(outgoing, aboutMessage(id)),
    })
    if (accepted.kind !== 'accepted') throw new Error(accepted.kind)
    return { messageId: id, requestId, platformId, to: jid }
  }

  /** Every event that was published for the session, in order. */
  const events = async (number: HostedNumber): Promise<Event[]> => {
    const rows = await query<{ id: string; sealed: Uint8Array }>(
      `select d.event_id as id, coalesce(d.sealed, e.sealed) as sealed
       from deliveries d left join events e on e.id = d.event_id
       where d.session_id = '${number.sessionId}' order by d.id`,
    )
    return rows.map(row => seal.openJson<Event>(row.sealed, aboutEvent(row.id)))
  }

  const startWorker = (
    overrides: Partial<HostDeps> = {},
    platform: Platform = network,
    deps: Partial<Context> = {},
  ) => {
    const stopping = new AbortController()
    const role = createWorker(
      { ...context, nodeId: makeId('node'), ...deps },
      { whatsapp: platform, sandbox: platform },
      { clock, ...overrides },
    )
    const ended = role.run(stopping.signal)
    const stop = async (): Promise<void> => {
      stops.delete(stop)
      stopping.abort()
      await ended
    }
    stops.add(stop)
    return { stop, isReady: () => role.isReady(), abandon: () => void stops.delete(stop) }
  }

  const beats = async (): Promise<number> => {
    const rows = await query<{ beat: number }>("select beat from holders where pool in ('whatsapp', 'sandbox')")
    return rows.reduce((sum, { beat }) => sum + Number(beat), 0)
  }

  return {
    context,
    store,
    seal,
    network,
    /** The clock of the workers, unless they are given another. */
    clock,
    /**
     * Lets one heartbeat interval pass for this many living workers: each of them sends one more. It passes in steps,
     * because a worker may be about to sleep and counts its time from then.
     */
    nextBeat: async (workers: number): Promise<void> => {
      const before = await beats()
      await until(async () => {
        if ((await beats()) >= before + workers) return true
        clock.pass(heartbeatMs(config.leaseTtlMs) / STEPS)
        return false
      })
    },
    query,
    addAccount,
    addNumber,
    addWebhook,
    send,
    events,
    startWorker,
    connected: (number: HostedNumber) =>
      until(async () => (await store.sessions.getSession(number.sessionId))?.state === 'connected'),
    stateOf: async (handle: SentHandle) => (await store.messages.getMessage(handle.messageId))!.state,
    close: async () => {
      await Promise.all([...stops].map(stop => stop()))
      reader?.close()
      await context.close()
      place.remove()
    },
  }
}

export type HostingBed = Awaited<ReturnType<typeof openHosting>>
