import type { Tx } from '../transaction.ts'

/** A mail about an endpoint that one process sends now. */
export interface EndpointMail {
  id: string
  accountId: string
  url: string
  event: 'failing' | 'switched_off'
  failingSince: number
  /** When the endpoint got into this state: the same for every attempt to send the mail. */
  since: number
  tries: number
  /** Names this attempt. */
  dueAt: number
  /** The addresses of the account's users. */
  to: string[]
}

/** How long a process claims a mail for: longer than sending it takes. */
const TAKEN_MS = 5 * 60_000
/** An older mail is not sent, for example one that was due long before the mail server was set. */
const TOO_OLD_MS = 24 * 3_600_000

interface MailRow {
  id: string
  accountId: string
  url: string
  active: number
  failingSince: number | null
  notifiedAt: number | null
  switchedOffAt: number | null
  tries: number
}

/** Claims the mail that has been due the longest; `null` if it is no longer needed, `undefined` if none is due. */
export async function takeEndpointMail(tx: Tx): Promise<EndpointMail | null | undefined> {
  const row = await tx.get<MailRow>(
    `select id, account_id as "accountId", url, active, failing_since as "failingSince", notified_at as "notifiedAt",
       switched_off_at as "switchedOffAt", mail_tries as tries
     from endpoints where mail_due_at <= ? order by mail_due_at, id limit 1${tx.skipLocked}`,
    tx.nowMs,
  )
  if (row === undefined) return undefined
  const { id, accountId, url, failingSince, tries } = row
  const isOff = row.active === 0
  const since = isOff ? row.switchedOffAt : row.notifiedAt
  const users = await tx.all<{ email: string }>(
    // The account of the first start has no address.
    `select email from users where account_id = ? and email not like '%@postern.local' order by id`,
    accountId,
  )
  if (since === null || failingSince === null || since < tx.nowMs - TOO_OLD_MS || users.length === 0) {
    await tx.run('update endpoints set mail_due_at = null where id = ?', id)
    return null
  }
  const dueAt = tx.nowMs + TAKEN_MS
  await tx.run('update endpoints set mail_due_at = ?, mail_tries = mail_tries + 1 where id = ?', dueAt, id)
  return {
    id,
    accountId,
    url,
    event: isOff ? 'switched_off' : 'failing',
    failingSince: Number(failingSince),
    since: Number(since),
    tries: Number(tries) + 1,
    dueAt,
    to: users.map(({ email }) => email),
  }
}

/** Records that the mail was sent, or when it is tried again. A newer mail about the endpoint stays due. */
export async function endEndpointMail(
  tx: Tx,
  { id, dueAt, againInMs }: { id: string; dueAt: number; againInMs: number | null },
): Promise<void> {
  if (againInMs === null) {
    await tx.run('update endpoints set mailed_at = ? where id = ?', tx.nowMs, id)
    await tx.run('update endpoints set mail_due_at = null where id = ? and mail_due_at = ?', id, dueAt)
    return
  }
  await tx.run('update endpoints set mail_due_at = ? where id = ? and mail_due_at = ?', tx.nowMs + againInMs, id, dueAt)
}
