export interface Page<Item> {
  data: Item[]
  /** Give it as `cursor` for the next page; null on the last. */
  next_cursor: string | null
}

export interface WebhookUrls {
  messages_url?: string
  status_url?: string
  connection_url?: string
  events_url?: string
}

export interface Webhook extends Required<WebhookUrls> {
  id: string
  session_id: string
  phone: string
  active: boolean
  created_at: string
}

/** `secret` is shown here and never again. */
export interface CreatedWebhook extends Webhook {
  secret: string
}

export interface WebhookTestResult {
  category: string
  url: string
  http_status: number | null
  latency_ms: number
  response_excerpt: string
  error?: string
}

export interface Session {
  id: string
  phone: string
  label: string
  platform: string
  state: 'connecting' | 'connected' | 'disconnected' | 'logged_out'
  hosted: boolean
  connected_at: string | null
  last_event_at: string | null
  auto_reject: { enabled: boolean; message: string | null }
  pace_ms: number
  /** How direct messages name people: by hidden identifier where there is one, by that alone, or by number. */
  addressing: 'auto' | 'lid' | 'pn'
  restricted_until?: string
  /** Why it is not connected, or is restricted or paused, in words for people. */
  reason: string | null
  /** When that ends by itself. */
  until: string | null
}

interface Envelope {
  session_id: string
  /** A JID, or a number in international form. */
  to: string
  quoted_message_id?: string
  quoted_participant?: string
  quoted_text?: string
  /** ISO 8601, up to 30 days ahead. */
  send_at?: string
}

export type OutgoingMessage = Envelope &
  (
    | { text: string; mentions?: string[]; link_preview?: boolean }
    | {
        media_type: 'image' | 'video' | 'audio' | 'voice' | 'document' | 'sticker'
        media_url: string
        text?: string
        filename?: string
        view_once?: boolean
      }
    /** An empty text takes the reaction back. */
    | { reacted_message_id: string; text: string; reacted_participant?: string }
    | { location: { latitude: number; longitude: number; name?: string; address?: string } }
    | { contacts: { name: string; phone: string }[] }
    | { poll: { name: string; options: string[]; selectable_count?: number } }
    | { text: string; footer?: string; buttons: { id: string; text: string }[] }
    | { text: string; footer?: string; list: Record<string, unknown> }
  )

export interface QueuedMessage {
  message_id: string
  /** The Idempotency-Key; events carry it. */
  request_id: string
  session_id: string
  to: string
  status: 'queued'
  server_id?: number
}

/** A delivery of the history; see the API reference for its fields. */
export interface Delivery {
  id: string
  status: 'pending' | 'delivered' | 'failed' | 'dead'
  [field: string]: unknown
}
