import { randomBytes } from 'node:crypto'
import { type BinaryNode, normalizeMessageContent, proto } from 'baileys'
import { jidKind } from '../../../domain/jid.ts'
import type { CalendarContent, Content, Outgoing } from '../../../domain/message.ts'
import type { Expiration } from '../remembered/expirations.ts'
import { announcementOf, interactiveMessage } from './interactive.ts'
import type { LinkPreview } from './link-preview.ts'

/** The message that a reaction, a pin or a keep refers to. */
export interface Target {
  fromMe: boolean
  /** Its sender, unless the number itself sent it. */
  participant: string | undefined
}

const hasManySenders = (chat: string): boolean => jidKind(chat) === 'group' || jidKind(chat) === 'status'

/** It changes another message and is none that people could edit or answer. */
const isAct = (message: proto.IMessage): boolean =>
  !!(
    message.reactionMessage ??
    message.pinInChatMessage ??
    message.keepInChatMessage ??
    message.secretEncryptedMessage ??
    message.encEventResponseMessage
  )

/**
 * Recipients encrypt edits, votes and comments on the message under its secret. Channel posts and acts have none.
 */
export function withSecret(message: proto.IMessage, to: string, messageSecret: Uint8Array): proto.IMessage {
  if (isAct(message) || jidKind(to) === 'channel' || message.messageContextInfo?.messageSecret) return message
  return { ...message, messageContextInfo: { ...message.messageContextInfo, messageSecret } }
}

/** Composes all content that needs nothing but what it says. */
export function composeContent(
  content: Exclude<Content, { type: 'media' | 'carousel' | 'forward' | 'event_change' | 'event_answer' }>,
  to: string,
  target: Target | undefined,
  preview: LinkPreview | undefined,
  nowMs: number,
): proto.IMessage {
  switch (content.type) {
    case 'text':
      return { extendedTextMessage: { text: content.text, ...preview } }
    case 'reaction':
      return {
        reactionMessage: {
          key: keyOf(to, content.reactedMessageId, target),
          text: content.emoji,
          senderTimestampMs: nowMs,
        },
      }
    case 'pin':
      return {
        pinInChatMessage: {
          key: keyOf(to, content.messageId, target),
          type: content.seconds > 0 ? PIN_FOR_ALL : UNPIN_FOR_ALL,
          senderTimestampMs: nowMs,
        },
        messageContextInfo: { messageAddOnDurationInSecs: content.seconds },
      }
    case 'keep':
      return {
        keepInChatMessage: {
          key: keyOf(to, content.messageId, target),
          keepType: content.isKept ? KEEP_FOR_ALL : UNDO_KEEP_FOR_ALL,
          timestampMs: nowMs,
        },
      }
    case 'event':
      return { eventMessage: eventMessage(content) }
    case 'album':
      return { albumMessage: { expectedImageCount: content.images, expectedVideoCount: content.videos } }
    case 'location':
      return {
        locationMessage: {
          degreesLatitude: content.latitude,
          degreesLongitude: content.longitude,
          name: content.name,
          address: content.address,
        },
      }
    case 'contacts':
      return contactsMessage(content.contacts)
    case 'poll':
      return pollMessage(content)
    case 'buttons':
    case 'list':
      return interactiveMessage(content)
    default: {
      const never: never = content
      return never
    }
  }
}

const { PIN_FOR_ALL, UNPIN_FOR_ALL } = proto.Message.PinInChatMessage.Type
const { KEEP_FOR_ALL, UNDO_KEEP_FOR_ALL } = proto.KeepType

export const keyOf = (chat: string, id: string, target: Target | undefined): proto.IMessageKey => ({
  remoteJid: chat,
  id,
  fromMe: target?.fromMe ?? false,
  ...(target?.participant !== undefined && hasManySenders(chat) && { participant: target.participant }),
})

export function eventMessage(event: CalendarContent): proto.Message.IEventMessage {
  const { name, description, startMs, endMs, location } = event
  const inSeconds = (ms: number): number => Math.floor(ms / 1000)
  return {
    isCanceled: false,
    name,
    ...(description !== '' && { description }),
    startTime: inSeconds(startMs),
    ...(endMs !== null && { endTime: inSeconds(endMs) }),
    ...(location && {
      location: {
        name: location.name,
        ...(location.address !== '' && { address: location.address }),
        ...(location.latitude !== undefined && {
          degreesLatitude: location.latitude,
          degreesLongitude: location.longitude,
        }),
      },
    }),
    extraGuestsAllowed: false,
    isScheduleCall: false,
  }
}

/** Makes a picture or video part of an album, whose message came before. */
export function addToAlbum(message: proto.IMessage, album: string, to: string): void {
  message.messageContextInfo = {
    ...message.messageContextInfo,
    messageAssociation: { associationType: MEDIA_ALBUM, parentMessageKey: { remoteJid: to, fromMe: true, id: album } },
  }
}

