import type { ChatChange } from '../../domain/chat.ts'
import type { Row, Tx } from '../transaction.ts'

export interface NumberChats {
  sessionId: string
  chats: readonly ChatChange[]
}

const bit = (is: boolean | undefined): number | null => (is === undefined ? null : is ? 1 : 0)

/** In the order of the columns; 0 stands for "not muted", null for "no change". */
const rowOf = (sessionId: string, change: ChatChange): Row => ({
  session_id: sessionId,
  jid: change.jid,
  last_activity: change.activeAtMs ?? null,
  unread: change.received ?? 0,
  read_through: change.readThroughMs ?? null,
  marked_unread: bit(change.isMarkedUnread),
  archived: bit(change.isArchived),
  pinned: bit(change.isPinned),
  muted_until: change.mutedUntilMs === undefined ? null : (change.mutedUntilMs ?? 0),
})

// A message that is older than the last reading of its chat is not unread, in whatever order both become known.
const TAKE_OVER = `on conflict (session_id, jid) do update set
  last_activity = case when coalesce(excluded.last_activity, 0) > coalesce(chats.last_activity, 0)
    then excluded.last_activity else chats.last_activity end,
  unread = case when excluded.read_through >= coalesce(chats.last_activity, 0) then 0
    when excluded.unread > 0 and excluded.last_activity > coalesce(chats.read_through, 0)
    then chats.unread + excluded.unread else chats.unread end,
  read_through = case when coalesce(excluded.read_through, 0) > coalesce(chats.read_through, 0)
    then excluded.read_through else chats.read_through end,
  marked_unread = coalesce(excluded.marked_unread, chats.marked_unread),
  archived = coalesce(excluded.archived, chats.archived),
  pinned = coalesce(excluded.pinned, chats.pinned),
  muted_until = coalesce(excluded.muted_until, chats.muted_until)`

/** Stores what has become known of chats: one statement, unless a chat has changed twice. */
export async function writeChats(tx: Tx, numbers: readonly NumberChats[]): Promise<void> {
  for (const rows of withoutRepeats(numbers)) await tx.insert('chats', rows, TAKE_OVER)
  for (const { sessionId, chats } of numbers) {
    for (const { jid, label, isDeleted } of chats) {
      if (isDeleted) await removeChat(tx, sessionId, jid)
      if (label?.isOn)
        await tx.insert('chat_labels', [{ session_id: sessionId, jid, label: label.id }], ON_CONFLICT_NOTHING)
      else if (label)
        await tx.run('delete from chat_labels where session_id = ? and jid = ? and label = ?', sessionId, jid, label.id)
    }
  }
}

const ON_CONFLICT_NOTHING = 'on conflict (session_id, jid, label) do nothing'

async function removeChat(tx: Tx, sessionId: string, jid: string): Promise<void> {
  await tx.run('delete from chats where session_id = ? and jid = ?', sessionId, jid)
  await tx.run('delete from chat_labels where session_id = ? and jid = ?', sessionId, jid)
}

/** The rows in lists that have each chat once, sorted, so that concurrent transactions lock them in the same order. */
function withoutRepeats(numbers: readonly NumberChats[]): Row[][] {
  const lists: Array<Map<string, Row>> = []
  for (const { sessionId, chats } of numbers) {
    for (const change of chats) {
      if (change.isDeleted) continue
      const name = `${sessionId}\n${change.jid}`
      const free = lists.find(list => !list.has(name))
      if (free) free.set(name, rowOf(sessionId, change))
      else lists.push(new Map([[name, rowOf(sessionId, change)]]))
    }
  }
  return lists.map(list => [...list].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row))
}

/** Stores the sealed names of labels; a label that is deleted is taken from its chats. */
export async function writeLabels(
  tx: Tx,
  sessionId: string,
  labels: ReadonlyArray<{ id: string; sealed: Uint8Array | null }>,
): Promise<void> {
  for (const { id, sealed } of labels) {
    if (sealed === null) {
      await tx.run('delete from labels where session_id = ? and id = ?', sessionId, id)
      await tx.run('delete from chat_labels where session_id = ? and label = ?', sessionId, id)
    } else {
      const row = { session_id: sessionId, id, sealed }
      await tx.insert('labels', [row], 'on conflict (session_id, id) do update set sealed = excluded.sealed')
    }
  }
}
