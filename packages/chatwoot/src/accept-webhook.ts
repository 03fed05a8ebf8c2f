import { createHmac } from 'node:crypto'
import type { BridgeLedger } from './ledger.ts'
import type { Links } from './links.ts'
import type { OutgoingMessages } from './outgoing.ts'
import { type AgentMessage, agentMessageIn } from './from-webhook.ts'
import type { Outgoing } from './send-message.ts'
import { messagePartsOf } from './to-whatsapp.ts'

export interface AcceptDeps {
  ledger: BridgeLedger
  links: Links
  outgoing: OutgoingMessages
  account: number
  inbox: number
  /** Derives the names of files, so that they cannot be guessed. */
  secret: string
}

/** Stores a message of an agent before Chatwoot gets its response. Returns whether the message is new. */
export function acceptWebhook(deps: AcceptDeps, payload: unknown): boolean {
  const message = agentMessageIn(payload, deps)
  if (message === undefined) return false
  const { ledger, links, outgoing } = deps
  return ledger.commit(() => {
    const content = outgoingOf(deps, message)
    const { id, mark, conversationId } = message
    const queue = `send ${conversationId}`
    if (!ledger.add({ kind: 'send', name: `message-${id}-${mark}`, queue, content })) return false
    outgoing.forgetOthers(id, mark)
    // The conversation belongs to another chat than the ledger says. The next message looks it up again.
    if (content.isElsewhere) links.forgetConversation(conversationId)
    // An agent started this conversation, so the contact's replies belong there.
    else if (content.to !== null && links.conversation(conversationId) === undefined && message.contactId !== null)
      links.setChat({ chatJid: content.to, contactId: message.contactId, conversationId })
    for (const [part, { file, token }] of content.parts.entries())
      outgoing.add({ id, mark, part, conversationId, ...(file && { file: { token: token!, file } }) })
    if (content.parts.length === 0) outgoing.add({ id, mark, part: 0, conversationId })
    return true
  })
}

/** Everything that the requests need, so that every attempt sends the same request. */
function outgoingOf({ links, secret }: AcceptDeps, message: AgentMessage): Outgoing {
  const { id, mark, conversationId, recipient, addresses, replyTo } = message
  const chatJid = links.conversation(conversationId)?.chatJid
  const to = chatJid ?? recipient
  return {
    id,
    mark,
    conversationId,
    to,
    isElsewhere: chatJid !== undefined && addresses.length > 0 && !addresses.includes(chatJid),
    quoted: replyTo === null || to === null ? null : (links.platformIdOf(to, replyTo) ?? null),
    parts: messagePartsOf(message).map((part, at) =>
      part.file === undefined ? part : { ...part, token: fileToken(secret, message, at) },
    ),
  }
}

const fileToken = (secret: string, { id, mark }: AgentMessage, part: number): string =>
  createHmac('sha256', secret).update(`file ${id} ${mark} ${part}`).digest('hex').slice(0, 40)
