import type { BridgeLedger } from './ledger.ts'
import type { Links } from './links.ts'
import { type OutgoingMessages, RANKS } from './outgoing.ts'
import type { GatewayEvent } from '#listener/event-reader'
import { type Meaning, meaningOf } from './from-event.ts'
import { recordFailure } from './send-message.ts'
import type { StatusUpdate } from './update-status.ts'

export interface RecordDeps {
  ledger: BridgeLedger
  links: Links
  outgoing: OutgoingMessages
  session: string
  keyPrefix: string
  groups: boolean
}

/** Stores the job of an event together with the cursor, before the next read acknowledges the event. */
export function recordEvent(deps: RecordDeps, event: GatewayEvent): void {
  const { ledger } = deps
  const meaning = meaningOf(event, deps)
  ledger.commit(() => {
    if (meaning.kind === 'message') {
      const { message } = meaning
      const queue = `chat ${message.chat_jid}`
      ledger.add({ kind: 'message', name: `event-${event.event_id}`, queue, content: message })
    }
    if (meaning.kind === 'progress') recordProgress(deps, meaning)
    ledger.setFact('cursor', event.cursor)
  })
}

function recordProgress(
  { ledger, links, outgoing }: RecordDeps,
  { id, mark, part, rank, platformId, reason }: Extract<Meaning, { kind: 'progress' }>,
): void {
  const conversationId = outgoing.conversationOf(id, mark)
  if (conversationId === undefined) return
  if (platformId !== null) links.link(conversationId, platformId, id)
  if (rank === RANKS.failed)
    return recordFailure({ ledger, outgoing }, { id, mark, conversationId }, part, reason ?? '')
  const whole = outgoing.advance(id, part, rank)
  // Chatwoot shows a message as sent until another status arrives.
  if (whole === undefined || whole === RANKS.sent) return
  const status = whole === RANKS.read ? 'read' : 'delivered'
  const content: StatusUpdate = { id, conversationId, status, reason: null }
  ledger.add({ kind: 'status', name: `status-${id}-${mark}-${status}`, queue: `status ${id}`, content })
}
