import type { RetryMode, SignatureScheme } from '../../domain/endpoint.ts'
import type { IncludeWord } from '../../domain/include.ts'
import { insertEvents, type NewEvent } from '../events/events.ts'
import type { Reader, Tx } from '../transaction.ts'
import { requestEndpointMail } from './endpoint-mails.ts'
import { endEndpointDeliveries } from './endpoints.ts'

/** An endpoint as an attempt needs it, with its sealed secrets and headers. */
export interface CurrentEndpointRow {
  id: string
  url: string
  /** `null`: every number of the account. */
  sessionIds: string[] | null
  include: IncludeWord[]
  signature: SignatureScheme
  retry: RetryMode
  reply: boolean
  active: boolean
  headers: Uint8Array | null
  secret: Uint8Array
  oldSecret: Uint8Array | null
  oldSecretUntil: number | null
  failingSince: number | null
  /** When the gateway published the event that it is failing. */
  notifiedAt: number | null
}

/** Leaves out ids of endpoints that were deleted. */
export async function readCurrentEndpoints(reader: Reader, ids: string[]): Promise<CurrentEndpointRow[]> {
  const r = reader.ids(ids)
  type Row = Omit<CurrentEndpointRow, 'include' | 'reply' | 'active' | 'sessionIds'> & {
    include: string
    reply: number
    active: number
    session_ids: string | null
  }
  const rows = await reader.all<Row>(
    `select e.id, e.url, e.session_ids, e.include, e.signature, e.retry, e.reply, e.active, e.headers, e.secret, e.old_secret as "oldSecret",
       e.old_secret_until as "oldSecretUntil", e.failing_since as "failingSince", e.notified_at as "notifiedAt"
     from ${r.sql} r join endpoints e on e.id = r.id`,
    ...r.params,
  )
  return rows.map(({ session_ids: ids, ...row }) => ({
    ...row,
    sessionIds: ids === null ? null : (JSON.parse(ids) as string[]),
    include: JSON.parse(row.include) as IncludeWord[],
    reply: row.reply === 1,
    active: row.active === 1,
  }))
}

/** What the attempts at an endpoint have shown. */
export type EndpointHealth =
  | { kind: 'failing'; sinceMs: number }
  /** It has been failing for so long that the account gets an event. */
  | { kind: 'notify'; event: NewEvent }
  | { kind: 'switch_off'; event: NewEvent }
  /** It answers again, while it is switched on; `event` if the account got one that it was failing. */
  | { kind: 'answers'; event: NewEvent | null }

/** Stores a change of an endpoint's health once, together with its event. */
export async function recordEndpointHealth(
  tx: Tx,
  { id, health }: { id: string; health: EndpointHealth },
): Promise<void> {
  if ((await storeHealth(tx, id, health)) === 0) return
  if (health.kind !== 'failing' && health.event !== null) await insertEvents(tx, [health.event])
  if (health.kind === 'notify' || health.kind === 'switch_off') await requestEndpointMail(tx, health.event.accountId)
  if (health.kind === 'switch_off') await endEndpointDeliveries(tx, id)
  tx.notify({ about: 'webhooks', webhookId: id })
}

/** Returns how many rows changed: none if the endpoint was in this state already. */
function storeHealth(tx: Tx, id: string, health: EndpointHealth): Promise<number> {
  const now = tx.nowMs
  switch (health.kind) {
    case 'failing':
      return tx.run('update endpoints set failing_since = ? where id = ? and failing_since is null', health.sinceMs, id)
    case 'notify':
      return tx.run('update endpoints set notified_at = ? where id = ? and notified_at is null', now, id)
    case 'switch_off':
      return tx.run(
        'update endpoints set active = 0, switched_off_at = ?, updated_at = ? where id = ? and active = 1',
        now,
        now,
        id,
      )
    case 'answers':
      return tx.run(
        `update endpoints set failing_since = null, notified_at = null
         where id = ? and active = 1 and failing_since is not null`,
        id,
      )
    default: {
      const never: never = health
      return never
    }
  }
}
