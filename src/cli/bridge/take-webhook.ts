import { createHmac } from 'node:crypto'
import type { BridgeLedger } from '../../store/bridge/bridge-ledger.ts'
import type { BridgeLinks } from '../../store/bridge/bridge-links.ts'
import type { BridgeOutgoing } from '../../store/bridge/bridge-outgoing.ts'
import { type Written, writtenIn } from './from-webhook.ts'
import type { Outgoing } from './send-written.ts'
import { partsOf } from './to-whatsapp.ts'

export interface TakeParts {
  ledger: BridgeLedger
  links: BridgeLinks
  outgoing: BridgeOutgoing
  account: number
  inbox: number
  /** What the names of files are made with: nobody guesses one. */
  secret: string
}

/** What is to be sent is on disk when this returns; one message of Chatwoot is taken once. Answers whether it is new. */
export function takeWebhook(parts: TakeParts, payload: unknown): boolean {
  const written = writtenIn(payload, parts)
  if (written === undefined) return false
  const { ledger, links, outgoing } = parts
  return ledger.commit(() => {
    const content = outgoingOf(parts, written)
    const { id, mark, conversationId } = written
    const lane = `send ${conversationId}`
    if (!ledger.add({ kind: 'send', name: `written-${id}-${mark}`, lane, content })) return false
    outgoing.forgetOthers(id, mark)
    // What was held to be its chat is not: the next message goes to whom Chatwoot names, and the chat is looked up.
    if (content.isElsewhere) links.forgetConversation(conversationId)
    // An agent began this conversation: what the contact answers belongs there.
    else if (content.to !== null && links.conversation(conversationId) === undefined && written.contactId !== null)
      links.setChat({ chatJid: content.to, contactId: written.contactId, conversationId })
    for (const [part, { file, token }] of content.parts.entries())
      outgoing.add({ id, mark, part, conversationId, ...(file && { file: { token: token!, file } }) })
    if (content.parts.length === 0) outgoing.add({ id, mark, part: 0, conversationId })
    return true
  })
}

/** Everything that its requests are made of, so that each attempt asks for the same. */
function outgoingOf({ links, secret }: TakeParts, written: Written): Outgoing {
  const { id, mark, conversationId, recipient, addresses, replyTo } = written
  const chatJid = links.conversation(conversationId)?.chatJid
  const to = chatJid ?? recipient
  return {
    id,
    mark,
    conversationId,
    to,
    isElsewhere: chatJid !== undefined && addresses.length > 0 && !addresses.includes(chatJid),
    quoted: replyTo === null || to === null ? null : (links.platformIdOf(to, replyTo) ?? null),
    parts: partsOf(written).map((part, at) =>
      part.file === undefined ? part : { ...part, token: nameOf(secret, written, at) },
    ),
  }
}

const nameOf = (secret: string, { id, mark }: Written, part: number): string =>
  createHmac('sha256', secret).update(`file ${id} ${mark} ${part}`).digest('hex').slice(0, 40)
