import { BOUNDS } from '../../domain/bounds.ts'
import { type Category, CATEGORIES } from '../../domain/event.ts'
import type { Webhook } from '../../domain/webhook.ts'
import type { Reader, Tx } from '../transaction.ts'
import { type Page, type PageRequest, toPage } from '../page.ts'
import { laneOf, shardOf } from '../../domain/delivery.ts'

export interface WebhookRow {
  id: string
  account_id: string
  session_id: string
  phone: string
  messages_url: string
  status_url: string
  connection_url: string
  events_url: string
  active: number
  created_at: number
}

const COLUMNS =
  'id, account_id, session_id, phone, messages_url, status_url, connection_url, events_url, active, created_at'

export interface NewWebhook {
  id: string
  accountId: string
  sessionId: string
  phone: string
  urls: Record<Category, string>
  sealedSecret: Uint8Array
}

export type CreatedWebhook =
  | { kind: 'created'; webhook: Webhook }
  /** The number has a webhook (specification, Limits: one config per number). */
  | { kind: 'exists' }
  /** The limit of webhooks of deleted numbers is reached. */
  | { kind: 'too_many_inactive' }

export async function createWebhook(tx: Tx, input: NewWebhook): Promise<CreatedWebhook> {
  const row: WebhookRow = {
    id: input.id,
    account_id: input.accountId,
    session_id: input.sessionId,
    phone: input.phone,
    ...urlColumns(input.urls),
    active: 1,
    created_at: tx.nowMs,
  }
  if (await hasManyInactive(tx, input.accountId)) return { kind: 'too_many_inactive' }
  const inserted = await tx.insert(
    'webhooks',
    [{ ...row, secret: input.sealedSecret, updated_at: tx.nowMs }],
    'on conflict (account_id, session_id) do nothing returning id',
  )
  if (inserted.length === 0) return { kind: 'exists' }
  tx.notify({ about: 'sessions', sessionId: input.sessionId })
  return { kind: 'created', webhook: toWebhook(row) }
}

/** Active webhooks are limited by the numbers; webhooks of deleted numbers stay until the customer deletes them. */
async function hasManyInactive(tx: Tx, accountId: string): Promise<boolean> {
  const { n } = (await tx.get<{ n: number }>(
    'select count(*) as n from webhooks where account_id = ? and active = 0',
    accountId,
  ))!
  return n >= BOUNDS.inactiveWebhooks
}

export async function updateWebhook(
  tx: Tx,
  input: { id: string; urls: Partial<Record<Category, string>> },
): Promise<Webhook | undefined> {
  const row = await tx.get<WebhookRow>(`select ${COLUMNS} from webhooks where id = ?${tx.forUpdate}`, input.id)
  if (row === undefined) return undefined
  const urls = { ...toWebhook(row).urls, ...input.urls }
  await tx.run(
    `update webhooks set messages_url = ?, status_url = ?, connection_url = ?, events_url = ?, updated_at = ? where id = ?`,
    urls.messages,
    urls.status,
    urls.connection,
    urls.events,
    tx.nowMs,
    input.id,
  )
  tx.notify({ about: 'webhooks', webhookId: input.id })
  // Whether it receives typing and presence decides how the number appears.
  tx.notify({ about: 'sessions', sessionId: row.session_id })
  return toWebhook({ ...row, ...urlColumns(urls) })
}

export async function deleteWebhook(tx: Tx, id: string): Promise<boolean> {
  const deleted = await tx.get<{ sessionId: string }>(
    'delete from webhooks where id = ? returning session_id as "sessionId"',
    id,
  )
  tx.notify({ about: 'webhooks', webhookId: id })
  if (deleted) tx.notify({ about: 'sessions', sessionId: deleted.sessionId })
  return deleted !== undefined
}

/** The old secret signs too, until `overlapMs` has passed. */
export async function rotateWebhookSecret(
  tx: Tx,
  input: { id: string; sealedSecret: Uint8Array; overlapMs: number },
): Promise<Webhook | undefined> {
  const row = await tx.get<WebhookRow & { secret: Uint8Array }>(
    `select ${COLUMNS}, secret from webhooks where id = ?${tx.forUpdate}`,
    input.id,
  )
  if (row === undefined) return undefined
  await tx.run(
    'update webhooks set secret = ?, old_secret = ?, old_secret_until = ?, updated_at = ? where id = ?',
    input.sealedSecret,
    input.overlapMs > 0 ? row.secret : null,
    input.overlapMs > 0 ? tx.nowMs + input.overlapMs : null,
    tx.nowMs,
    input.id,
  )
  tx.notify({ about: 'webhooks', webhookId: input.id })
  return toWebhook(row)
}

