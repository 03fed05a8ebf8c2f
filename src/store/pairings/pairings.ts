import { BOUNDS } from '../../domain/bounds.ts'
import type { OpenPairingStatus, PairingStatus } from '../../domain/pairing.ts'
import type { PlatformName } from '../../domain/session.ts'
import type { Reader, Tx } from '../transaction.ts'

/**
 * A stored pairing. `step` is the sealed QR code or code for the client, valid until `stepExpiresAt`; without a step
 * that is when the next code is requested.
 */
export interface StoredPairing {
  id: string
  accountId: string
  platform: PlatformName
  method: 'qr' | 'code'
  phone: string | null
  label: string
  /** Sealed. */
  proxy: Uint8Array | null
  status: PairingStatus
  step: Uint8Array | null
  stepExpiresAt: number | null
  sessionId: string | null
  /** The job for the first history, if it is wanted. */
  historyJob: string | null
  error: string | null
  createdAt: number
  updatedAt: number
  expiresAt: number
}

export const PAIRING = `id, account_id as "accountId", platform, method, phone, label, proxy, status, step,
  step_expires_at as "stepExpiresAt", session_id as "sessionId", history_job as "historyJob", error, created_at as "createdAt",
  updated_at as "updatedAt", expires_at as "expiresAt"`
export const OPEN = "status in ('pending', 'waiting', 'scanned', 'passkey', 'confirm')"

export interface NewPairing {
  id: string
  accountId: string
  platform: PlatformName
  method: 'qr' | 'code'
  phone: string | null
  label: string
  /** Sealed. */
  proxy?: Uint8Array | null
  historyJob?: string | null
  timeoutMs: number
  /** How many the account may have open; no limit if it is left out. */
  maxOpen?: number
}

/** `crowded`: the limit of open pairings is reached; the next one expires after the returned time. */
export type CreatedPairing = { kind: 'created'; pairing: StoredPairing } | { kind: 'crowded'; retryAfterMs: number }

export async function createPairing(tx: Tx, input: NewPairing): Promise<CreatedPairing> {
  await tx.get(`select id from accounts where id = ?${tx.forUpdate}`, input.accountId)
  const freeInMs = input.maxOpen === undefined ? 0 : await msToRoom(tx, input.accountId, input.maxOpen)
  if (freeInMs > 0) return { kind: 'crowded', retryAfterMs: freeInMs }
  await forgetEnded(tx, input.accountId)
  await tx.insert('pairings', [
    {
      id: input.id,
      account_id: input.accountId,
      platform: input.platform,
      method: input.method,
      phone: input.phone,
      label: input.label,
      proxy: input.proxy ?? null,
      history_job: input.historyJob ?? null,
      status: 'pending',
      claimed_until: 0,
      created_at: tx.nowMs,
      updated_at: tx.nowMs,
      expires_at: tx.nowMs + input.timeoutMs,
    },
  ])
  tx.notify({ about: 'pairings', pairingId: input.id })
  const pairing = await getPairing(tx, input.id)
  return { kind: 'created', pairing: pairing! }
}

/** Ended pairings are shown for a day, up to a fixed number. */
async function forgetEnded(tx: Tx, accountId: string): Promise<void> {
  await tx.run(
    `delete from pairings where id in (select id from pairings where account_id = ? and (not ${OPEN} or expires_at <= ?)
       order by id desc limit 1000 offset ${BOUNDS.endedPairingsKept})`,
    accountId,
    tx.nowMs,
  )
}

/**
 * The time until there is room, 0 if there is. An open pairing has a connection to the platform as long as its phone
 * may accept.
 */
async function msToRoom(tx: Tx, accountId: string, maxOpen: number): Promise<number> {
  const open = await tx.all<{ expiresAt: number }>(
    `select expires_at as "expiresAt" from pairings where account_id = ? and ${OPEN} and expires_at > ?
     order by expires_at limit ?`,
    accountId,
    tx.nowMs,
    maxOpen,
  )
  return open.length < maxOpen ? 0 : open[0]!.expiresAt - tx.nowMs
}

export async function getPairing(reader: Reader, id: string): Promise<StoredPairing | undefined> {
  return await reader.get<StoredPairing>(`select ${PAIRING} from pairings where id = ?`, id)
}

