import { BOUNDS } from '../../domain/bounds.ts'
import type { Lease, SessionLease } from '../../domain/lease.ts'
import type { Recipient } from '../../domain/request.ts'
import { KEPT_MS } from '../../domain/retention.ts'
import type { Signal } from '../signals.ts'
import type { Reader, Tx } from '../transaction.ts'
import { type Fenced, heldLeases } from '../leases/fence.ts'

/** Something that an API request asks a number's worker, or the sandbox network, to do. */
export interface NewRequest {
  id: string
  to: Recipient
  kind: string
  sealed: Uint8Array
  /** The process that waits for the answer; nobody does where it is left out. */
  replyTo?: string
  /** After this whoever asked has gone: the request is dropped undone. */
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

/** `foreign`: the number is not the account's any more. `crowded`: as many as may wait for its worker do wait. */
export type Asked = 'asked' | 'foreign' | 'crowded'

const COLUMNS = 'id, kind, sealed, reply_to as "replyTo", expires_at as "expiresAt"'

export async function addRequest(tx: Tx, request: NewRequest): Promise<Asked> {
  const { id, to, kind, sealed, replyTo, timeoutMs } = request
  const refusal = await refusalOf(tx, to)
  if (refusal !== undefined) return refusal
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

/** Whose row is locked here: many who ask at once never have more waiting together. */
async function refusalOf(tx: Tx, to: Recipient): Promise<Exclude<Asked, 'asked'> | undefined> {
  switch (to.kind) {
    case 'session':
      return await refusalOfSession(tx, to)
    case 'pairing':
      return await refusalOfPairing(tx, to.pairingId)
    case 'sandbox':
      return undefined
  }
}

async function refusalOfPairing(tx: Tx, id: string): Promise<Exclude<Asked, 'asked'> | undefined> {
  if ((await tx.get(`select 1 as known from pairings where id = ?${tx.forUpdate}`, id)) === undefined) return 'foreign'
  const { n } = (await tx.get<{ n: number }>(
    'select count(*) as n from requests where pairing_id = ? and expires_at > ?',
    id,
    tx.nowMs,
  ))!
  return n < BOUNDS.waitingPairingAnswers ? undefined : 'crowded'
}

async function refusalOfSession(
  tx: Tx,
  { sessionId, accountId }: { sessionId: string; accountId: string },
): Promise<Exclude<Asked, 'asked'> | undefined> {
  const own = `select 1 as own from sessions where id = ? and account_id = ?${tx.forUpdate}`
  if ((await tx.get(own, sessionId, accountId)) === undefined) return 'foreign'
  const { n } = (await tx.get<{ n: number }>(
    'select count(*) as n from requests where session_id = ? and expires_at > ?',
    sessionId,
    tx.nowMs,
  ))!
  return n < BOUNDS.waitingSessionRequests ? undefined : 'crowded'
}

const AT_ONCE = 100

/** What a number's worker is asked to do, in the order it was asked, without what the worker has begun. */
export async function readRequests(
  reader: Reader,
  input: { sessionId: string; exceptIds: string[] },
): Promise<WaitingRequest[]> {
  const begun = reader.ids(input.exceptIds)
  return await reader.all<WaitingRequest>(
    `select ${COLUMNS} from requests where session_id = ? and id not in (select id from ${begun.sql} b)
     order by id limit ${AT_ONCE}`,
    input.sessionId,
    ...begun.params,
  )
}

/** What a person brings for pairings, in the order it was brought. */
export async function readPairingRequests(
  reader: Reader,
  input: { pairingIds: string[] },
): Promise<Array<WaitingRequest & { pairingId: string }>> {
  const asked = reader.ids(input.pairingIds)
  return await reader.all<WaitingRequest & { pairingId: string }>(
    `select ${COLUMNS}, pairing_id as "pairingId" from requests
     where pairing_id in (select id from ${asked.sql} a) and expires_at > ${reader.nowSql} order by id limit ${AT_ONCE}`,
    ...asked.params,
  )
}

/** What waits for devices that are logged out: nobody hosts those, so any worker answers. */
export async function readUnhostedRequests(reader: Reader): Promise<Array<Pick<WaitingRequest, 'id' | 'replyTo'>>> {
  return await reader.all(
    `select q.id, q.reply_to as "replyTo" from sessions s join requests q on q.session_id = s.id
     where s.state = 'logged_out' and q.expires_at > ${reader.nowSql} order by q.id limit ${AT_ONCE}`,
  )
}

export async function hasSandboxRequests(reader: Reader): Promise<boolean> {
  return (
    (await reader.get('select 1 as waiting from requests where session_id is null and pairing_id is null limit 1')) !==
    undefined
  )
}

/**
 * Takes what waits for the sandbox network, in the order it was asked. Taken before it is done, so that a network that
 * comes back does nothing twice; what nobody waits for any more is dropped. A network that another has taken over from
 * takes nothing: what it did would be forgotten with it.
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

/** Ends the request. */
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

/** Ends a request of a number whose asker has gone; it leaves no trace. */
export async function endRequest(tx: Tx, input: { lease: SessionLease; id: string }): Promise<Fenced> {
  if (!(await heldLeases(tx, [input.lease]))(input.lease)) return 'lost'
  await tx.run('delete from requests where id = ?', input.id)
  return 'done'
}

/** With the number goes what it was asked to do. */
export async function dropRequestsOf(tx: Tx, sessionId: string): Promise<void> {
  await tx.run('delete from requests where session_id = ?', sessionId)
}
