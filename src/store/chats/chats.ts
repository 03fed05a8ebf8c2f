import { BOUNDS } from '../../domain/bounds.ts'
import type { Chat } from '../../domain/chat.ts'
import { type Page, type PageRequest, toPage } from '../page.ts'
import type { Reader, Tx } from '../transaction.ts'

interface ChatRow {
  jid: string
  last_activity: number | null
  unread: number
  marked_unread: number | null
  archived: number | null
  pinned: number | null
  muted_until: number | null
}

const COLUMNS = 'jid, last_activity, unread, marked_unread, archived, pinned, muted_until'

function toChat(row: ChatRow, labels: ReadonlyMap<string, string[]>, nowMs: number): Chat {
  const { muted_until: mutedUntil } = row
  return {
    jid: row.jid,
    lastActivityMs: row.last_activity,
    unread: row.unread,
    isMarkedUnread: row.marked_unread === 1,
    isArchived: row.archived === 1,
    isPinned: row.pinned === 1,
    mutedUntilMs: mutedUntil !== null && mutedUntil > nowMs ? mutedUntil : null,
    labels: labels.get(row.jid) ?? [],
  }
}

/** The chats of a number, in the order of their JIDs: an order by activity would cost an index entry per message. */
export async function listChats(
  reader: Reader,
  { sessionId, limit, cursor }: { sessionId: string } & PageRequest,
): Promise<Page<Chat>> {
  const rows = await reader.all<ChatRow>(
    `select ${COLUMNS} from chats where session_id = ? and jid > ? order by jid limit ?`,
    sessionId,
    cursor ?? '',
    limit + 1,
  )
  const [labels, nowMs] = [await readLabels(reader, sessionId, rows), await reader.now()]
  return toPage(
    rows,
    limit,
    row => row.jid,
    row => toChat(row, labels, nowMs),
  )
}

export async function getChat(
  reader: Reader,
  { sessionId, jid }: { sessionId: string; jid: string },
): Promise<Chat | undefined> {
  const row = await reader.get<ChatRow>(`select ${COLUMNS} from chats where session_id = ? and jid = ?`, sessionId, jid)
  return row && toChat(row, await readLabels(reader, sessionId, [row]), await reader.now())
}

async function readLabels(
  reader: Reader,
  sessionId: string,
  chats: ReadonlyArray<Pick<ChatRow, 'jid'>>,
): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>()
  if (chats.length === 0) return found
  const r = reader.ids(chats.map(({ jid }) => jid))
  const rows = await reader.all<{ jid: string; label: string }>(
    `select l.jid, l.label from ${r.sql} r join chat_labels l on l.session_id = ? and l.jid = r.id order by l.jid, l.label`,
    ...r.params,
    sessionId,
  )
  for (const { jid, label } of rows) {
    const labels = found.get(jid)
    if (labels === undefined) found.set(jid, [label])
    else if (labels.length < BOUNDS.labelsOfChat) labels.push(label)
  }
  return found
}

/** More than any app lets people create. */
const MAX_LABELS = 1_000

/** The labels of a number, with their sealed names. */
export async function readLabelNames(
  reader: Reader,
  sessionId: string,
): Promise<Array<{ id: string; sealed: Uint8Array }>> {
  return await reader.all(
    'select id, sealed from labels where session_id = ? order by id limit ?',
    sessionId,
    MAX_LABELS,
  )
}

/** Since when the gateway follows the chats of a number, and when it first had all that its phone shares of them. */
export interface FollowedChats {
  since: number | null
  syncedAt: number | null
}

/** Follows the chats of a number from now on. `isNew`: the gateway did not follow them before. */
export async function followChats(tx: Tx, sessionId: string): Promise<FollowedChats & { isNew: boolean }> {
  const isNew =
    (await tx.run('update sessions set chats_since = ? where id = ? and chats_since is null', tx.nowMs, sessionId)) > 0
  if (isNew) tx.notify({ about: 'sessions', sessionId })
  return { ...(await readFollowedChats(tx, sessionId)), isNew }
}

export async function readFollowedChats(reader: Reader, sessionId: string): Promise<FollowedChats> {
  const row = await reader.get<FollowedChats>(
    'select chats_since as since, chats_synced_at as "syncedAt" from sessions where id = ?',
    sessionId,
  )
  return row ?? { since: null, syncedAt: null }
}
