import { jidKind, withoutDevice } from '../../domain/jid.ts'
import { lookUp } from '../../domain/look-up.ts'

export const SOURCE_PREFIX = 'postern:'

/** A message that somebody wrote in Chatwoot, as its webhook tells it. */
export interface Written {
  id: number
  conversationId: number
  contactId: number | null
  /** Who it is for, by what Chatwoot knows of the contact; `null`: nothing that can be written to. */
  recipient: string | null
  text: string
  files: Array<{ url: string; type: string; filename: string | null }>
  /** The message of Chatwoot that it answers. */
  replyTo: number | null
}

type Json = Record<string, unknown>

/** `undefined`: nothing that is to be sent. What the bridge itself has brought bears a mark, and comes back as an echo. */
export function writtenIn(
  payload: unknown,
  { account, inbox }: { account: number; inbox: number },
): Written | undefined {
  const body = part(payload)
  if (lookUp(body, 'event') !== 'message_created' || lookUp(body, 'private') === true) return undefined
  if (!['outgoing', 'template'].includes(String(lookUp(body, 'message_type')))) return undefined
  if (String(lookUp(body, 'source_id') ?? '').startsWith(SOURCE_PREFIX)) return undefined
  if (numberIn(part(lookUp(body, 'account')), 'id') !== account) return undefined
  if (numberIn(part(lookUp(body, 'inbox')), 'id') !== inbox) return undefined
  const conversation = part(lookUp(body, 'conversation'))
  const [id, conversationId] = [numberIn(body, 'id'), numberIn(conversation, 'id')]
  if (id === null || conversationId === null) return undefined
  const contact = part(lookUp(part(lookUp(conversation, 'meta')), 'sender'))
  const text = lookUp(body, 'content')
  const files = lookUp(body, 'attachments')
  return {
    id,
    conversationId,
    contactId: numberIn(contact, 'id'),
    recipient: recipientOf(contact),
    text: typeof text === 'string' ? text : '',
    files: Array.isArray(files) ? files.flatMap(file => fileOf(part(file)) ?? []) : [],
    replyTo: numberIn(part(lookUp(body, 'content_attributes')), 'in_reply_to'),
  }
}

function recipientOf(contact: Json): string | null {
  const identifier = String(lookUp(contact, 'identifier') ?? '')
  if (['user', 'lid', 'group'].includes(jidKind(identifier) ?? '')) return withoutDevice(identifier)
  const digits = String(lookUp(contact, 'phone_number') ?? '').replace(/\D/g, '')
  return /^[1-9]\d{4,19}$/.test(digits) ? `${digits}@s.whatsapp.net` : null
}

function fileOf(file: Json): Written['files'][number] | undefined {
  const url = lookUp(file, 'data_url')
  if (typeof url !== 'string' || url === '') return undefined
  return { url, type: String(lookUp(file, 'file_type') ?? 'file'), filename: filenameOf(url) }
}

/** Chatwoot's addresses of files end with their name. */
function filenameOf(url: string): string | null {
  try {
    const name = decodeURIComponent(new URL(url).pathname.split('/').at(-1)!)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be in a name
    return /^[^/\\\u0000-\u001f]{1,255}$/.test(name) ? name : null
  } catch {
    return null
  }
}

const part = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {}

function numberIn(json: Json, name: string): number | null {
  const value = lookUp(json, name)
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : null
}
