import type { ChatChange } from '../../domain/chat.ts'
import type { SessionLease } from '../../domain/lease.ts'
import { KEPT_MS } from '../../domain/retention.ts'
import type { Reader, Row, Tx } from '../transaction.ts'
import { type Fenced, heldLeases } from '../leases/fence.ts'
import { writeChats } from '../chats/write-chats.ts'
import { boundPoison } from '../inbox/poison.ts'
import { forgetTries } from '../inbox/unfinished-messages.ts'
import { type Progressed, recordProgress } from '../messages/message-progress.ts'
import type { ProgressStep } from '../messages/progress-steps.ts'

export interface SealedKey {
  category: string
  id: string
  /** `null` removes the key. */
  sealed: Uint8Array | null
}

export interface NewInboxItem {
  key: string
  seq: number
  kind: string
  chat: string
  receivedAt: number
  sealed: Uint8Array
  /** It is abandoned already: kept, and never read again. */
  poison?: boolean
}

/** A change of one device's state, made by the owner of its lease. */
export interface DeviceChange {
  lease: SessionLease
  creds: Uint8Array | null
  keys: SealedKey[]
  inbox: NewInboxItem[]
  sent: SealedCopy[]
  /** What the number's own doing changes in chats. */
  chats?: readonly ChatChange[]
  /** Inbox keys of finished messages. */
  finished?: string[]
  /** What receipts report of sent messages. They need no inbox item: the platform redelivers them until they are recorded. */
  progress?: ProgressStep[]
}

/** With progress, what of it is new. */
export type CommittedChange = Fenced | Progressed

/** A copy of a sent message, for devices that request it again; for a poll also the secret of its votes. */
export interface SealedCopy {
  platformId: string
  sealed: Uint8Array
  poll: { chatJid: string; senderJid: string; secret: Uint8Array } | null
}

/** Writes the changes of devices, each whole or not at all. A change under a lost lease is left out. */
export async function commitDeviceStates(tx: Tx, changes: DeviceChange[]): Promise<CommittedChange[]> {
  const holds = await heldLeases(
    tx,
    changes.map(change => change.lease),
  )
  const held = changes.filter(change => holds(change.lease))
  await writeCreds(tx, held)
  await writeKeys(tx, held)
  await writeInbox(tx, held)
  await writeSent(tx, held)
  await writePolls(tx, held)
  await forgetTries(tx, held)
  const numbers = held.flatMap(({ lease, chats }) => (chats?.length ? [{ sessionId: lease.id, chats }] : []))
  if (numbers.length > 0) await writeChats(tx, numbers)
  const progressed = await recordAll(tx, held)
  return changes.map(change => (holds(change.lease) ? (progressed.get(change) ?? 'done') : 'lost'))
}

async function recordAll(tx: Tx, changes: DeviceChange[]): Promise<Map<DeviceChange, Progressed>> {
  const reporting = changes.filter(({ progress = [] }) => progress.length > 0)
  if (reporting.length === 0) return new Map()
  const progressed = await recordProgress(
    tx,
    reporting.map(({ lease, progress }) => ({ lease, steps: progress!, commandId: null, inboxKey: null })),
  )
  return new Map(reporting.map((change, i) => [change, progressed[i]!]))
}

async function writeCreds(tx: Tx, changes: DeviceChange[]): Promise<void> {
  const last = new Map<string, Row>()
  for (const { lease, creds } of changes) {
    if (creds !== null) last.set(lease.id, { session_id: lease.id, sealed: creds })
  }
  await tx.insert('device_creds', [...last.values()], 'on conflict (session_id) do update set sealed = excluded.sealed')
}