const { MEDIA_ALBUM } = proto.MessageAssociation.AssociationType

/** A copy of a message for another chat: it refers to nothing in its own one, and votes and edits need another secret. */
export function forwardOf(message: proto.IMessage): proto.IMessage {
  const copy = proto.Message.decode(proto.Message.encode(message).finish())
  copy.messageContextInfo = null
  const part = partOf(copy)
  if (!part) return copy
  const score = part.contextInfo?.forwardingScore ?? 0
  part.contextInfo = {}
  addForwarded(copy, score + 1)
  if (copy.pollCreationMessage ?? copy.pollCreationMessageV3)
    copy.messageContextInfo = { messageSecret: randomBytes(32) }
  return copy
}

export function addForwarded(message: proto.IMessage, times = 1): void {
  addContext(message, { isForwarded: true, forwardingScore: times })
}

function pollMessage(content: Extract<Content, { type: 'poll' }>): proto.IMessage {
  const poll = {
    name: content.name,
    options: content.options.map(optionName => ({ optionName })),
    selectableOptionsCount: content.selectableCount,
  }
  const messageContextInfo = { messageSecret: randomBytes(32) }
  return content.selectableCount === 1
    ? { pollCreationMessageV3: poll, messageContextInfo }
    : { pollCreationMessage: poll, messageContextInfo }
}

export function addMentions(message: proto.IMessage, content: Content): void {
  if ('mentions' in content && content.mentions.length > 0) addContext(message, { mentionedJid: content.mentions })
}

export function addQuote(message: proto.IMessage, quote: NonNullable<Outgoing['quote']>, participant: string): void {
  addContext(message, { stanzaId: quote.messageId, participant, quotedMessage: { conversation: quote.text } })
}

/** Makes the message disappear like the others of its chat. */
export function addExpiration(message: proto.IMessage, { seconds, since }: Expiration): void {
  if (seconds > 0 && !isAct(message))
    addContext(message, { expiration: seconds, ...(since > 0 && { ephemeralSettingTimestamp: since }) })
}

/** Adds to the context info of any content. */
function addContext(message: proto.IMessage, context: proto.IContextInfo): void {
  const part = partOf(message)
  if (part) part.contextInfo = { ...part.contextInfo, ...context }
}

/** The content inside of its wrappers. */
function partOf(message: proto.IMessage): { contextInfo?: proto.IContextInfo | null } | undefined {
  const content = normalizeMessageContent(message)
  return Object.entries(content ?? {}).find(
    ([name, value]) => name.endsWith('Message') || (/MessageV\d$/.test(name) && typeof value === 'object'),
  )?.[1] as { contextInfo?: proto.IContextInfo | null } | undefined
}

/** Unencrypted nodes for the server. */
export function nodesBeside(content: Content, to: string, now: Date): BinaryNode[] {
  const isForChannel = jidKind(to) === 'channel'
  if (content.type === 'poll')
    return [{ tag: 'meta', attrs: { polltype: 'creation', ...(isForChannel && { contenttype: 'text' }) } }]
  if (isForChannel) return []
  if (content.type === 'event') return [{ tag: 'meta', attrs: { event_type: 'creation' } }]
  if (content.type === 'event_change') return [{ tag: 'meta', attrs: { event_type: 'edit' } }]
  if (content.type === 'event_answer') return [{ tag: 'meta', attrs: { event_type: 'response' } }]
  if (content.type === 'media') return content.viewOnce ? [{ tag: 'meta', attrs: { view_once: 'true' } }] : []
  const hasFlow = content.type === 'buttons' || content.type === 'carousel' || content.type === 'list'
  return hasFlow ? [announcementOf(now)] : []
}

function contactsMessage(contacts: ReadonlyArray<{ name: string; phone: string }>): proto.IMessage {
  const cards = contacts.map(contact => ({ displayName: contact.name, vcard: vcard(contact) }))
  const [only] = cards
  if (cards.length === 1 && only) return { contactMessage: only }
  return { contactsArrayMessage: { displayName: `${cards.length} contacts`, contacts: cards } }
}

function vcard({ name, phone }: { name: string; phone: string }): string {
  const digits = phone.replace(/\D/g, '')
  return [
    'BEGIN:VCARD',
    'VERSION:3.0',
    `FN:${escaped(name)}`,
    `TEL;type=CELL;type=VOICE;waid=${digits}:+${digits}`,
    'END:VCARD',
  ].join('\n')
}

const escaped = (text: string): string => text.replace(/([\\,;])/g, '\\$1').replace(/\r?\n/g, '\\n')
