import { OWNER_EMAIL } from '../../domain/account.ts'
import type { Reader, Tx } from '../transaction.ts'

/** A mail about endpoints of an account that one process sends now. */
export interface EndpointMail {
  accountId: string
  /** Those whose state no mail has reported, the newest state first. */
  endpoints: MailedEndpoint[]
  tries: number
  /** Names this attempt. */
  dueAt: number
  /** The addresses of the account's users. */
  to: string[]
}

export interface MailedEndpoint {
  id: string
  event: 'failing' | 'switched_off'
  failingSince: number
  /** When the endpoint got into this state. */
  since: number
}

/** How long a process claims a mail for: longer than sending it takes. */
const TAKEN_MS = 5 * 60_000
/** An account gets one mail in this time at most. */
const PAUSE_MS = 3_600_000
/** An older state is not mailed, for example one from long before the mail server was set. */
const TOO_OLD_MS = 24 * 3_600_000

/** Lets the account get a mail, at the earliest an hour after its last one. */
export async function requestEndpointMail(tx: Tx, accountId: string): Promise<void> {
  await tx.insert(
    'endpoint_mails',
    [{ account_id: accountId, due_at: tx.nowMs, tries: 0 }],
    // The update waits for a process that is about to delete the row, because it has not seen the state of the endpoint.
    'on conflict (account_id) do update set due_at = endpoint_mails.due_at',
  )
}

/** The account whose mail has been due the longest. */
export async function findEndpointMail(reader: Reader, nowMs: number): Promise<string | undefined> {
  const row = await reader.get<{ accountId: string }>(
    'select account_id as "accountId" from endpoint_mails where due_at <= ? order by due_at, account_id limit 1',
    nowMs,
  )
  return row?.accountId
}

/** Claims the account's mail; `null` if there is nothing to report, `undefined` if it is not due or another process has it. */
export async function takeEndpointMail(tx: Tx, accountId: string): Promise<EndpointMail | null | undefined> {
  const due = await tx.get<{ tries: number }>(
    `select tries from endpoint_mails where account_id = ? and due_at <= ?${tx.skipLocked}`,
    accountId,
    tx.nowMs,
  )
  if (due === undefined) return undefined
  const endpoints = await readUnreported(tx, accountId)
  const users = await tx.all<{ email: string }>(
    'select email from users where account_id = ? and email <> ? order by id',
    accountId,
    OWNER_EMAIL,
  )
  if (endpoints.length === 0 || users.length === 0) {
    await tx.run('delete from endpoint_mails where account_id = ?', accountId)
    return null
  }
  const dueAt = tx.nowMs + TAKEN_MS
  const tries = Number(due.tries) + 1
  await tx.run('update endpoint_mails set due_at = ?, tries = ? where account_id = ?', dueAt, tries, accountId)
  return { accountId, endpoints, tries, dueAt, to: users.map(({ email }) => email) }
}

async function readUnreported(tx: Tx, accountId: string): Promise<MailedEndpoint[]> {
  const rows = await tx.all<{ id: string; active: number; failingSince: number; since: number }>(
    `select id, active, failing_since as "failingSince", since from (
       select id, active, failing_since, mailed_for, case when active = 1 then notified_at else switched_off_at end as since
       from endpoints where account_id = ? and failing_since is not null
     ) failing where since > ? and (mailed_for is null or mailed_for <> since) order by since desc, id`,
    accountId,
    tx.nowMs - TOO_OLD_MS,
  )
  return rows.map(({ id, active, failingSince, since }) => ({
    id,
    event: active === 0 ? 'switched_off' : 'failing',
    failingSince: Number(failingSince),
    since: Number(since),
  }))
}

/** Records that the mail was sent, or when it is tried again. */
export async function endEndpointMail(
  tx: Tx,
  { accountId, endpoints, dueAt, againInMs }: Omit<EndpointMail, 'tries' | 'to'> & { againInMs: number | null },
): Promise<void> {
  if (againInMs === null)
    for (const { id, since } of endpoints) await tx.run('update endpoints set mailed_for = ? where id = ?', since, id)
  await tx.run(
    `update endpoint_mails set due_at = ?${againInMs === null ? ', tries = 0' : ''} where account_id = ? and due_at = ?`,
    tx.nowMs + (againInMs ?? PAUSE_MS),
    accountId,
    dueAt,
  )
}
