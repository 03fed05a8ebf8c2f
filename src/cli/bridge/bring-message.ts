import type { Clock } from '../../clock.ts'
import { lookUp } from '../../domain/look-up.ts'
import type { BridgeLedger, Job } from '../../store/bridge/bridge-ledger.ts'
import type { BridgeLinks, Chat } from '../../store/bridge/bridge-links.ts'
import { type ChatwootApi, ChatwootRefusal } from './chatwoot-api.ts'
import type { HeardMessage } from './from-event.ts'
import { SOURCE_PREFIX } from './from-webhook.ts'
import { Again } from './lanes.ts'
import { isFlood } from './later.ts'
import type { People } from './people.ts'
import { storable } from './storable.ts'
import { shownAs } from './to-chatwoot.ts'

const PAGE = 100

export interface BringParts {
  ledger: BridgeLedger
  links: BridgeLinks
  people: People
  api: ChatwootApi
  clock: Clock
  /** How long Chatwoot may still be at work with a request that it has not answered. */
  settledMs: number
}

interface Brought {
  id: number
  conversationId: number
}

/** Brings a message from WhatsApp into its conversation, once: whatever may have been done already is looked for. */
export async function bringMessage(parts: BringParts, job: Job<HeardMessage>): Promise<Brought> {
  const brought = (await findBrought(parts, job)) ?? (await bringAnew(parts, job))
  parts.ledger.commit(() => {
    parts.links.link(brought.conversationId, job.content.message_id, brought.id)
    parts.links.brought(brought.conversationId, brought.id)
    parts.ledger.finish(job.id)
  })
  return brought
}

/** Only where an earlier attempt may have succeeded. Before Chatwoot can have ended with it, nobody can know. */
async function findBrought(parts: BringParts, job: Job<HeardMessage>): Promise<Brought | undefined> {
  const { begunMs, begunIn } = job
  if (begunMs === null || begunIn === null) return undefined
  const id = await findBySource(parts, begunIn, sourceOf(job.content))
  if (id !== undefined) return { id, conversationId: begunIn }
  const leftMs = begunMs + parts.settledMs - parts.clock.now().getTime()
  if (leftMs > 0) throw new Again('an attempt has not been answered', { afterMs: Math.min(leftMs, 1_000) })
  return undefined
}

async function findBySource(
  { api, links }: BringParts,
  conversationId: number,
  source: string,
): Promise<number | undefined> {
  let after = links.conversation(conversationId)?.lastId ?? 0
  for (;;) {
    const page = await api.messagesAfter(conversationId, after).catch(noneWhereGone)
    const ids = page.map(message => Number(lookUp(message, 'id')))
    const at = page.findIndex(message => lookUp(message, 'source_id') === source)
    if (at !== -1) return ids[at]
    if (page.length < PAGE) return undefined
    after = Math.max(after + 1, ...ids)
  }
}

function noneWhereGone(error: unknown): Array<Record<string, unknown>> {
  if (error instanceof ChatwootRefusal && error.isGone) return []
  throw error
}

async function bringAnew(parts: BringParts, job: Job<HeardMessage>): Promise<Brought> {
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
  parts.ledger.begin(id, chat.conversationId)
  try {
    return await parts.api.createMessage(chat.conversationId, { ...shown, content, upload })
  } catch (error) {
    if (!(error instanceof ChatwootRefusal) || error.isUnknown) throw error
    parts.ledger.takeBack(id)
    if (upload === undefined || !isAboutFile(error)) throw error
  }
  // Rather the words alone than nothing.
  const words = [content, `[${upload.filename}: Chatwoot did not take the file]`].filter(Boolean).join('\n')
  parts.ledger.begin(id, chat.conversationId)
  return await parts.api.createMessage(chat.conversationId, { ...shown, content: words })
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
