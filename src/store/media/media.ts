import type { Plan } from '../../domain/account.ts'
import { BOUNDS } from '../../domain/bounds.ts'
import { type MediaPlace, type MediaState, storedBytesOf } from '../../domain/media.ts'
import { KEPT_MS, mediaKeptMs } from '../../domain/retention.ts'
import type { Reader, Tx } from '../transaction.ts'

/** An upload that a process does not prolong any more has ended; the rest of it is deleted. */
const INCOMING_MS = 300_000

export interface Media {
  id: string
  accountId: string
  /** The number that received it; `null` for an upload. */
  sessionId: string | null
  state: MediaState
  place: MediaPlace
  mimeType: string
  /** The claim of the sender while it is `remote`. */
  bytes: number
  /** `MediaSecrets`, sealed. */
  sealed: Uint8Array
  createdAt: number
  expiresAt: number
}

const COLUMNS = `id, account_id as "accountId", session_id as "sessionId", state, place, mime_type as "mimeType", bytes,
  sealed, created_at as "createdAt", expires_at as "expiresAt"`

/** `accountId` is `null` for a received file: its number says whose it is. */
export type NewMedia = Omit<Media, 'accountId' | 'createdAt' | 'expiresAt'> & { accountId: string | null }

/** `full`: the account has as many files, or bytes of them, as its plan allows. */
export type BegunMedia = 'begun' | 'full'

export interface Usage {
  files: number
  bytes: number
}

/** Adds a file, and reserves room for its bytes unless they are `remote`. */
export async function addMedia(tx: Tx, input: NewMedia): Promise<BegunMedia> {
  const { id, sessionId, state, place, mimeType, bytes, sealed } = input
  const accountId = input.accountId ?? (await accountOf(tx, sessionId))
  const plan = accountId === undefined ? undefined : await lockAccount(tx, accountId)
  if (accountId === undefined || plan === undefined) return 'full'
  if (!(await addUsage(tx, { accountId, plan, files: 1, bytes: storedOf(input) }))) return 'full'
  const columns = { id, account_id: accountId, session_id: sessionId, state, place, mime_type: mimeType, bytes, sealed }
  const keptMs = state === 'incoming' ? INCOMING_MS : mediaKeptMs(plan)
  await tx.insert('media', [{ ...columns, created_at: tx.nowMs, expires_at: tx.nowMs + keptMs }])
  return 'begun'
}

const storedOf = ({ state, bytes }: Pick<Media, 'state' | 'bytes'>): number => (state === 'remote' ? 0 : bytes)

async function accountOf(tx: Tx, sessionId: string | null): Promise<string | undefined> {
  const row = await tx.get<{ id: string }>('select account_id as id from sessions where id = ?', sessionId)
  return row?.id
}

/** The lock puts concurrent files of an account in order, so that its limits hold. */
async function lockAccount(tx: Tx, accountId: string): Promise<Plan | undefined> {
  const row = await tx.get<{ plan: Plan }>(`select plan from accounts where id = ?${tx.forUpdate}`, accountId)
  return row?.plan
}

/** Adds to the account's usage; `false`, and nothing is added, if that is more than the plan allows. */
async function addUsage(
  tx: Tx,
  { accountId, plan, files, bytes }: Usage & { accountId: string; plan: Plan },
): Promise<boolean> {
  const used = await tx.get<Usage>('select files, bytes from media_usage where account_id = ?', accountId)
  const next = { files: (used?.files ?? 0) + files, bytes: (used?.bytes ?? 0) + bytes }
  const isMore = files > 0 || bytes > 0
  if (isMore && (next.files > BOUNDS.mediaFiles || next.bytes > storedBytesOf(plan))) return false
  await tx.insert(
    'media_usage',
    [{ account_id: accountId, ...next }],
    'on conflict (account_id) do update set files = excluded.files, bytes = excluded.bytes',
  )
  return true
}

