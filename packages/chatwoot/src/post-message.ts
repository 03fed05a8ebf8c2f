import type { Job } from './ledger.ts'
import type { Links, Chat } from './links.ts'
import { ChatwootError, storable } from './chatwoot-api.ts'
import type { ReceivedMessage } from './from-event.ts'
import { SOURCE_PREFIX } from './from-webhook.ts'
import { RetryLater } from './keyed-queues.ts'
import { isRateLimit } from './retry-later.ts'
import type { Contacts } from './contacts.ts'
import { findPosted, post, type Posted, type PostDeps } from './post-once.ts'
import { shownAs } from './to-chatwoot.ts'

export interface PostMessageDeps extends PostDeps {
  links: Links
  contacts: Contacts
}

/** Posts a message of WhatsApp into its conversation, once: the result of an earlier attempt is searched first. */
export async function postMessage(deps: PostMessageDeps, job: Job<ReceivedMessage>): Promise<Posted> {
  const posted = (await findPosted(deps, job, sourceOf(job.content))) ?? (await postNew(deps, job))
  deps.ledger.commit(() => {
    deps.links.link(posted.conversationId, job.content.message_id, posted.id)
    deps.links.setLast(posted.conversationId, posted.id)
    deps.ledger.finish(job.id)
  })
  return posted
}

async function postNew(deps: PostMessageDeps, job: Job<ReceivedMessage>): Promise<Posted> {
  const { content: message } = job
  const chat = await deps.contacts.chatOf(message.chat_jid, message.is_group ? '' : message.sender_name)
  try {
    return { id: await postOrDescribe(deps, job, chat), conversationId: chat.conversationId }
  } catch (error) {
    if (!(error instanceof ChatwootError) || !error.isGone) throw error
    // A user deleted the conversation. The next attempt creates another one.
    deps.links.forgetChat(chat)
    throw new RetryLater('the conversation is gone')
  }
}

async function postOrDescribe(
  deps: PostMessageDeps,
  { id, content: message }: Job<ReceivedMessage>,
  chat: Chat,
): Promise<number> {
  const { content, isPrivate, about, upload } = shownAs(message)
  const shown = {
    type: isPrivate ? ('outgoing' as const) : ('incoming' as const),
    isPrivate,
    sourceId: sourceOf(message),
    attributes: about === null ? {} : repliesTo(deps.links, message.chat_jid, about),
  }
  const { conversationId } = chat
  const place = { conversationId, after: deps.links.conversation(conversationId)?.lastId ?? 0 }
  try {
    return await post(deps, id, place, { ...shown, content, upload })
  } catch (error) {
    if (upload === undefined || !(error instanceof ChatwootError) || !isAboutFile(error)) throw error
  }
  // The text without the file is better than nothing.
  const words = [content, `[${upload.filename}: Chatwoot did not take the file]`].filter(Boolean).join('\n')
  return await post(deps, id, place, { ...shown, content: words })
}

/** A proxy that considers the file too large responds in its own format. */
const isAboutFile = (error: ChatwootError): boolean =>
  [413, 415].includes(error.status) || (error.status === 422 && error.isItsOwn && !isRateLimit(error))

const sourceOf = ({ message_id }: ReceivedMessage): string => storable(`${SOURCE_PREFIX}${message_id}`)

/** A message of an agent has no source id of the bridge, so Chatwoot's own id names it. */
function repliesTo(links: Links, chatJid: string, platformId: string): Record<string, unknown> {
  const id = links.inboxIdOf(chatJid, platformId)
  return id === undefined ? { in_reply_to_external_id: `${SOURCE_PREFIX}${platformId}` } : { in_reply_to: id }
}
