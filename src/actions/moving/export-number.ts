import type { Context } from '../../context.ts'
import { GatewayError, notFound, wrongState } from '../../domain/errors.ts'
import { PAUSED } from '../../domain/link-watch.ts'
import { getOwn } from '../../runtime/get-own.ts'
import { SCHEMA_VERSION } from '../../store/migrate.ts'
import type { Stopped } from '../../store/moved-numbers/leave.ts'
import type { StoredSession } from '../../store/sessions/sessions.ts'
import type { Store } from '../../store/store.ts'
import type { Row, Value } from '../../store/transaction.ts'
import { makeEvent } from '../make-event.ts'
import { sealLines } from './number-file.ts'
import { plainRow, SEALED_SETTINGS } from './sealed-columns.ts'

export interface ExportDeps extends Pick<Context, 'seal' | 'clock' | 'log'> {
  store: Pick<Store, 'sessions' | 'movedNumbers'>
}

export interface Export {
  sessionId: string
  passphrase: string
  /** Whether messages that wait to be sent fail; otherwise the number does not leave while some wait. */
  failWaiting: boolean
}

const MOVED = 'the number was moved to another gateway'
const STOP_MS = 15_000
const POLL_MS = 50

/** The first line of a file. */
export interface NumberHeader {
  session_id: string
  epoch: number
  schema: number
  settings: Record<string, string | number | null>
}

/**
 * Stops a number here for good and returns its sealed file, for another gateway. It can be called again: the number does
 * not change any more, so that an interrupted download loses nothing.
 */
export async function exportNumber(deps: ExportDeps, request: Export): Promise<AsyncGenerator<Buffer>> {
  const { store, log } = deps
  const { sessionId } = request
  const session = await store.sessions.getSession(sessionId)
  if (session === undefined) throw notFound('session')
  const moved = await store.movedNumbers.readMovedNumber(sessionId)
  const isAway = moved !== undefined && moved.exportedAt !== null
  const epoch = isAway ? Number(moved.epoch) : await stop(deps, request, session)
  log.info({ session: sessionId, epoch, again: isAway }, 'session.exported')
  return sealLines(request.passphrase, linesOf(deps, sessionId, epoch))
}

/** First its host records that it closes the link: the number must never be online in two gateways. */
async function stop(deps: ExportDeps, request: Export, session: StoredSession): Promise<number> {
  const { store } = deps
  const { sessionId, failWaiting } = request
  if (session.state === 'logged_out') throw wrongState(notLinked)
  const waiting = await store.movedNumbers.countWaitingCommands(sessionId)
  if (waiting > 0 && !failWaiting) throw wrongState(someWait(waiting))
  const owner = { id: sessionId, accountId: session.accountId }
  await store.sessions.updateSession({ ...owner, paused: true })
  const stopped = await stopPaused(deps, request, session).catch(async (error: unknown) => {
    await store.sessions.updateSession({ ...owner, paused: session.paused })
    throw error
  })
  if (stopped.kind === 'stopped') return stopped.epoch
  await store.sessions.updateSession({ ...owner, paused: session.paused })
  throw refusalOf(stopped)
}

async function stopPaused(deps: ExportDeps, request: Export, session: StoredSession): Promise<Stopped> {
  const { store, clock } = deps
  const { sessionId, failWaiting } = request
  await closed(deps, sessionId)
  if (failWaiting) while (await store.movedNumbers.failSomeWaiting({ sessionId, detail: MOVED }));
  const event = makeEvent(deps, session.accountId, {
    kind: 'connection',
    session_id: sessionId,
    event: 'logged_out',
    timestamp_unix: Math.floor(clock.now().getTime() / 1000),
  })
  return await store.movedNumbers.stopForMove({ sessionId, failWaiting, reason: MOVED, paused: session.paused, event })
}

async function closed({ store, clock }: ExportDeps, sessionId: string): Promise<void> {
  const deadlineMs = clock.monotonicMs() + STOP_MS
  for (;;) {
    const session = await store.sessions.getSession(sessionId)
    if (session === undefined || !session.hosted || session.linkReason === PAUSED) return
    if (clock.monotonicMs() >= deadlineMs)
      throw new GatewayError('worker_unavailable', 'the number is not disconnected yet; send the request again')
    await clock.sleep(POLL_MS)
  }
}

const notLinked = 'the number is logged out: it has no linked device that could move'
const someWait = (count: number): string =>
  `${count} messages and changes of the number wait to be sent: wait, cancel them, or set fail_waiting, and they fail`

function refusalOf(stopped: Exclude<Stopped, { kind: 'stopped' }>): GatewayError {
  switch (stopped.kind) {
    case 'waiting':
      return wrongState(someWait(1))
    case 'logged_out':
      return wrongState(notLinked)
    case 'gone':
      return notFound('session')
    default: {
      const never: never = stopped
      return never
    }
  }
}

/** The header, the rows of each table, and their number at the end. */
async function* linesOf({ store, seal }: ExportDeps, sessionId: string, epoch: number): AsyncGenerator<string> {
  const settings = await store.movedNumbers.readNumberSettings(sessionId)
  if (settings === undefined) throw notFound('session')
  const header: NumberHeader = {
    session_id: sessionId,
    epoch,
    schema: SCHEMA_VERSION,
    settings: Object.fromEntries(
      Object.entries(settings).map(([column, value]) => [column, plainSetting(seal, sessionId, column, value)]),
    ),
  }
  yield ascii(header)
  let count = 0
  for (const table of await store.movedNumbers.listNumberTables()) {
    for (let after: Value[] | null = null; ; ) {
      const rows: Row[] = await store.movedNumbers.readNumberRows({ table, sessionId, after })
      if (rows.length === 0) break
      const shape = { table: table.name, bytes: table.bytes }
      for (const row of rows) yield ascii({ table: table.name, row: plainRow(seal, shape, row) })
      count += rows.length
      const last = rows.at(-1)!
      const rest = table.key.filter(column => column !== 'session_id')
      if (rest.length === 0) break
      after = rest.map(column => getOwn(last, column) ?? null)
    }
  }
  yield ascii({ rows: count })
}

function plainSetting(
  seal: ExportDeps['seal'],
  sessionId: string,
  column: string,
  value: Value,
): string | number | null {
  const about = getOwn(SEALED_SETTINGS, column)
  if (about === undefined || value === null) return value as string | number | null
  return seal.open(value as Uint8Array, about(sessionId)).toString('base64')
}

const ascii = (value: unknown): string =>
  JSON.stringify(value).replace(/[\u007f-\uffff]/g, char => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
