import { BOUNDS } from '../../domain/bounds.ts'
import { KEPT_MS } from '../../domain/retention.ts'
import type { Reader, Tx } from '../transaction.ts'

/** Longer than any request may take; the rest of an interrupted upload is deleted after that. */
const UPLOAD_TIMEOUT_MS = 300_000

export interface NewUpload {
  id: string
  accountId: string
  mimeType: string
  /** The maximum size. */
  bytes: number
}

/** `full`: the account's storage limit is reached. */
export type BegunUpload = { kind: 'begun' } | { kind: 'full'; retryAfterMs: number }

/** Reserves storage for a file. */
export async function beginUpload(tx: Tx, { id, accountId, mimeType, bytes }: NewUpload): Promise<BegunUpload> {
  // The lock puts concurrent uploads of an account in order.
  await tx.get(`select id from accounts where id = ?${tx.forUpdate}`, accountId)
  const kept = (await tx.get<{ n: number; bytes: number | null; first: number | null }>(
    `select count(*) as n, sum(bytes) as bytes, min(expires_at) as first from uploads
     where account_id = ? and expires_at > ?`,
    accountId,
    tx.nowMs,
  ))!
  if (kept.n >= BOUNDS.uploads || Number(kept.bytes ?? 0) + bytes > BOUNDS.uploadBytes)
    return { kind: 'full', retryAfterMs: Number(kept.first) - tx.nowMs }
  const row = {
    id,
    account_id: accountId,
    mime_type: mimeType,
    bytes,
    parts: 0,
    expires_at: tx.nowMs + UPLOAD_TIMEOUT_MS,
  }
  await tx.insert('uploads', [row])
  return { kind: 'begun' }
}

/** Adds a part of a file; `false` if the upload took too long. */
export async function addUploadPart(
  tx: Tx,
  { id, part, sealed }: { id: string; part: string; sealed: Uint8Array },
): Promise<boolean> {
  // Locked until the part is stored: deleting the upload deletes this part too.
  const coming = await tx.get(`select id from uploads where id = ? and expires_at > ?${tx.forUpdate}`, id, tx.nowMs)
  if (coming === undefined) return false
  await tx.insert('upload_parts', [{ upload_id: id, part, sealed }])
  return true
}

/** Completes a file. Returns until when it is kept; `undefined` if the upload took too long. */
export async function finishUpload(
  tx: Tx,
  { id, bytes, parts }: { id: string; bytes: number; parts: number },
): Promise<number | undefined> {
  const finished = await tx.get<{ expiresAt: number }>(
    `update uploads set bytes = ?, parts = ?, expires_at = ? where id = ? and expires_at > ?
     returning expires_at as "expiresAt"`,
    bytes,
    parts,
    tx.nowMs + KEPT_MS.uploads,
    id,
    tx.nowMs,
  )
  return finished?.expiresAt
}

/** Ends an incomplete upload. Its bytes count until they are deleted. */
export async function abandonUpload(tx: Tx, { id, bytes }: { id: string; bytes: number }): Promise<void> {
  await tx.run(
    'delete from uploads where id = ? and not exists (select 1 from upload_parts p where p.upload_id = uploads.id)',
    id,
  )
  await tx.run('update uploads set bytes = ? where id = ?', bytes, id)
}

/** Keeps a file as long as a message of this number may need it. Returns whether the file is there. */
export async function prolongUpload(
  tx: Tx,
  { id, accountId, sessionId, sendAt }: { id: string; accountId: string; sessionId: string; sendAt: number | null },
): Promise<boolean> {
  const until = Math.max(sendAt ?? 0, tx.nowMs) + KEPT_MS.uploads
  const held = await tx.get(
    `update uploads set expires_at = case when expires_at < ? then ? else expires_at end
     where id = ? and account_id = ? and parts > 0 and expires_at > ?
       and exists (select 1 from sessions s where s.id = ? and s.account_id = uploads.account_id and s.platform = 'sandbox')
     returning id`,
    until,
    until,
    id,
    accountId,
    tx.nowMs,
    sessionId,
  )
  return held !== undefined
}

export interface FoundUpload {
  mimeType: string
  parts: number
}

/** A file that this number may send: the number is a sandbox number of the file's account. */
export async function findUpload(
  reader: Reader,
  { id, sessionId }: { id: string; sessionId: string },
): Promise<FoundUpload | undefined> {
  return await reader.get<FoundUpload>(
    `select u.mime_type as "mimeType", u.parts from uploads u
     join sessions s on s.id = ? and s.account_id = u.account_id and s.platform = 'sandbox'
     where u.id = ? and u.parts > 0 and u.expires_at > ?`,
    sessionId,
    id,
    await reader.now(),
  )
}

/** A sealed part; `undefined` if it was deleted meanwhile. */
export async function readUploadPart(
  reader: Reader,
  { id, part }: { id: string; part: string },
): Promise<Uint8Array | undefined> {
  const row = await reader.get<{ sealed: Uint8Array }>(
    'select sealed from upload_parts where upload_id = ? and part = ?',
    id,
    part,
  )
  return row?.sealed
}
