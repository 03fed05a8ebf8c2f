import { normalizeMessageContent, proto } from 'baileys'
import { type DeviceAddress, isGroupJid } from '../jid.ts'
import { userByJid, userOf } from '../people.ts'
import { isAdmin } from '../server/group-rules.ts'
import type { HeldMessage, SentMessage } from '../world/message.ts'
import type { Network } from '../world/network.ts'
import type { User } from '../world/person.ts'
import { openedAnswer, openedChange } from './calendar-event.ts'
import { secretOf } from './message-secret.ts'
import { areUsable, contextOf, isUsable } from './message-view.ts'

/** The times for which apps pin a message, in seconds. */
const PIN_SECONDS: ReadonlySet<number> = new Set([86_400, 604_800, 2_592_000])
const SECRET_BYTES = 32

const { PIN_FOR_ALL, UNPIN_FOR_ALL } = proto.Message.PinInChatMessage.Type
const { KEEP_FOR_ALL, UNDO_KEEP_FOR_ALL } = proto.KeepType

/** What the stanza of a message says of it. */
interface IncomingMessage {
  readonly sender: DeviceAddress
  readonly to: string
  readonly isAnnounced: boolean
  readonly edit?: string | undefined
  readonly isAgain?: boolean
}

/** The message as the phone keeps it. `undefined` if it does not show it: the sender does not notice that. */
export function shownMessage(
  network: Network,
  user: User,
  incoming: IncomingMessage,
  message: proto.IMessage | undefined,
): proto.IMessage | undefined {
  const content = normalizeMessageContent(message)
  const change = content?.secretEncryptedMessage
  const answer = content?.encEventResponseMessage
  if (!change && !answer) return isObeyed(network, user, incoming, message) ? message : undefined
  const about = aboutEvent(network, user, incoming, (change?.targetMessageKey ?? answer?.eventCreationMessageKey)!)
  if (!about) return undefined
  if (answer) return openedAnswer(about, answer)
  return incoming.edit === '1' && about.author === about.sender ? openedChange(about, change!) : undefined
}

function aboutEvent(network: Network, user: User, incoming: IncomingMessage, key: proto.IMessageKey) {
  const event = normalizeMessageContent(targetOf(network, user, incoming, key))
  const digits = authorOf(network, user, incoming, key)
  if (!event || digits === undefined) return undefined
  return { event, author: userOf(network, digits), sender: userOf(network, incoming.sender.digits) }
}

/** Whether a phone shows the message, or does what it says. */
function isObeyed(
  network: Network,
  user: User,
  incoming: IncomingMessage,
  message: proto.IMessage | undefined,
): boolean {
  const content = normalizeMessageContent(message)
  if (!message || !content) return true
  const { pinInChatMessage: pin, keepInChatMessage: keep, eventMessage: event } = content
  if (pin) return isPinned(network, user, incoming, message, pin)
  if (keep) return isKept(network, user, incoming, keep)
  // People could not answer an event without a secret.
  if (event && (secretOf(message)?.length !== SECRET_BYTES || !event.name || !Number(event.startTime))) return false
  const hasButtons = content.interactiveMessage ?? content.buttonsMessage ?? content.listMessage
  if (!hasButtons) return true
  const flow = content.interactiveMessage?.nativeFlowMessage?.buttons ?? []
  const cards = content.interactiveMessage?.carouselMessage?.cards
  const isShown = cards ? areUsable(cards) : flow.every(isUsable)
  return (incoming.isAnnounced || incoming.isAgain === true) && isShown
}

function isPinned(
  network: Network,
  user: User,
  incoming: IncomingMessage,
  { messageContextInfo }: proto.IMessage,
  { key, type }: proto.Message.IPinInChatMessage,
): boolean {
  if (incoming.edit !== '2' || !targetOf(network, user, incoming, key)) return false
  const group = network.groups.get(incoming.to)
  if (group?.locked && !isAdmin(group, incoming.sender.digits)) return false
  if (type === UNPIN_FOR_ALL) return true
  return type === PIN_FOR_ALL && PIN_SECONDS.has(messageContextInfo?.messageAddOnDurationInSecs ?? 0)
}

/** Only messages that disappear can be kept. */
function isKept(
  network: Network,
  user: User,
  incoming: IncomingMessage,
  { key, keepType }: proto.Message.IKeepInChatMessage,
): boolean {
  const target = targetOf(network, user, incoming, key)
  if (!target || !contextOf(normalizeMessageContent(target) ?? {})?.expiration) return false
  if (keepType === UNDO_KEEP_FOR_ALL) return incoming.edit === (key?.fromMe ? '7' : undefined)
  return keepType === KEEP_FOR_ALL
}

/** Who wrote the message that an act is about, by the number. */
function authorOf(
  network: Network,
  user: User,
  { to, sender }: Pick<IncomingMessage, 'to' | 'sender'>,
  key: proto.IMessageKey | null | undefined,
): string | undefined {
  if (key?.fromMe) return sender.digits
  return isGroupJid(to) ? userByJid(network, key?.participant ?? undefined)?.digits : user.digits
}

/** The message of the chat that an act is about, if the phone has one by that author. */
function targetOf(
  network: Network,
  user: User,
  { to, sender }: IncomingMessage,
  key: proto.IMessageKey | null | undefined,
): proto.IMessage | undefined {
  const isGroup = isGroupJid(to)
  const chat = isGroup ? to : sender.digits
  const author = authorOf(network, user, { to, sender }, key)
  const isMeant = (message: Pick<HeldMessage | SentMessage, 'id' | 'chat'>): boolean =>
    message.id === key?.id && message.chat === chat
  // What other phones wrote to a group is with them alone: the network delivers it only to linked devices.
  const sent =
    author === sender.digits ? undefined : [...(network.users.get(author ?? '')?.sent.values() ?? [])].find(isMeant)
  if (sent) return proto.Message.decode(sent.content)
  return [...user.inbox.values()].find(held => isMeant(held) && held.from === author)?.message
}