export async function getWebhook(reader: Reader, id: string): Promise<Webhook | undefined> {
  const row = await reader.get<WebhookRow>(`select ${COLUMNS} from webhooks where id = ?`, id)
  return row && toWebhook(row)
}

/** The sealed secrets that sign now: the current one, and during an overlap the previous one. */
export async function getWebhookSecrets(reader: Reader, id: string): Promise<Uint8Array[]> {
  const row = await reader.get<{ secret: Uint8Array; old_secret: Uint8Array | null; old_secret_until: number | null }>(
    'select secret, old_secret, old_secret_until from webhooks where id = ?',
    id,
  )
  if (row === undefined) return []
  const overlaps = row.old_secret !== null && (row.old_secret_until ?? 0) > (await reader.now())
  return overlaps ? [row.secret, row.old_secret!] : [row.secret]
}

export async function listWebhooks(
  reader: Reader,
  input: { accountId: string; sessionIds: string[] | null } & PageRequest,
): Promise<Page<Webhook>> {
  const allowed = reader.ids(input.sessionIds ?? [])
  const filter = input.sessionIds === null ? '' : `and (session_id in (select id from ${allowed.sql} a)) is true`
  const rows = await reader.all<WebhookRow>(
    `select ${COLUMNS} from webhooks where account_id = ? and id > ? ${filter} order by id limit ?`,
    input.accountId,
    input.cursor ?? '',
    ...(input.sessionIds === null ? [] : allowed.params),
    input.limit + 1,
  )
  return toPage(rows, input.limit, row => row.id, toWebhook)
}

const urlColumns = (urls: Record<Category, string>) => ({
  messages_url: urls.messages,
  status_url: urls.status,
  connection_url: urls.connection,
  events_url: urls.events,
})

function toWebhook(row: WebhookRow): Webhook {
  return {
    id: row.id,
    accountId: row.account_id,
    sessionId: row.session_id,
    phone: row.phone,
    urls: {
      messages: row.messages_url,
      status: row.status_url,
      connection: row.connection_url,
      events: row.events_url,
    },
    active: row.active === 1,
    createdAt: row.created_at,
  }
}

/** Deliveries that one transaction changes, so that it stays short; the others become due within half an hour. */
const BATCH = 500

/**
 * Makes the waiting deliveries of webhooks due that are turned off in this transaction: the dispatcher makes each a
 * dead letter with its reason instead of sending it.
 */
export async function endDeliveries(tx: Tx, webhookIds: string[]): Promise<void> {
  for (const id of [...webhookIds].sort()) {
    for (const category of CATEGORIES) {
      const lane = laneOf(id, { category, sessionId: '' })
      const changed = await tx.run(
        `update deliveries set due_at = ? where due_at > ? and id in (
           select id from deliveries where shard = ? and lane = ? and due_at > ? order by due_at, id limit ${BATCH})`,
        tx.nowMs,
        tx.nowMs,
        shardOf(id),
        lane,
        tx.nowMs,
      )
      if (changed > 0) tx.notify({ about: 'deliveries', lane, dueAt: tx.nowMs })
    }
    tx.notify({ about: 'webhooks', webhookId: id })
  }
}

/** A webhook as an attempt needs it: URLs, whether it is active, and the sealed secrets. */
export interface CurrentWebhookRow {
  id: string
  urls: Record<Category, string>
  active: boolean
  secret: Uint8Array
  oldSecret: Uint8Array | null
  oldSecretUntil: number | null
}

type WebhookColumns = Record<Category, string> & { active: number } & Pick<
    CurrentWebhookRow,
    'id' | 'secret' | 'oldSecret' | 'oldSecretUntil'
  >

/** The webhooks that exist. */
export async function readCurrentWebhooks(reader: Reader, webhookIds: string[]): Promise<CurrentWebhookRow[]> {
  const r = reader.ids(webhookIds)
  const rows = await reader.all<WebhookColumns>(
    `select w.id, w.messages_url as messages, w.status_url as status, w.connection_url as connection,
       w.events_url as events, w.active, w.secret, w.old_secret as "oldSecret", w.old_secret_until as "oldSecretUntil"
     from ${r.sql} r join webhooks w on w.id = r.id`,
    ...r.params,
  )
  return rows.map(({ messages, status, connection, events, active, ...rest }) => ({
    ...rest,
    urls: { messages, status, connection, events },
    active: active === 1,
  }))
}
