import { randomBytes } from 'node:crypto'
import { proto } from 'baileys'
import { nowMs } from '../clock.ts'
import { type MediaContent, mediaMessage, type MediaPlace } from './media-content.ts'
import { withSecret } from './message-secret.ts'

/** An earlier message, as replies and reactions refer to it. */
export interface MessageReference {
  readonly id: string
  /** The chat it is in, as the recipient of the reply sees it. */
  readonly chat: string
  /** JID of the sender; needed in groups. */
  readonly participant?: string
  /** Whether the phone that refers to it has sent it. */
  readonly fromMe?: boolean
  readonly text?: string
  /** The message itself, if known; otherwise `text` replaces it. */
  readonly message?: proto.IMessage
}

export interface Place {
  readonly latitude: number
  readonly longitude: number
  readonly name?: string
  readonly address?: string
}

/** What a phone can send. */
export type Content =
  | { readonly type: 'text'; readonly text: string; readonly mentions?: readonly string[] }
  | MediaContent
  | { readonly type: 'reaction'; readonly target: MessageReference; readonly emoji: string }
  | ({ readonly type: 'location' } & Place)
  | ({ readonly type: 'live_location' } & Place)
  | {
      readonly type: 'poll'
      readonly name: string
      readonly options: readonly string[]
      readonly selectableCount: number
    }
  | { readonly type: 'contacts'; readonly contacts: readonly { readonly name: string; readonly phone: string }[] }
  | {
      readonly type: 'button_response'
      readonly style?: 'buttons' | 'template' | 'list' | 'native_flow'
      readonly id: string
      readonly text: string
      readonly paramsJson?: string
    }
  | { readonly type: 'revoke'; readonly target: MessageReference }
  /** A message field of a newer app, which the client's library does not know. */
  | { readonly type: 'newer'; readonly field: number; readonly body: Uint8Array }
  /** Any other message, in the form of the protocol. */
  | { readonly type: 'raw'; readonly message: proto.IMessage }

/** Options around the content. */
export interface Wrapping {
  readonly quoted?: MessageReference
  readonly viewOnce?: boolean
  readonly ephemeralSeconds?: number
}

export function referenceKey(target: MessageReference): proto.IMessageKey {
  const { id, chat, participant, fromMe } = target
  return { id, remoteJid: chat, fromMe: fromMe ?? false, ...(participant ? { participant } : {}) }
}

function locationMessage(place: Place): proto.Message.ILocationMessage {
  const { latitude, longitude, name, address } = place
  return { degreesLatitude: latitude, degreesLongitude: longitude, name: name ?? null, address: address ?? null }
}

function vcard(contact: { readonly name: string; readonly phone: string }): string {
  return `BEGIN:VCARD\nVERSION:3.0\nFN:${contact.name}\nTEL;type=CELL;waid=${contact.phone}:+${contact.phone}\nEND:VCARD`
}

function contactsMessage(contacts: readonly { readonly name: string; readonly phone: string }[]): proto.IMessage {
  const cards = contacts.map(contact => ({ displayName: contact.name, vcard: vcard(contact) }))
  const [only] = cards
  if (cards.length === 1 && only) return { contactMessage: only }
  return { contactsArrayMessage: { displayName: `${cards.length} contacts`, contacts: cards } }
}

function buttonResponse(content: Extract<Content, { type: 'button_response' }>): proto.IMessage {
  const { id, text } = content
  switch (content.style ?? 'buttons') {
    case 'buttons': {
      const { DISPLAY_TEXT } = proto.Message.ButtonsResponseMessage.Type
      return { buttonsResponseMessage: { selectedButtonId: id, selectedDisplayText: text, type: DISPLAY_TEXT } }
    }
    case 'template':
      return { templateButtonReplyMessage: { selectedId: id, selectedDisplayText: text, selectedIndex: 0 } }
    case 'list': {
      const { SINGLE_SELECT } = proto.Message.ListResponseMessage.ListType
      return { listResponseMessage: { title: text, listType: SINGLE_SELECT, singleSelectReply: { selectedRowId: id } } }
    }
    case 'native_flow': {
      const paramsJson = content.paramsJson ?? JSON.stringify({ id, display_text: text })
      const nativeFlowResponseMessage = { name: 'quick_reply', paramsJson, version: 3 }
      return { interactiveResponseMessage: { body: { text, format: 0 }, nativeFlowResponseMessage } }
    }
  }
}

