import type { Context } from '../../context.ts'
import { type GatewayError, invalid, notFound, tooManyNumbers, wrongState } from '../../domain/errors.ts'
import { makeId } from '../../domain/ids.ts'
import { jidKind } from '../../domain/jid.ts'
import type { PlatformName } from '../../domain/session.ts'
import { getOwn } from '../../runtime/get-own.ts'
import { RepeatingTask } from '../../runtime/repeating-task.ts'
import { SCHEMA_VERSION } from '../../store/migrate.ts'
import { type Arriving, type Begun, IMPORT_ALIVE_MS } from '../../store/moved-numbers/arrive.ts'
import { NUMBER_SETTINGS } from '../../store/moved-numbers/number-tables.ts'
import type { TableShape } from '../../store/moving/tables.ts'
import type { Store } from '../../store/store.ts'
import type { Row } from '../../store/transaction.ts'
import type { NumberHeader } from './export-number.ts'
import { NumberFileError, openLines } from './number-file.ts'
import { type PlainRow, SEALED_SETTINGS, sealedRow } from './sealed-columns.ts'

export interface ImportDeps extends Pick<Context, 'config' | 'seal' | 'log' | 'clock'> {
  store: Pick<Store, 'movedNumbers'>
}

export interface Import {
  accountId: string
  passphrase: string
  bytes: AsyncIterable<Uint8Array>
}

export interface ImportedNumber {
  sessionId: string
  epoch: number
  rows: number
}

/** Takes over a number that another gateway has exported. When this resolves, it is durable, and hosts may run it. */
export async function importNumber(
  deps: ImportDeps,
  { accountId, passphrase, bytes }: Import,
): Promise<ImportedNumber> {
  const { store, log } = deps
  const lines = openLines(passphrase, bytes)
  let arriving: Arriving | undefined
  const ended = new AbortController()
  try {
    const header = readHeader(await lines.next())
    const named = { ...nameOf(header), accountId, importId: makeId('imp') }
    if (named.platform === 'sandbox' && !deps.config.sandbox)
      throw wrongState('it is a number of the sandbox, which is off in this gateway')
    const begun = await store.movedNumbers.beginImport(named)
    if (begun.kind !== 'begun') throw refusalOf(begun, named)
    arriving = named
    const ids = { sessionId: named.sessionId, importId: named.importId }
    showAlive(deps, ids, ended.signal)
    while (await store.movedNumbers.clearForImport(ids));
    const rows = await writeRows(deps, ids, lines)
    const arrived = { ...named, ...registrationOf(header), settings: settingsOf(deps, header) }
    const finished = await store.movedNumbers.finishImport(arrived)
    if (finished.kind !== 'begun') throw refusalOf(finished, named)
    log.info({ session: named.sessionId, epoch: named.epoch, rows }, 'session.imported')
    return { sessionId: named.sessionId, epoch: named.epoch, rows }
  } catch (error) {
    if (arriving !== undefined) await discard(deps, arriving)
    throw error instanceof NumberFileError ? invalid(`body: ${error.message}`, 'body') : error
  } finally {
    ended.abort()
  }
}

/** A heartbeat until the import ends: if this process dies, another import of the number can begin soon. */
function showAlive(deps: ImportDeps, ids: { sessionId: string; importId: string }, signal: AbortSignal): void {
  const alive = async (): Promise<number> => {
    await deps.store.movedNumbers.renewImport(ids)
    return IMPORT_ALIVE_MS
  }
  void new RepeatingTask(deps, 'session.import_alive', alive).run(signal, IMPORT_ALIVE_MS)
}

/** If this fails too, maintenance removes what was written. */
async function discard({ store, log }: ImportDeps, { sessionId, importId }: Arriving): Promise<void> {
  try {
    while (await store.movedNumbers.dropImport({ sessionId, importId }));
  } catch (error) {
    log.warn({ session: sessionId, err: error }, 'session.import_discard_failed')
  }
}

const notOurs = (): NumberFileError => new NumberFileError('it is not a file of `postern sessions export`')