/** Keeps an upload alive, with the bytes that have arrived. */
export async function prolongMedia(
  tx: Tx,
  { id, bytes }: { id: string; bytes: number },
): Promise<'prolonged' | 'full' | 'gone'> {
  const found = await findIncoming(tx, id)
  if (found === undefined) return 'gone'
  const reserved = Math.max(found.bytes, bytes)
  if (!(await addUsage(tx, { ...found, files: 0, bytes: reserved - found.bytes }))) return 'full'
  await tx.run('update media set bytes = ?, expires_at = ? where id = ?', reserved, tx.nowMs + INCOMING_MS, id)
  return 'prolonged'
}

/** A file without all of its bytes; `bytes` are those that are reserved. */
type Incoming = Pick<Media, 'accountId' | 'bytes' | 'createdAt' | 'expiresAt'> & { plan: Plan }

/** Locks the row and then the account, as `dropMedia` does. */
async function findIncoming(tx: Tx, id: string): Promise<Incoming | undefined> {
  const found = await tx.get<Omit<Incoming, 'plan'>>(
    `select account_id as "accountId", case when state = 'remote' then 0 else bytes end as bytes,
       created_at as "createdAt", expires_at as "expiresAt"
     from media where id = ? and state <> 'ready' and expires_at > ?${tx.forUpdate}`,
    id,
    tx.nowMs,
  )
  const plan = found && (await lockAccount(tx, found.accountId))
  return plan && { ...found!, plan }
}

export interface ArrivedMedia {
  id: string
  bytes: number
  mimeType: string
  /** A file may be fetched into another place than the one where it was expected. */
  place: MediaPlace
  sealed: Uint8Array
}

/** All bytes of a file are on disk: it is kept for as long as the plan says. */
export async function finishMedia(
  tx: Tx,
  { id, bytes, mimeType, place, sealed }: ArrivedMedia,
): Promise<Pick<Media, 'createdAt' | 'expiresAt'> | 'full' | 'gone'> {
  const found = await findIncoming(tx, id)
  if (found === undefined) return 'gone'
  if (!(await addUsage(tx, { ...found, files: 0, bytes: bytes - found.bytes }))) return 'full'
  const expiresAt = Math.max(found.expiresAt, found.createdAt + mediaKeptMs(found.plan))
  await tx.run(
    `update media set state = 'ready', bytes = ?, mime_type = ?, place = ?, sealed = ?, expires_at = ? where id = ?`,
    bytes,
    mimeType,
    place,
    sealed,
    expiresAt,
    id,
  )
  return { createdAt: found.createdAt, expiresAt }
}

/** A file that has not expired. */
export async function getMedia(reader: Reader, id: string): Promise<Media | undefined> {
  return await reader.get<Media>(
    `select ${COLUMNS} from media where id = ? and state <> 'incoming' and expires_at > ?`,
    id,
    await reader.now(),
  )
}

/** Whether the account of this file may store all of its bytes. */
export async function hasRoomFor(reader: Reader, id: string): Promise<boolean> {
  const row = await reader.get<{ plan: Plan; bytes: number; used: number | null }>(
    `select a.plan, m.bytes, u.bytes as used from media m join accounts a on a.id = m.account_id
     left join media_usage u on u.account_id = m.account_id where m.id = ?`,
    id,
  )
  return row !== undefined && (row.used ?? 0) + row.bytes <= storedBytesOf(row.plan)
}

/** The files of all accounts, and the bytes of them that the gateway has. */
export async function sumMediaUsage(reader: Reader): Promise<Usage> {
  const row = await reader.get<Usage>(
    'select coalesce(sum(files), 0) as files, coalesce(sum(bytes), 0) as bytes from media_usage',
  )
  return { files: Number(row!.files), bytes: Number(row!.bytes) }
}

