import type { Context } from '../context.ts'
import { foreignSession, type GatewayError, invalid } from '../domain/errors.ts'
import { jidKind } from '../domain/jid.ts'
import type { Content, Message, Outgoing } from '../domain/message.ts'
import { KEPT_MS } from '../domain/retention.ts'
import type { Store } from '../store/store.ts'

interface Deps {
  store: Pick<Store, 'messages'>
}

/** Returns the platform's id of a message: callers may pass that id or ours. */
export async function resolveMessageId(
  { store }: Deps,
  accountId: string,
  field: string,
  messageId: string,
): Promise<string> {
  if (!messageId.startsWith('msg_')) return messageId
  const message = await store.messages.getMessage(messageId)
  if (message === undefined) throw invalid(`${field}: there is no message ${messageId}`, field)
  if (message.accountId !== accountId) throw foreignSession()
  return message.platformId
}

const REFERRING = new Set<Content['type']>(['reaction', 'pin', 'keep', 'forward', 'event_change', 'event_answer'])

/** Whether the message refers to another one. */
export const isReferring = ({ content, quote }: Outgoing): boolean =>
  quote !== null || REFERRING.has(content.type) || (content.type === 'media' && content.album !== undefined)

/** The send that refers to another message. */
interface Referrer {
  accountId: string
  sessionId: string
  to: string
  /** When it is sent. */
  atMs: number
}

/** Replaces our ids by the platform's, for the messages that a send refers to. Throws 400 if it may not refer to one. */
export async function resolveMessageIds(
  deps: Deps & Pick<Context, 'platformIds'>,
  referrer: Referrer,
  outgoing: Outgoing,
): Promise<Outgoing> {
  const { quote } = outgoing
  return {
    ...outgoing,
    content: await resolveContent(deps, referrer, outgoing.content),
    quote: quote && {
      ...quote,
      messageId: await resolveMessageId(deps, referrer.accountId, 'quoted_message_id', quote.messageId),
    },
  }
}

async function resolveContent(
  deps: Deps & Pick<Context, 'platformIds'>,
  referrer: Referrer,
  content: Content,
): Promise<Content> {
  const idOf = (field: string, id: string) => resolveMessageId(deps, referrer.accountId, field, id)
  switch (content.type) {
    case 'reaction':
      return { ...content, reactedMessageId: await idOf('reacted_message_id', content.reactedMessageId) }
    case 'pin':
    case 'keep':
    case 'event_answer':
      return { ...content, messageId: await idOf(`${content.type}.message_id`, content.messageId) }
    case 'event_change': {
      const event = await ownSent(deps, referrer, 'event_change.message_id', content.messageId)
      await checkEvent(deps, referrer, event)
      return { ...content, messageId: event.platformId }
    }
    case 'forward': {
      const message = await ownSent(deps, referrer, 'forward_message_id', content.messageId)
      await checkForward(deps, referrer, message)
      return { ...content, messageId: message.platformId }
    }
    case 'media': {
      if (content.album === undefined) return content
      const album = await ownSent(deps, referrer, 'album_message_id', content.album)
      checkAlbum(referrer, album)
      return { ...content, album: album.platformId }
    }
    default:
      return content
  }
}

/** A message that the same number has sent, or will send. */
async function ownSent(
  { store, platformIds }: Deps & Pick<Context, 'platformIds'>,
  { accountId, sessionId }: Referrer,
  field: string,
  id: string,
): Promise<Message> {
  const sent = id.startsWith('msg_') ? [] : platformIds.sentIds([id])
  const [known] = await store.messages.readSentMessages({ sessionId, sent })
  const message = await store.messages.getMessage(known?.id ?? id)
  if (message === undefined) throw invalid(`${field}: this number has sent no message ${id}`, field)
  if (message.accountId !== accountId) throw foreignSession()
  if (message.sessionId !== sessionId) throw invalid(`${field}: another number has sent this message`, field)
  return message
}

/** Contents that are the same for another recipient. */
const FORWARDED = new Set<Content['type']>(['text', 'media', 'location', 'contacts', 'poll', 'forward'])

const notForwarded = (why: string): GatewayError => invalid(`forward_message_id: ${why}`, 'forward_message_id')

/** Afterwards the engine has a copy of the message as its recipient has it, unless it can be viewed only once. */
async function checkForward({ store }: Deps, { atMs }: Referrer, message: Message): Promise<void> {
  if (!FORWARDED.has(message.type)) throw notForwarded(`a ${message.type} message cannot be forwarded`)
  if (jidKind(message.to) === 'channel') throw notForwarded('a post of a channel cannot be forwarded')
  const states = await store.messages.readMessageStates(message.id)
  const sent = states.find(({ state }) => state === 'sent')
  if (sent === undefined) throw notForwarded(`the message is ${message.state}: only one that was sent can be forwarded`)
  if (states.some(({ state }) => state === 'revoked')) throw notForwarded('the message was revoked')
  if (states.some(({ state }) => state === 'edited'))
    throw notForwarded('the message was edited: send the new text with forwarded')
  if (atMs > sent.at + KEPT_MS.sentMessages)
    throw notForwarded('the content of a message is kept for 7 days: send it with forwarded')
}

async function checkEvent({ store }: Deps, { to, atMs }: Referrer, event: Message): Promise<void> {
  const refused = (why: string): GatewayError => invalid(`event_change.message_id: ${why}`, 'event_change.message_id')
  if (event.type !== 'event') throw refused(`a message of type ${event.type} is no event`)
  if (event.to !== to) throw refused('the event is for another recipient')
  if (event.state === 'failed' || event.state === 'cancelled') throw refused(`the event is ${event.state}`)
  const states = await store.messages.readMessageStates(event.id)
  if (states.some(({ state }) => state === 'revoked')) throw refused('the event was revoked')
  if (atMs > event.createdAt + KEPT_MS.answered) throw refused('an event can be changed for 90 days')
}

function checkAlbum({ to }: Referrer, album: Message): void {
  const refused = (why: string): GatewayError => invalid(`album_message_id: ${why}`, 'album_message_id')
  if (album.type !== 'album') throw refused(`a message of type ${album.type} is no album`)
  if (album.to !== to) throw refused('the album is for another recipient')
  if (album.state === 'failed' || album.state === 'cancelled') throw refused(`the album is ${album.state}`)
}
