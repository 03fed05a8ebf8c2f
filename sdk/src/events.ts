/** The events that the gateway posts to your URLs. `kind` distinguishes them. */
export type WebhookEvent =
  | MessageEvent
  | ReceiptEvent
  | StatusEvent
  | ConnectionEvent
  | PollVoteEvent
  | TypingEvent
  | PresenceEvent
  | CallEvent
  | NewsletterMessageEvent

/** A message came in. Sent to messages_url. */
export interface MessageEvent {
  kind: 'message'
  message_id: string
  session_id: string
  /** In groups this may be a hidden-number id (`…@lid`); the number is then in `sender_phone`. */
  sender_jid: string
  sender_phone?: string
  sender_name: string
  chat_jid: string
  is_group: boolean
  /** True for Status/Story posts. */
  broadcast: boolean
  type:
    | 'text'
    | 'reaction'
    | 'image'
    | 'video'
    | 'audio'
    | 'document'
    | 'sticker'
    | 'location'
    | 'poll'
    | 'button_response'
    | 'other'
  /** Text, caption, emoji of a reaction (empty: removed), question of a poll, label of a button. */
  text: string
  timestamp_unix: number
  media?: MediaPart
  location?: { latitude: number; longitude: number; name?: string; address?: string }
  poll?: { name: string; options: string[]; selectable_count: number }
  button_response?: { selected_id: string; selected_text: string; params_json?: string }
  quoted_message_id?: string
  quoted_participant?: string
  quoted_text?: string
  reacted_message_id?: string
  edited_message_id?: string
  revoked_message_id?: string
}

export interface MediaPart {
  mimetype: string
  extension: string
  filename?: string
  file_length: number
  /** Base64; empty unless `status` is `downloaded`. */
  data: string
  status: 'downloaded' | 'too_large' | 'error'
}

/** A message of yours was delivered, read or played. Sent to status_url. */
export interface ReceiptEvent {
  kind: 'receipt'
  session_id: string
  request_id: string
  messenger_message_id: string
  recipient_jid: string
  receipt_type: 'delivered' | 'read' | 'played'
  timestamp_unix: number
}

/** A message of yours was sent, or failed permanently. Sent to status_url. */
export interface StatusEvent {
  kind: 'status'
  session_id: string
  request_id: string
  message_id: string
  messenger_message_id?: string
  to: string
  status: 'sent' | 'failed'
  reason?: 'INVALID_RECIPIENT' | 'MEDIA_FAILED' | 'SEND_FAILED' | 'RETRIES_EXHAUSTED'
  /** For people; do not parse it. */
  detail?: string
  server_id?: number
  timestamp_unix: number
}

/** The number's connection changed. Sent to connection_url. */
export interface ConnectionEvent {
  kind: 'connection'
  session_id: string
  event: 'connected' | 'disconnected' | 'logged_out'
  timestamp_unix: number
}

/** Someone voted, or withdrew a vote (no hashes). Sent to events_url. */
export interface PollVoteEvent {
  kind: 'poll_vote'
  session_id: string
  voter_jid: string
  chat_jid: string
  poll_message_id: string
  poll_request_id?: string
  /** Hex SHA-256 of each chosen option's text. */
  selected_hashes: string[]
  timestamp_unix: number
}

export interface TypingEvent {
  kind: 'typing'
  session_id: string
  sender_jid: string
  chat_jid: string
  is_group: boolean
  typing: boolean
  media: 'text' | 'audio'
}

/** Sent only after a subscription to the contact. */
export interface PresenceEvent {
  kind: 'presence'
  session_id: string
  contact_jid: string
  online: boolean
  last_seen_unix: number
}

export interface CallEvent {
  kind: 'call'
  session_id: string
  call_id: string
  from_jid: string
  event: 'offer' | 'terminate'
  video: boolean
  reason?: string
  rejected: boolean
  timestamp_unix: number
}

/** A post in a channel that the number follows. */
export interface NewsletterMessageEvent {
  kind: 'newsletter_message'
  session_id: string
  newsletter_jid: string
  server_id: number
  message_id: string
  type: string
  text: string
  timestamp_unix: number
}