/** A file for a message, which keeps it until it is sent; `undefined` if the account has no such file. */
export async function useMedia(
  tx: Tx,
  { id, accountId, sendAt }: { id: string; accountId: string; sendAt: number | null },
): Promise<Pick<Media, 'sessionId' | 'bytes' | 'state'> | undefined> {
  const until = Math.max(sendAt ?? 0, tx.nowMs) + KEPT_MS.mediaOfMessage
  return await tx.get(
    `update media set expires_at = case when state = 'ready' and expires_at < ? then ? else expires_at end
     where id = ? and account_id = ? and state <> 'incoming' and expires_at > ?
     returning session_id as "sessionId", bytes, state`,
    until,
    until,
    id,
    accountId,
    tx.nowMs,
  )
}

/** A file that a number of the same account sends. */
export async function findSentMedia(
  reader: Reader,
  { id, sessionId }: { id: string; sessionId: string },
): Promise<Media | undefined> {
  return await reader.get<Media>(
    `select ${COLUMNS} from media where id = ? and state = 'ready' and expires_at > ?
       and account_id = (select s.account_id from sessions s where s.id = ?)`,
    id,
    await reader.now(),
    sessionId,
  )
}

/** Ends a file at once; the cleanup deletes its bytes. Returns whether it was there. */
export async function expireMedia(tx: Tx, id: string): Promise<boolean> {
  return (await tx.run('update media set expires_at = 0 where id = ? and expires_at > ?', id, tx.nowMs)) > 0
}

/** Expired files in these places, the oldest first. */
export async function readExpiredMedia(
  reader: Reader,
  { places, limit }: { places: MediaPlace[]; limit: number },
): Promise<Array<Pick<Media, 'id' | 'place'>>> {
  const now = await reader.now()
  const r = reader.ids(places)
  return await reader.all(
    `select m.id, m.place from media m where m.expires_at <= ? and m.place in (select r.id from ${r.sql} r)
     order by m.expires_at limit ?`,
    now,
    ...r.params,
    limit,
  )
}

/** Forgets files whose bytes are deleted. */
export async function dropMedia(tx: Tx, ids: string[]): Promise<void> {
  const r = tx.ids(ids)
  const dropped = await tx.all<Pick<Media, 'accountId' | 'state' | 'bytes'>>(
    `delete from media where id in (select r.id from ${r.sql} r) and expires_at <= ?
     returning account_id as "accountId", state, bytes`,
    ...r.params,
    tx.nowMs,
  )
  const freed = new Map<string, Usage>()
  for (const { accountId, ...media } of dropped) {
    const sum = freed.get(accountId) ?? { files: 0, bytes: 0 }
    freed.set(accountId, { files: sum.files + 1, bytes: sum.bytes + storedOf(media) })
  }
  // In a fixed order, so that two processes never wait for each other.
  for (const [accountId, { files, bytes }] of [...freed].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const plan = await lockAccount(tx, accountId)
    if (plan !== undefined) await addUsage(tx, { accountId, plan, files: -files, bytes: -bytes })
  }
}

/** Stores an encrypted piece of a file in the database. */
export async function addMediaPiece(
  tx: Tx,
  { id, piece, content }: { id: string; piece: number; content: Uint8Array },
): Promise<void> {
  await tx.insert('media_pieces', [{ media_id: id, piece, content }])
}

export async function readMediaPiece(
  reader: Reader,
  { id, piece }: { id: string; piece: number },
): Promise<Uint8Array | undefined> {
  const row = await reader.get<{ content: Uint8Array }>(
    'select content from media_pieces where media_id = ? and piece = ?',
    id,
    piece,
  )
  return row?.content
}

const PIECE_BATCH = 32

/** Deletes some pieces of a file; `false` when none are left. */
export async function dropMediaPieces(tx: Tx, id: string): Promise<boolean> {
  const removed = await tx.run(
    `delete from media_pieces where media_id = ? and piece in (
       select piece from media_pieces where media_id = ? order by piece limit ${PIECE_BATCH})`,
    id,
    id,
  )
  return removed === PIECE_BATCH
}
