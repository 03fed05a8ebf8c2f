import { BOUNDS } from '../../domain/bounds.ts'
import type { Lease, SessionLease } from '../../domain/lease.ts'
import type { Recipient } from '../../domain/request.ts'
import { KEPT_MS } from '../../domain/retention.ts'
import type { Signal } from '../signals.ts'
import type { Reader, Tx } from '../transaction.ts'
import { type Fenced, heldLeases } from '../leases/fence.ts'

/** An action for the host of a number or for the sandbox network, on behalf of an API request. */
export interface NewRequest {
  id: string
  to: Recipient
  kind: string
  sealed: Uint8Array
  /** The process that waits for the response; without it none does. */
  replyTo?: string
  /** When the client stops waiting: the request is dropped then. */
  timeoutMs: number
}

export interface WaitingRequest {
  id: string
  kind: string
  sealed: Uint8Array
  replyTo: string | null
  expiresAt: number
}

interface NewAnswer extends Pick<WaitingRequest, 'id' | 'replyTo'> {
  sealed: Uint8Array
}

/** `foreign`: the number no longer belongs to the account. `crowded`: the limit of waiting requests is reached. */
export type AddedRequest = 'asked' | 'foreign' | 'crowded'

const COLUMNS = 'id, kind, sealed, reply_to as "replyTo", expires_at as "expiresAt"'

export async function addRequest(tx: Tx, request: NewRequest): Promise<AddedRequest> {
  const { id, to, kind, sealed, replyTo, timeoutMs } = request
  const rejection = await rejectionFor(tx, to)
  if (rejection !== undefined) return rejection
  const sessionId = to.kind === 'session' ? to.sessionId : null
  const pairingId = to.kind === 'pairing' ? to.pairingId : null
  await tx.insert('requests', [
    {
      id,
      session_id: sessionId,
      pairing_id: pairingId,
      kind,
      sealed,
      reply_to: replyTo ?? null,
      created_at: tx.nowMs,
      expires_at: tx.nowMs + timeoutMs,
    },
  ])
  tx.notify(signalFor(to))
  return 'asked'
}

function signalFor(to: Recipient): Signal {
  switch (to.kind) {
    case 'session':
      return { about: 'requests', sessionId: to.sessionId }
    case 'pairing':
      return { about: 'pairings', pairingId: to.pairingId }
    case 'sandbox':
      return { about: 'sandbox_requests' }
  }
}

/** Why the request cannot be added, if so. Locks the recipient's row, so that concurrent requests cannot exceed the limit. */
async function rejectionFor(tx: Tx, to: Recipient): Promise<Exclude<AddedRequest, 'asked'> | undefined> {
  switch (to.kind) {
    case 'session':
      return await rejectionForSession(tx, to)
    case 'pairing':
      return await rejectionForPairing(tx, to.pairingId)
    case 'sandbox':
      return undefined
  }
}

async function rejectionForPairing(tx: Tx, id: string): Promise<Exclude<AddedRequest, 'asked'> | undefined> {
  if ((await tx.get(`select 1 as known from pairings where id = ?${tx.forUpdate}`, id)) === undefined) return 'foreign'
  const { n } = (await tx.get<{ n: number }>(
    'select count(*) as n from requests where pairing_id = ? and expires_at > ?',
    id,
    tx.nowMs,
  ))!
  return n < BOUNDS.waitingPairingAnswers ? undefined : 'crowded'
}

async function rejectionForSession(
  tx: Tx,
  { sessionId, accountId }: { sessionId: string; accountId: string },
): Promise<Exclude<AddedRequest, 'asked'> | undefined> {
  const own = `select 1 as own from sessions where id = ? and account_id = ?${tx.forUpdate}`
  if ((await tx.get(own, sessionId, accountId)) === undefined) return 'foreign'
  const { n } = (await tx.get<{ n: number }>(
    'select count(*) as n from requests where session_id = ? and expires_at > ?',
    sessionId,
    tx.nowMs,
  ))!
  return n < BOUNDS.waitingSessionRequests ? undefined : 'crowded'
}