async function writeKeys(tx: Tx, changes: DeviceChange[]): Promise<void> {
  const last = new Map<string, { session_id: string; category: string; id: string; sealed: Uint8Array | null }>()
  for (const { lease, keys } of changes) {
    const sessionId = lease.id
    for (const key of keys) last.set(`${sessionId}\n${key.category}\n${key.id}`, { session_id: sessionId, ...key })
  }
  const rows = [...last.values()]
  await tx.insert(
    'device_keys',
    rows.filter(row => row.sealed !== null) as Row[],
    'on conflict (session_id, category, id) do update set sealed = excluded.sealed',
  )
  await removeKeys(
    tx,
    rows.filter(row => row.sealed === null),
  )
}

async function removeKeys(tx: Tx, rows: Array<{ session_id: string; category: string; id: string }>): Promise<void> {
  if (rows.length === 0) return
  const r = tx.values({ session_id: 'text', category: 'text', id: 'text' }, rows)
  await tx.run(
    `delete from device_keys where (session_id, category, id) in (select session_id, category, id from ${r.sql} r)`,
    ...r.params,
  )
}

async function writeInbox(tx: Tx, changes: DeviceChange[]): Promise<void> {
  const rows = changes.flatMap(({ lease, inbox }) =>
    inbox.map(item => ({
      session_id: lease.id,
      key: item.key,
      seq: item.seq,
      kind: item.kind,
      chat: item.chat,
      received_at: item.receivedAt,
      sealed: item.sealed,
      done_at: item.poison ? tx.nowMs : null,
      reason: item.poison ? 'poison' : null,
    })),
  )
  await tx.insert('inbox', rows, 'on conflict (session_id, key) do nothing')
  await boundPoison(
    tx,
    rows.filter(row => row.reason === 'poison').map(row => row.session_id),
  )
}

async function writeSent(tx: Tx, changes: DeviceChange[]): Promise<void> {
  const last = new Map<string, Row>()
  for (const { lease, sent } of changes) {
    const sessionId = lease.id
    for (const { platformId, sealed } of sent) {
      const row = {
        session_id: sessionId,
        platform_id: platformId,
        sealed,
        expires_at: tx.nowMs + KEPT_MS.sentMessages,
      }
      last.set(`${sessionId}\n${platformId}`, row)
    }
  }
  await tx.insert(
    'sent_messages',
    [...last.values()],
    'on conflict (session_id, platform_id) do update set sealed = excluded.sealed, expires_at = excluded.expires_at',
  )
}

async function writePolls(tx: Tx, changes: DeviceChange[]): Promise<void> {
  const rows = changes.flatMap(({ lease, sent }) =>
    sent.flatMap(({ platformId, poll }) =>
      poll === null
        ? []
        : {
            session_id: lease.id,
            message_id: platformId,
            chat_jid: poll.chatJid,
            sender_jid: poll.senderJid,
            from_me: 1,
            secret: poll.secret,
            expires_at: tx.nowMs + KEPT_MS.answered,
          },
    ),
  )
  await tx.insert('seen_messages', rows, 'on conflict (session_id, message_id, chat_jid) do nothing')
}

export async function readDeviceCreds(reader: Reader, sessionId: string): Promise<Uint8Array | undefined> {
  const row = await reader.get<{ sealed: Uint8Array }>(
    'select sealed from device_creds where session_id = ?',
    sessionId,
  )
  return row?.sealed
}

export async function readDeviceKeys(
  reader: Reader,
  input: { sessionId: string; category: string; ids: string[] },
): Promise<Array<{ id: string; sealed: Uint8Array }>> {
  const r = reader.ids(input.ids)
  return await reader.all(
    `select id, sealed from device_keys
     where session_id = ? and category = ? and id in (select id from ${r.sql} r)`,
    input.sessionId,
    input.category,
    ...r.params,
  )
}

export async function readSentMessage(
  reader: Reader,
  input: { sessionId: string; platformId: string },
): Promise<Uint8Array | undefined> {
  const row = await reader.get<{ sealed: Uint8Array }>(
    'select sealed from sent_messages where session_id = ? and platform_id = ?',
    input.sessionId,
    input.platformId,
  )
  return row?.sealed
}