function readHeader({ value, done }: IteratorResult<string>): NumberHeader {
  if (done === true) throw notOurs()
  const header = JSON.parse(value) as NumberHeader
  if (header.schema > SCHEMA_VERSION)
    throw new NumberFileError('a newer version of Postern made the file: import it into that version')
  return header
}

function nameOf({ session_id: sessionId, epoch, settings }: NumberHeader) {
  const platform = settings['platform'] as PlatformName
  if (jidKind(sessionId) !== 'user' || !Number.isSafeInteger(epoch) || epoch < 1) throw notOurs()
  if (platform !== 'whatsapp' && platform !== 'sandbox') throw notOurs()
  return { sessionId, epoch, platform }
}

const registrationOf = ({ settings }: NumberHeader) => ({
  phone: String(settings['phone']),
  device: Number(settings['device']),
  label: String(settings['label']),
})

/** The settings that this version knows, sealed under the keys of this gateway. */
function settingsOf({ seal }: ImportDeps, { session_id: sessionId, settings }: NumberHeader): Row {
  const known = NUMBER_SETTINGS.filter(column => getOwn(settings, column) !== undefined)
  return Object.fromEntries(
    known.map(column => {
      const value = settings[column]!
      const about = getOwn(SEALED_SETTINGS, column)
      return [column, about === undefined || value === null ? value : seal.seal(plainOf(value), about(sessionId))]
    }),
  )
}

const plainOf = (value: string | number): Buffer => Buffer.from(String(value), 'base64')

/** Rows that one transaction writes, and their text together. */
const BATCH = 250
const BATCH_CHARS = 2 * 1024 * 1024

interface FileLine {
  table?: string
  row?: PlainRow
  /** Only in the last line. */
  rows?: number
}

async function writeRows(
  { store, seal }: ImportDeps,
  ids: { sessionId: string; importId: string },
  lines: AsyncIterable<string>,
): Promise<number> {
  const tables = new Map((await store.movedNumbers.listNumberTables()).map(table => [table.name, table]))
  let batch: { table: string; rows: Row[]; chars: number } = { table: '', rows: [], chars: 0 }
  const flush = async (): Promise<void> => {
    const { table, rows } = batch
    if (rows.length > 0 && !(await store.movedNumbers.writeImported({ ...ids, table, rows })))
      throw wrongState('the number was linked here while its file was imported')
    batch = { table: '', rows: [], chars: 0 }
  }
  let count = 0
  for await (const line of lines) {
    const { table: name, row, rows: total } = JSON.parse(line) as FileLine
    if (total !== undefined) {
      await flush()
      if (total !== count) throw notOurs()
      return count
    }
    const table = tables.get(name ?? '')
    if (table === undefined || row === undefined) throw notOurs()
    rejectUnknownColumns(table, row)
    if (batch.table !== table.name || batch.rows.length >= BATCH || batch.chars >= BATCH_CHARS) await flush()
    batch.table = table.name
    batch.rows.push(sealedRow(seal, { table: table.name, bytes: table.bytes }, ids.sessionId, row))
    batch.chars += line.length
    count += 1
  }
  throw notOurs()
}

function rejectUnknownColumns({ columns }: TableShape, row: PlainRow): void {
  if (Object.keys(row).some(column => !columns.includes(column)))
    throw new NumberFileError('another version of Postern made the file: import it into that version')
}

function refusalOf(begun: Exclude<Begun, { kind: 'begun' }>, { sessionId, epoch, platform }: Arriving): GatewayError {
  switch (begun.kind) {
    case 'no_account':
      return notFound('account')
    case 'known':
      return wrongState(
        `the file was imported already, or an older one of ${sessionId}: it is move ${epoch} of the number, and this gateway knows move ${begun.epoch}. Export the number again where it is now`,
      )
    case 'linked':
      return wrongState(`${sessionId} is linked in this gateway: unlink it here first`)
    case 'other_account':
      return wrongState(`${sessionId} belongs to another account of this gateway: delete it there first`)
    case 'busy':
      return wrongState(`${sessionId} is being imported now: if that import broke off, repeat yours in half a minute`)
    case 'full':
      return tooManyNumbers(platform, begun.limit)
    default: {
      const never: never = begun
      return never
    }
  }
}
