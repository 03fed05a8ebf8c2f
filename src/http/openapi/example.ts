import { getOwn } from '../../runtime/get-own.ts'
import type { Json } from './schemas.ts'

const NUMBER = '15551234567:1@s.whatsapp.net'
const CONTACT = '15557654321@s.whatsapp.net'
const ULID = '01j9x2v5q8w3r6t1y4z7a0b2c5'

/** The example for a field of this name, if the schema says only that it is a text. */
const TEXTS: Record<string, string> = {
  session_id: NUMBER,
  phone: '15551234567',
  to: CONTACT,
  jid: CONTACT,
  chat_jid: CONTACT,
  sender_jid: CONTACT,
  sender_phone: CONTACT,
  sender_name: 'Ada',
  contact_jid: CONTACT,
  recipient_jid: CONTACT,
  voter_jid: CONTACT,
  from_jid: CONTACT,
  newsletter_jid: '120363000000000000@newsletter',
  label: 'Support',
  name: 'Acme',
  title: 'Acme',
  text: 'Is my order on its way?',
  message_id: `msg_${ULID}`,
  request_id: 'order-1001-shipped',
  messenger_message_id: '3EB0A1B2C3D4E5F6A7B8C9',
  event_id: `evt_${ULID}`,
  webhook_id: `wh_${ULID}`,
  delivery_id: `dlv_${ULID}`,
  key: `ptn_${'x'.repeat(40)}`,
  prefix: 'ptn_xxxxxxxx',
  secret: `whsec_${'x'.repeat(43)}`,
  version: '2026-01',
  current_tos_version: '2026-01',
  tos_version: '2026-01',
  url: 'https://gateway.example.com/terms',
  messages_url: 'https://example.com/hooks',
  status_url: 'https://example.com/hooks',
  connection_url: '',
  events_url: '',
  period: '2026-01',
  day: '2026-01-31',
  emoji: '👍',
  mimetype: 'image/png',
  extension: 'png',
  filename: 'invoice.pdf',
  next_cursor: '',
}

interface Sample extends Json {
  anyOf?: Sample[]
  items?: Sample
  properties?: Record<string, Sample>
  required?: string[]
}

/** A value that matches the schema, as realistic as its names allow. Deep optional fields are left out. */
export function exampleOf(schema: unknown, name = '', depth = 0): unknown {
  const { const: only, enum: choices, examples, default: usual, anyOf, type, ...rest } = schema as Sample
  if (only !== undefined) return only
  if (choices !== undefined) return (choices as unknown[])[0]
  if (examples !== undefined) return (examples as unknown[])[0]
  if (anyOf !== undefined)
    return anyOf.some(each => each['type'] === 'null') ? nullable(anyOf, name, depth) : exampleOf(anyOf[0], name, depth)
  if (usual !== undefined) return usual
  if (type === 'object') return objectOf(rest, depth)
  if (type === 'array') return rest.items === undefined ? [] : [exampleOf(rest.items, singular(name), depth + 1)]
  if (type === 'integer' || type === 'number') return numberOf(rest, name)
  if (type === 'boolean') return true
  return type === 'string' ? textOf(rest, name) : {}
}

const nullable = (anyOf: Sample[], name: string, depth: number): unknown =>
  /^(next_cursor|reason|until|error|detail|.*_until|.*_version|redelivered_at|replaced_by|replayed_as|replay_of|next_attempt_at|send_at|expires_at)$/.test(
    name,
  )
    ? null
    : exampleOf(
        anyOf.find(each => each['type'] !== 'null'),
        name,
        depth,
      )

function objectOf({ properties = {}, required = [] }: Sample, depth: number): Json {
  const shown = Object.entries(properties).filter(([name]) => required.includes(name))
  return Object.fromEntries(shown.map(([name, field]) => [name, exampleOf(field, name, depth + 1)]))
}

function numberOf({ minimum }: Sample, name: string): number {
  if (name.endsWith('_unix')) return 1_769_860_800
  return Math.max((minimum as number | undefined) ?? 0, 1)
}

function textOf({ format, pattern, minLength }: Sample, name: string): string {
  if (format === 'date-time') return '2026-01-31T12:00:00.000Z'
  if (format === 'uri') return 'https://gateway.example.com/docs/errors'
  const known = getOwn(TEXTS, name)
  if (known !== undefined) return known
  if (pattern !== undefined) return patterned(pattern as string, (minLength as number | undefined) ?? 1)
  return name === 'id' || name.endsWith('_id') ? ULID : 'text'.padEnd((minLength as number | undefined) ?? 0, '.')
}

const patterned = (pattern: string, minLength: number): string =>
  ['2026-01-31', 'ada@example.com', 'A'.repeat(minLength)].find(
    text => text.length >= minLength && new RegExp(pattern).test(text),
  ) ?? ''

const singular = (name: string): string => name.replace(/s$/, '')
