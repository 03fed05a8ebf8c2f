/** A chat that is muted until it is unmuted. It is the last day that dates of the API can have. */
export const MUTED_FOREVER_MS = Date.UTC(9999, 11, 31)

/** A chat of a number, without content. */
export interface Chat {
  /** The JID with the phone number if it is known, otherwise the hidden identifier; or the JID of a group. */
  jid: string
  /** The time of the newest message that the gateway has seen; `null` if it has seen none. */
  lastActivityMs: number | null
  /** Messages that arrived since the chat was read. */
  unread: number
  /** The owner has marked the chat as unread. */
  isMarkedUnread: boolean
  isArchived: boolean
  isPinned: boolean
  /** `null`: it is not muted. */
  mutedUntilMs: number | null
  labels: string[]
}

/** What has become known of a chat. A field that is absent has not changed. */
export interface ChatChange {
  jid: string
  /** The time of a message. */
  activeAtMs?: number
  /** How many messages others have written; they are unread if they are newer than `readThroughMs`. */
  received?: number
  /** The owner has read the chat up to this time. */
  readThroughMs?: number
  isMarkedUnread?: boolean
  isArchived?: boolean
  isPinned?: boolean
  mutedUntilMs?: number | null
  label?: { id: string; isOn: boolean }
  /** The owner has deleted the chat. */
  isDeleted?: true
}

/** A label that the owner has named; `null`: has deleted. */
export interface LabelChange {
  id: string
  name: string | null
}

/** What the API changes in a chat. */
export interface WantedChat {
  isArchived?: boolean
  isPinned?: boolean
  mutedUntilMs?: number | null
  isRead?: boolean
  /** The ids of all labels that the chat has from now on. */
  labels?: string[]
}