/** The account's newest pairings that changed at this time or later. */
export async function listChangedPairings(
  reader: Reader,
  input: { accountId: string; sinceMs: number },
): Promise<StoredPairing[]> {
  return await reader.all<StoredPairing>(
    `select ${PAIRING} from (select * from pairings where account_id = ? order by id desc limit 20) p
     where updated_at >= ? order by updated_at, id`,
    input.accountId,
    input.sinceMs,
  )
}

/** Whether a pairing of the network waits for a host, or its host has died. */
export async function hasFreePairing(reader: Reader, platform: PlatformName): Promise<boolean> {
  const row = await reader.get(
    `select 1 as free from pairings where platform = ? and expires_at > ${reader.nowSql} and ${OPEN}
       and claimed_until <= ${reader.nowSql} limit 1`,
    platform,
  )
  return row !== undefined
}

/** Claims open pairings without a host; accounts with the fewest claimed ones come first. */
export async function claimPairings(
  tx: Tx,
  input: { owner: string; platform: PlatformName; limit: number; ttlMs: number },
): Promise<StoredPairing[]> {
  return await tx.all<StoredPairing>(
    `update pairings set owner = ?, claimed_until = ?, status = 'pending', step = null, step_expires_at = null
     where id in (
       select id from pairings where claimed_until <= ? and id in (
         select id from (
           select id, claimed_until, row_number() over (partition by account_id order by claimed_until desc, id) as nth
           from pairings where platform = ? and ${OPEN} and expires_at > ?
         ) open where claimed_until <= ? order by nth, id limit ?
       )${tx.skipLocked}) returning ${PAIRING}`,
    input.owner,
    tx.nowMs + input.ttlMs,
    tx.nowMs,
    input.platform,
    tx.nowMs,
    tx.nowMs,
    input.limit,
  )
}

/** Renews claims and returns the open ones: the others were cancelled, have expired or were lost. */
export async function renewPairings(tx: Tx, input: { owner: string; ids: string[]; ttlMs: number }): Promise<string[]> {
  const r = tx.ids(input.ids)
  const rows = await tx.all<{ id: string }>(
    `update pairings set claimed_until = ? where owner = ? and ${OPEN} and expires_at > ?
       and id in (select id from ${r.sql} r) returning id`,
    tx.nowMs + input.ttlMs,
    input.owner,
    tx.nowMs,
    ...r.params,
  )
  return rows.map(row => row.id)
}

/** Stores the next step for the client; `false` if the pairing is over or another host has it. */
export async function recordPairingStep(
  tx: Tx,
  input: {
    id: string
    owner: string
    status: OpenPairingStatus
    step: Uint8Array | null
    expiresAt: number | null
    /** A person may take longer than a phone: the pairing lasts at least until then. */
    lastsUntil?: number | null
    /** Why there is no code now. */
    error?: string | null
  },
): Promise<boolean> {
  const changed = await tx.run(
    `update pairings set status = ?, step = ?, step_expires_at = ?, error = ?, updated_at = ?,
       expires_at = case when expires_at < ? then ? else expires_at end
     where id = ? and owner = ? and ${OPEN}`,
    input.status,
    input.step,
    input.expiresAt,
    input.error ?? null,
    tx.nowMs,
    input.lastsUntil ?? 0,
    input.lastsUntil ?? 0,
    input.id,
    input.owner,
  )
  tx.notify({ about: 'pairings', pairingId: input.id })
  return changed === 1
}

export interface EndedPairing {
  id: string
  /** Only if this host still has the pairing. */
  owner?: string
  status: 'cancelled' | 'failed' | 'expired'
  error: string | null
}

/** Ends a pairing without a number, and keeps its last error. An ended one stays as it is. */
export async function endPairing(tx: Tx, input: EndedPairing): Promise<StoredPairing | undefined> {
  const owned = input.owner === undefined ? '' : ' and owner = ?'
  await tx.run(
    `update pairings set status = ?, error = coalesce(?, error), step = null, proxy = null, updated_at = ?
     where id = ? and ${OPEN}${owned}`,
    input.status,
    input.error,
    tx.nowMs,
    input.id,
    ...(input.owner === undefined ? [] : [input.owner]),
  )
  tx.notify({ about: 'pairings', pairingId: input.id })
  return await getPairing(tx, input.id)
}