const BATCH = 100

/** The waiting requests of a number in order, except those that its host has begun. */
export async function readRequests(
  reader: Reader,
  input: { sessionId: string; exceptIds: string[] },
): Promise<WaitingRequest[]> {
  const begun = reader.ids(input.exceptIds)
  return await reader.all<WaitingRequest>(
    `select ${COLUMNS} from requests where session_id = ? and id not in (select id from ${begun.sql} b)
     order by id limit ${BATCH}`,
    input.sessionId,
    ...begun.params,
  )
}

/** The waiting requests for pairings, in order. */
export async function readPairingRequests(
  reader: Reader,
  input: { pairingIds: string[] },
): Promise<Array<WaitingRequest & { pairingId: string }>> {
  const requested = reader.ids(input.pairingIds)
  return await reader.all<WaitingRequest & { pairingId: string }>(
    `select ${COLUMNS}, pairing_id as "pairingId" from requests
     where pairing_id in (select id from ${requested.sql} a) and expires_at > ${reader.nowSql} order by id limit ${BATCH}`,
    ...requested.params,
  )
}

/** Requests for logged-out devices, which no host runs, so any host responds. */
export async function readUnhostedRequests(reader: Reader): Promise<Array<Pick<WaitingRequest, 'id' | 'replyTo'>>> {
  return await reader.all(
    `select q.id, q.reply_to as "replyTo" from sessions s join requests q on q.session_id = s.id
     where s.state = 'logged_out' and q.expires_at > ${reader.nowSql} order by q.id limit ${BATCH}`,
  )
}

export async function hasSandboxRequests(reader: Reader): Promise<boolean> {
  return (
    (await reader.get('select 1 as waiting from requests where session_id is null and pairing_id is null limit 1')) !==
    undefined
  )
}

/**
 * Takes waiting requests for the sandbox network, in order. They are deleted before they are performed, so that a
 * restarted network repeats none; expired ones are dropped. A network whose lease is lost takes none, since its changes
 * would be lost.
 */
export async function takeSandboxRequests(tx: Tx, input: { lease: Lease; limit: number }): Promise<WaitingRequest[]> {
  if (!(await heldLeases(tx, [input.lease]))(input.lease)) return []
  const rows = await tx.all<WaitingRequest>(
    `delete from requests where id in (
       select id from requests where session_id is null and pairing_id is null order by id limit ?${tx.skipLocked}) returning ${COLUMNS}`,
    input.limit,
  )
  return rows.filter(row => row.expiresAt > tx.nowMs).sort((a, b) => (a.id < b.id ? -1 : 1))
}

/** Stores the response and ends the request. */
export async function answerRequest(tx: Tx, input: NewAnswer): Promise<void> {
  await tx.run('delete from requests where id = ?', input.id)
  await tx.insert(
    'answers',
    [{ request_id: input.id, sealed: input.sealed, expires_at: tx.nowMs + KEPT_MS.answers }],
    'on conflict (request_id) do nothing',
  )
  if (input.replyTo !== null) tx.notify({ about: 'answers', requestId: input.id, to: input.replyTo })
}

export async function readAnswer(reader: Reader, id: string): Promise<Uint8Array | undefined> {
  return (await reader.get<{ sealed: Uint8Array }>('select sealed from answers where request_id = ?', id))?.sealed
}

/** Ends an expired request without a response. */
export async function endRequest(tx: Tx, input: { lease: SessionLease; id: string }): Promise<Fenced> {
  if (!(await heldLeases(tx, [input.lease]))(input.lease)) return 'lost'
  await tx.run('delete from requests where id = ?', input.id)
  return 'done'
}

/** Deletes the requests of a deleted number. */
export async function dropRequestsOf(tx: Tx, sessionId: string): Promise<void> {
  await tx.run('delete from requests where session_id = ?', sessionId)
}