function pollMessage(content: Extract<Content, { type: 'poll' }>): proto.IMessage {
  const options = content.options.map(optionName => ({ optionName }))
  const poll = { name: content.name, options, selectableOptionsCount: content.selectableCount }
  const creation = content.selectableCount === 1 ? { pollCreationMessageV3: poll } : { pollCreationMessage: poll }
  return { ...creation, messageContextInfo: { messageSecret: randomBytes(32) } }
}

function revokeMessage({ target }: Extract<Content, { type: 'revoke' }>): proto.IMessage {
  const { REVOKE } = proto.Message.ProtocolMessage.Type
  return { protocolMessage: { key: referenceKey({ ...target, fromMe: true }), type: REVOKE } }
}

function plainMessage(network: MediaPlace, content: Content): proto.IMessage {
  switch (content.type) {
    case 'text':
      return {
        extendedTextMessage: { text: content.text, contextInfo: { mentionedJid: [...(content.mentions ?? [])] } },
      }
    case 'reaction': {
      const key = referenceKey(content.target)
      return { reactionMessage: { key, text: content.emoji, senderTimestampMs: nowMs(network) } }
    }
    case 'location':
      return { locationMessage: locationMessage(content) }
    case 'live_location': {
      const { latitude, longitude, name } = content
      const position = { degreesLatitude: latitude, degreesLongitude: longitude, caption: name ?? null }
      return { liveLocationMessage: { ...position, sequenceNumber: nowMs(network) } }
    }
    case 'poll':
      return pollMessage(content)
    case 'contacts':
      return contactsMessage(content.contacts)
    case 'button_response':
      return buttonResponse(content)
    case 'revoke':
      return revokeMessage(content)
    case 'newer':
      return {}
    case 'raw':
      return content.message
    default:
      return mediaMessage(network, content)
  }
}

function withContext(message: proto.IMessage, context: proto.IContextInfo): proto.IMessage {
  const wrapped = (Object.entries(message) as [string, unknown][]).map(([name, part]) => {
    const isContent = typeof part === 'object' && part !== null && name.endsWith('Message')
    const known = isContent ? (part as { contextInfo?: proto.IContextInfo }).contextInfo : undefined
    return [name, isContent ? { ...part, contextInfo: { ...known, ...context } } : part]
  })
  return Object.fromEntries(wrapped) as proto.IMessage
}

function quoting(quoted: MessageReference): proto.IContextInfo {
  const participant = quoted.participant ?? quoted.chat
  return { stanzaId: quoted.id, participant, quotedMessage: quoted.message ?? { conversation: quoted.text ?? '' } }
}

/** The message in the form of the protocol; a plain text without options takes the shortest form. */
export function buildMessage(network: MediaPlace, content: Content, wrapping: Wrapping): proto.IMessage {
  const { quoted, viewOnce, ephemeralSeconds } = wrapping
  if (content.type === 'text' && !content.mentions && !quoted && !ephemeralSeconds) {
    return withSecret({ conversation: content.text })
  }
  let message = plainMessage(network, content)
  if (quoted) message = withContext(message, quoting(quoted))
  if (ephemeralSeconds) message = withContext(message, { expiration: ephemeralSeconds })
  if (viewOnce) message = { viewOnceMessageV2: { message } }
  if (ephemeralSeconds) message = { ephemeralMessage: { message } }
  return content.type === 'raw' ? message : withSecret(message)
}
