import { createHash } from 'node:crypto'
import { jidKind, withoutDevice } from '../../domain/jid.ts'
import { getOwn } from '../../runtime/get-own.ts'
import { idIn } from './id-in.ts'

export const SOURCE_PREFIX = 'postern:'
export const MARK_LENGTH = 12

/** A message that somebody wrote in Chatwoot, as its webhook tells it. */
export interface Written {
  id: number
  conversationId: number
  contactId: number | null
  /** Who it is for, by what Chatwoot knows of the contact; `null`: nothing that can be written to. */
  recipient: string | null
  /** Everything that the contact can be written to by. */
  addresses: string[]
  /** Tells it from another message that had the same id: ids come again after Chatwoot was restored from a backup. */
  mark: string
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
  if (getOwn(body, 'event') !== 'message_created' || getOwn(body, 'private') === true) return undefined
  if (!['outgoing', 'template'].includes(String(getOwn(body, 'message_type')))) return undefined
  if (String(getOwn(body, 'source_id') ?? '').startsWith(SOURCE_PREFIX)) return undefined
  if (idIn(part(getOwn(body, 'account')), 'id') !== account) return undefined
  if (idIn(part(getOwn(body, 'inbox')), 'id') !== inbox) return undefined
  const conversation = part(getOwn(body, 'conversation'))
  const [id, conversationId] = [idIn(body, 'id'), idIn(conversation, 'id')]
  if (id === null || conversationId === null) return undefined
  const contact = part(getOwn(part(getOwn(conversation, 'meta')), 'sender'))
  const content = getOwn(body, 'content')
  const text = typeof content === 'string' ? content : ''
  const addresses = addressesOf(contact)
  const files = getOwn(body, 'attachments')
  return {
    id,
    conversationId,
    contactId: idIn(contact, 'id'),
    recipient: addresses[0] ?? null,
    addresses,
    mark: markOf(getOwn(body, 'created_at') ?? text),
    text,
    files: Array.isArray(files) ? files.flatMap(file => fileOf(part(file)) ?? []) : [],
    replyTo: idIn(part(getOwn(body, 'content_attributes')), 'in_reply_to'),
  }
}

/** Its identifier first: it may be the only one that is known for sure. */
function addressesOf(contact: Json): string[] {
  const identifier = String(getOwn(contact, 'identifier') ?? '')
  const digits = String(getOwn(contact, 'phone_number') ?? '').replace(/\D/g, '')
  return [
    ...(['user', 'lid', 'group'].includes(jidKind(identifier) ?? '') ? [withoutDevice(identifier)] : []),
    ...(/^[1-9]\d{4,19}$/.test(digits) ? [`${digits}@s.whatsapp.net`] : []),
  ]
}

const markOf = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, MARK_LENGTH)

function fileOf(file: Json): Written['files'][number] | undefined {
  const url = getOwn(file, 'data_url')
  if (typeof url !== 'string' || url === '') return undefined
  return { url, type: String(getOwn(file, 'file_type') ?? 'file'), filename: filenameOf(url) }
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
