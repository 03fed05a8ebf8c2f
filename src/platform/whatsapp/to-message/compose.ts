import { randomBytes } from 'node:crypto'
import { type BinaryNode, normalizeMessageContent, type proto } from 'baileys'
import { jidKind } from '../../../domain/jid.ts'
import type { Content, Outgoing } from '../../../domain/message.ts'
import type { Expiration } from '../remembered/expirations.ts'
import { announcementOf, interactiveMessage } from './interactive.ts'
import type { LinkPreview } from './link-preview.ts'

/** The message that a reply or a reaction refers to. */
export interface Target {
  fromMe: boolean
  /** Its sender, unless the number itself sent it. */
  participant: string | undefined
}

const hasManySenders = (chat: string): boolean => jidKind(chat) === 'group' || jidKind(chat) === 'status'

/**
 * Recipients encrypt edits, votes and comments on the message under its secret. Channel posts and reactions have none.
 */
export function withSecret(message: proto.IMessage, to: string, messageSecret: Uint8Array): proto.IMessage {
  if (jidKind(to) === 'channel' || message.reactionMessage || message.messageContextInfo?.messageSecret) return message
  return { ...message, messageContextInfo: { ...message.messageContextInfo, messageSecret } }
}

/** Composes all content but media, which have to be uploaded first. */
export function composeContent(
  content: Exclude<Content, { type: 'media' }>,
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
          key: {
            remoteJid: to,
            id: content.reactedMessageId,
            fromMe: target?.fromMe ?? false,
            ...(target?.participant !== undefined && hasManySenders(to) && { participant: target.participant }),
          },
          text: content.emoji,
          senderTimestampMs: nowMs,
        },
      }
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
  if (seconds > 0 && !message.reactionMessage)
    addContext(message, { expiration: seconds, ...(since > 0 && { ephemeralSettingTimestamp: since }) })
}

/** Adds to the context info of any content. */
function addContext(message: proto.IMessage, context: proto.IContextInfo): void {
  const content = normalizeMessageContent(message)
  const part = Object.entries(content ?? {}).find(
    ([name, value]) => name.endsWith('Message') || (/MessageV\d$/.test(name) && typeof value === 'object'),
  )?.[1] as { contextInfo?: proto.IContextInfo } | undefined
  if (part) part.contextInfo = { ...part.contextInfo, ...context }
}

/** Unencrypted nodes for the server. */
export function nodesBeside(content: Content, to: string, now: Date): BinaryNode[] {
  const isForChannel = jidKind(to) === 'channel'
  if (content.type === 'poll')
    return [{ tag: 'meta', attrs: { polltype: 'creation', ...(isForChannel && { contenttype: 'text' }) } }]
  if (isForChannel) return []
  if (content.type === 'media') return content.viewOnce ? [{ tag: 'meta', attrs: { view_once: 'true' } }] : []
  return content.type === 'buttons' || content.type === 'list' ? [announcementOf(now)] : []
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
