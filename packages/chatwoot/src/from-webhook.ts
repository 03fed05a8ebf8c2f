import { createHash } from 'node:crypto'
import { jidKind, withoutDevice } from './jid.ts'
import { field, idIn, type Json } from './json.ts'

export const SOURCE_PREFIX = 'postern:'
export const MARK_LENGTH = 12

/** A message of an agent, as Chatwoot's webhook reports it. */
export interface AgentMessage {
  id: number
  conversationId: number
  contactId: number | null
  /** The recipient by the contact's data in Chatwoot; `null` if the contact has no address. */
  recipient: string | null
  /** All addresses of the contact. */
  addresses: string[]
  /** Distinguishes messages with the same id: Chatwoot reuses ids after a restore from a backup. */
  mark: string
  text: string
  files: Array<{ url: string; type: string; filename: string | null }>
  /** The message of Chatwoot that it replies to. */
  replyTo: number | null
}

/** `undefined` if nothing is to be sent. Messages that the bridge posted come back with its source id. */
export function agentMessageIn(
  payload: unknown,
  { account, inbox }: { account: number; inbox: number },
): AgentMessage | undefined {
  const body = objectOf(payload)
  if (field(body, 'event') !== 'message_created' || field(body, 'private') === true) return undefined
  if (!['outgoing', 'template'].includes(String(field(body, 'message_type')))) return undefined
  if (String(field(body, 'source_id') ?? '').startsWith(SOURCE_PREFIX)) return undefined
  if (idIn(objectOf(field(body, 'account')), 'id') !== account) return undefined
  if (idIn(objectOf(field(body, 'inbox')), 'id') !== inbox) return undefined
  const conversation = objectOf(field(body, 'conversation'))
  const [id, conversationId] = [idIn(body, 'id'), idIn(conversation, 'id')]
  if (id === null || conversationId === null) return undefined
  const contact = objectOf(field(objectOf(field(conversation, 'meta')), 'sender'))
  const content = field(body, 'content')
  const text = typeof content === 'string' ? content : ''
  const addresses = addressesOf(contact)
  const files = field(body, 'attachments')
  return {
    id,
    conversationId,
    contactId: idIn(contact, 'id'),
    recipient: addresses[0] ?? null,
    addresses,
    mark: markOf(field(body, 'created_at') ?? text),
    text,
    files: Array.isArray(files) ? files.flatMap(file => fileOf(objectOf(file)) ?? []) : [],
    replyTo: idIn(objectOf(field(body, 'content_attributes')), 'in_reply_to'),
  }
}

/** The identifier comes first: it is the most reliable one. */
function addressesOf(contact: Json): string[] {
  const identifier = String(field(contact, 'identifier') ?? '')
  const digits = String(field(contact, 'phone_number') ?? '').replace(/\D/g, '')
  return [
    ...(['user', 'lid', 'group'].includes(jidKind(identifier) ?? '') ? [withoutDevice(identifier)] : []),
    ...(/^[1-9]\d{4,19}$/.test(digits) ? [`${digits}@s.whatsapp.net`] : []),
  ]
}

const markOf = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, MARK_LENGTH)

function fileOf(file: Json): AgentMessage['files'][number] | undefined {
  const url = field(file, 'data_url')
  if (typeof url !== 'string' || url === '') return undefined
  return { url, type: String(field(file, 'file_type') ?? 'file'), filename: filenameOf(url) }
}

/** The URL of a file ends with its name. */
function filenameOf(url: string): string | null {
  try {
    const name = decodeURIComponent(new URL(url).pathname.split('/').at(-1)!)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be in a name
    return /^[^/\\\u0000-\u001f]{1,255}$/.test(name) ? name : null
  } catch {
    return null
  }
}

const objectOf = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {}
