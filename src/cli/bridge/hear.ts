import type { BridgeLedger } from '../../store/bridge/bridge-ledger.ts'
import type { BridgeLinks } from '../../store/bridge/bridge-links.ts'
import { type BridgeOutgoing, RANKS } from '../../store/bridge/bridge-outgoing.ts'
import type { HeardEvent } from '../listen/heard-event.ts'
import { type Meaning, meaningOf } from './from-event.ts'
import { recordFailure } from './send-written.ts'
import type { StatusNews } from './tell-status.ts'

export interface HearParts {
  ledger: BridgeLedger
  links: BridgeLinks
  outgoing: BridgeOutgoing
  session: string
  keyPrefix: string
  groups: boolean
}

/** What an event asks for is on disk, with the cursor behind it, before the gateway hears that it was read. */
export function hear(parts: HearParts, event: HeardEvent): void {
  const { ledger } = parts
  const meaning = meaningOf(event, parts)
  ledger.commit(() => {
    if (meaning.kind === 'message') {
      const { message } = meaning
      const lane = `chat ${message.chat_jid}`
      ledger.add({ kind: 'message', name: `event-${event.event_id}`, lane, content: message })
    }
    if (meaning.kind === 'progress') recordProgress(parts, meaning)
    ledger.note('cursor', event.cursor)
  })
}

function recordProgress(
  { ledger, links, outgoing }: HearParts,
  { id, mark, part, rank, platformId, reason }: Extract<Meaning, { kind: 'progress' }>,
): void {
  const conversationId = outgoing.conversationOf(id, mark)
  if (conversationId === undefined) return
  if (platformId !== null) links.link(conversationId, platformId, id)
  if (rank === RANKS.failed)
    return recordFailure({ ledger, outgoing }, { id, mark, conversationId }, part, reason ?? '')
  const whole = outgoing.advance(id, part, rank)
  // Chatwoot holds for sent what nobody says anything else of.
  if (whole === undefined || whole === RANKS.sent) return
  const status = whole === RANKS.read ? 'read' : 'delivered'
  const content: StatusNews = { id, conversationId, status, reason: null }
  ledger.add({ kind: 'status', name: `status-${id}-${mark}-${status}`, lane: `status ${id}`, content })
}
