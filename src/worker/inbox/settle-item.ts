import { makeFileEvent } from '../../actions/make-event.ts'
import type { Event } from '../../domain/event.ts'
import { aboutSeen } from '../../domain/sealed.ts'
import type { Interpretation, PlatformReceipt, SeenMessage } from '../../platform/platform.ts'
import type { Store } from '../../store/store.ts'
import type { SentMessage } from '../../store/units/commands/sent-messages.ts'
import type { Forwarded } from '../../store/units/inbox/inbox.ts'
import type { Hold } from '../hold.ts'
import type { PlacedItem } from './inbox-queue.ts'
import { receiptSteps } from '../commands/message-events.ts'
import { logPublished } from '../log-published.ts'
import type { HostParts } from '../parts.ts'
import { tracedPublish } from '../traced-publish.ts'

export interface SettleItemParts extends Pick<HostParts, 'seal' | 'clock' | 'log' | 'metrics' | 'tracing'> {
  store: Pick<Store, 'commands' | 'inbox' | 'tracing'>
  hold: Hold
  /** Whose number it is. */
  accountId: () => string
}

/** Publishes what an item means. The item is done in the same commit, so that it is told once. */
export async function settleItem(parts: SettleItemParts, item: PlacedItem, meaning: Interpretation): Promise<void> {
  switch (meaning.kind) {
    case 'events':
      return await publishEvents(parts, item, meaning)
    case 'receipts':
      return await publishReceipts(parts, item, meaning.receipts)
    case 'none':
      return await drop(parts, item, meaning.reason)
    default: {
      const never: never = meaning
      return never
    }
  }
}

/** An item that cannot be interpreted is kept for somebody to look into. */
export async function giveUpItem(parts: SettleItemParts, item: PlacedItem): Promise<void> {
  const { log, metrics, hold } = parts
  metrics.stanza('dropped', 'poison')
  log.error({ session: hold.sessionId, kind: item.kind, inbox_key: item.key }, 'event.poison')
  await end(parts, item, { reason: 'poison', keepBody: true })
}

async function drop(parts: SettleItemParts, item: PlacedItem, reason: string): Promise<void> {
  parts.metrics.stanza('dropped', reason)
  await end(parts, item, { reason })
}

async function end(parts: SettleItemParts, item: PlacedItem, what: Partial<Forwarded>): Promise<void> {
  const { store, hold } = parts
  const nothing = { events: [], received: 0, remember: [], reason: null, keepBody: false }
  const forwarded = { lease: hold.lease, accountId: parts.accountId(), key: item.key, ...nothing, ...what }
  await hold.commit(() => store.inbox.forwardItem(forwarded))
}

async function publishEvents(
  parts: SettleItemParts,
  item: PlacedItem,
  meaning: Extract<Interpretation, { kind: 'events' }>,
): Promise<void> {
  const events = await Promise.all(meaning.events.map(event => withPollRequest(parts, event)))
  const accountId = parts.accountId()
  const made = await Promise.all(events.map(event => makeFileEvent(parts, accountId, event)))
  const told = made.map(event => ({ event }))
  await tracedPublish(parts, told, item.receivedAtMs, () =>
    end(parts, item, {
      events: made,
      received: events.filter(event => event.kind === 'message').length,
      remember: (meaning.remember ?? []).map(seen => sealSeen(parts, seen)),
    }),
  )
  for (const event of events) parts.metrics.stanza('event', event.kind)
  logPublished(parts, made, item.receivedAtMs)
}

/** Votes on polls that we sent name the request that sent them. */
async function withPollRequest<E extends Event>({ store, hold }: SettleItemParts, event: E): Promise<E> {
  if (event.kind !== 'poll_vote') return event
  const { sessionId } = hold
  const [poll] = await store.commands.readSentMessages({ sessionId, platformIds: [event.poll_message_id] })
  return poll === undefined ? event : { ...event, poll_request_id: poll.requestId }
}

function sealSeen({ seal, hold }: SettleItemParts, seen: SeenMessage): Forwarded['remember'][number] {
  const { messageId, chatJid, senderJid, fromMe, secret, isPoll = false } = seen
  return {
    messageId,
    chatJid,
    senderJid,
    fromMe: fromMe ? 1 : 0,
    secret: secret === undefined ? null : seal.seal(secret, aboutSeen(hold.sessionId, chatJid, messageId)),
    isPoll,
  }
}

async function publishReceipts(parts: SettleItemParts, item: PlacedItem, receipts: PlatformReceipt[]): Promise<void> {
  const { store, hold, metrics } = parts
  const { sessionId, lease } = hold
  const platformIds = [...new Set(receipts.flatMap(receipt => receipt.platformIds))]
  const sent = await store.commands.readSentMessages({ sessionId, platformIds })
  const ours = new Map<string, SentMessage>(sent.map(message => [message.platformId, message]))
  const steps = receipts.flatMap(receipt =>
    receipt.platformIds.flatMap(id => {
      const message = ours.get(id)
      return message === undefined ? [] : receiptSteps(parts, sessionId, message, receipt)
    }),
  )
  if (steps.length === 0) return await drop(parts, item, 'receipt_of_unknown_message')
  const progress = { lease, steps, commandId: null, inboxKey: item.key }
  const outcome = await tracedPublish(parts, steps, item.receivedAtMs, () =>
    hold.commit(() => store.commands.progress(progress)),
  )
  if (outcome.told.length > 0) metrics.stanza('receipt', '')
  else metrics.stanza('dropped', outcome.late > 0 ? 'receipt_after_end' : 'receipt_repeated')
  const told = new Set(outcome.told)
  const events = steps.map(step => step.event).filter(({ id }) => told.has(id))
  logPublished(parts, events, item.receivedAtMs)
}
