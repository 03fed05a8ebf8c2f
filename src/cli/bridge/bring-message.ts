import type { Job } from '../../store/bridge/bridge-ledger.ts'
import type { BridgeLinks, Chat } from '../../store/bridge/bridge-links.ts'
import { ChatwootRefusal } from './chatwoot-api.ts'
import type { HeardMessage } from './from-event.ts'
import { SOURCE_PREFIX } from './from-webhook.ts'
import { Again } from './lanes.ts'
import { isFlood } from './later.ts'
import type { People } from './people.ts'
import { findPosted, post, type Posted, type PostParts } from './post-once.ts'
import { storable } from './storable.ts'
import { shownAs } from './to-chatwoot.ts'

export interface BringParts extends PostParts {
  links: BridgeLinks
  people: People
}

/** Brings a message from WhatsApp into its conversation, once: whatever may have been done already is looked for. */
export async function bringMessage(parts: BringParts, job: Job<HeardMessage>): Promise<Posted> {
  const brought = (await findPosted(parts, job, sourceOf(job.content))) ?? (await bringAnew(parts, job))
  parts.ledger.commit(() => {
    parts.links.link(brought.conversationId, job.content.message_id, brought.id)
    parts.links.brought(brought.conversationId, brought.id)
    parts.ledger.finish(job.id)
  })
  return brought
}

async function bringAnew(parts: BringParts, job: Job<HeardMessage>): Promise<Posted> {
  const { content: message } = job
  const chat = await parts.people.chatOf(message.chat_jid, message.is_group ? '' : message.sender_name)
  try {
    return { id: await bring(parts, job, chat), conversationId: chat.conversationId }
  } catch (error) {
    if (!(error instanceof ChatwootRefusal) || !error.isGone) throw error
    // Somebody has deleted the conversation: the next attempt begins another.
    parts.links.forgetChat(chat)
    throw new Again('the conversation is gone')
  }
}

async function bring(parts: BringParts, { id, content: message }: Job<HeardMessage>, chat: Chat): Promise<number> {
  const { content, isPrivate, about, upload } = shownAs(message)
  const shown = {
    type: isPrivate ? ('outgoing' as const) : ('incoming' as const),
    isPrivate,
    sourceId: sourceOf(message),
    attributes: about === null ? {} : repliesTo(parts.links, message.chat_jid, about),
  }
  const { conversationId } = chat
  const place = { conversationId, after: parts.links.conversation(conversationId)?.lastId ?? 0 }
  try {
    return await post(parts, id, place, { ...shown, content, upload })
  } catch (error) {
    if (upload === undefined || !(error instanceof ChatwootRefusal) || !isAboutFile(error)) throw error
  }
  // Rather the words alone than nothing.
  const words = [content, `[${upload.filename}: Chatwoot did not take the file]`].filter(Boolean).join('\n')
  return await post(parts, id, place, { ...shown, content: words })
}

/** A proxy that holds it for too large says so in its own way. */
const isAboutFile = (error: ChatwootRefusal): boolean =>
  [413, 415].includes(error.status) || (error.status === 422 && error.isItsOwn && !isFlood(error))

const sourceOf = ({ message_id }: HeardMessage): string => storable(`${SOURCE_PREFIX}${message_id}`)

/** What agents wrote has no mark of ours in Chatwoot: it is named by its own id. */
function repliesTo(links: BridgeLinks, chatJid: string, platformId: string): Record<string, unknown> {
  const id = links.inboxIdOf(chatJid, platformId)
  return id === undefined ? { in_reply_to_external_id: `${SOURCE_PREFIX}${platformId}` } : { in_reply_to: id }
}
