import { makeFileEvent } from '../../actions/make-event.ts'
import type { Event } from '../../domain/event.ts'
import { aboutSeen } from '../../domain/sealed.ts'
import type { Interpretation, PlatformReceipt, SeenMessage } from '../../platform/platform.ts'
import type { Store } from '../../store/store.ts'
import type { SentMessage } from '../../store/messages/sent-messages.ts'
import type { Forwarded } from '../../store/inbox/inbox.ts'
import type { HeldLease } from '../hold.ts'
import type { PlacedItem } from './inbox-queue.ts'
import { receiptSteps } from '../commands/message-events.ts'
import { logPublished } from '../log-published.ts'
import type { HostDeps } from '../deps.ts'
import { tracedPublish } from '../traced-publish.ts'

export interface SettleItemDeps extends Pick<HostDeps, 'seal' | 'clock' | 'log' | 'metrics' | 'tracing'> {
  store: Pick<Store, 'inbox' | 'messages' | 'traces'>
  hold: HeldLease
  /** Whose number it is. */
  accountId: () => string
}

/** Publishes what an item means. The item is done in the same commit, so that it is told once. */
export async function settleItem(deps: SettleItemDeps, item: PlacedItem, meaning: Interpretation): Promise<void> {
  switch (meaning.kind) {
    case 'events':
      return await publishEvents(deps, item, meaning)
    case 'receipts':
      return await publishReceipts(deps, item, meaning.receipts)
    case 'none':
      return await drop(deps, item, meaning.reason)
    default: {
      const never: never = meaning
      return never
    }
  }
}

/** An item that cannot be interpreted is kept for somebody to look into. */
export async function giveUpItem(deps: SettleItemDeps, item: PlacedItem): Promise<void> {
  const { log, metrics, hold } = deps
  metrics.stanza('dropped', 'poison')
  log.error({ session: hold.sessionId, kind: item.kind, inbox_key: item.key }, 'event.poison')
  await end(deps, item, { reason: 'poison', keepBody: true })
}

async function drop(deps: SettleItemDeps, item: PlacedItem, reason: string): Promise<void> {
  deps.metrics.stanza('dropped', reason)
  await end(deps, item, { reason })
}

async function end(deps: SettleItemDeps, item: PlacedItem, what: Partial<Forwarded>): Promise<void> {
  const { store, hold } = deps
  const nothing = { events: [], received: 0, remember: [], reason: null, keepBody: false }
  const forwarded = { lease: hold.lease, accountId: deps.accountId(), key: item.key, ...nothing, ...what }
  await hold.commit(() => store.inbox.forwardItem(forwarded))
}

async function publishEvents(
  deps: SettleItemDeps,
  item: PlacedItem,
  meaning: Extract<Interpretation, { kind: 'events' }>,
): Promise<void> {
  const events = await Promise.all(meaning.events.map(event => withPollRequest(deps, event)))
  const accountId = deps.accountId()
  const made = await Promise.all(events.map(event => makeFileEvent(deps, accountId, event)))
  const told = made.map(event => ({ event }))
  await tracedPublish(deps, told, item.receivedAtMs, () =>
    end(deps, item, {
      events: made,
      received: events.filter(event => event.kind === 'message').length,
      remember: (meaning.remember ?? []).map(seen => sealSeen(deps, seen)),
    }),
  )
  for (const event of events) deps.metrics.stanza('event', event.kind)
  logPublished(deps, made, item.receivedAtMs)
}

/** Votes on polls that we sent name the request that sent them. */
async function withPollRequest<E extends Event>({ store, hold }: SettleItemDeps, event: E): Promise<E> {
  if (event.kind !== 'poll_vote') return event
  const { sessionId } = hold
  const [poll] = await store.messages.readSentMessages({ sessionId, platformIds: [event.poll_message_id] })
  return poll === undefined ? event : { ...event, poll_request_id: poll.requestId }
}

function sealSeen({ seal, hold }: SettleItemDeps, seen: SeenMessage): Forwarded['remember'][number] {
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

async function publishReceipts(deps: SettleItemDeps, item: PlacedItem, receipts: PlatformReceipt[]): Promise<void> {
  const { store, hold, metrics } = deps
  const { sessionId, lease } = hold
  const platformIds = [...new Set(receipts.flatMap(receipt => receipt.platformIds))]
  const sent = await store.messages.readSentMessages({ sessionId, platformIds })
  const ours = new Map<string, SentMessage>(sent.map(message => [message.platformId, message]))
  const steps = receipts.flatMap(receipt =>
    receipt.platformIds.flatMap(id => {
      const message = ours.get(id)
      return message === undefined ? [] : receiptSteps(deps, sessionId, message, receipt)
    }),
  )
  if (steps.length === 0) return await drop(deps, item, 'receipt_of_unknown_message')
  const progress = { lease, steps, commandId: null, inboxKey: item.key }
  const outcome = await tracedPublish(deps, steps, item.receivedAtMs, () =>
    hold.commit(() => store.messages.progress(progress)),
  )
  if (outcome.told.length > 0) metrics.stanza('receipt', '')
  else metrics.stanza('dropped', outcome.late > 0 ? 'receipt_after_end' : 'receipt_repeated')
  const told = new Set(outcome.told)
  const events = steps.map(step => step.event).filter(({ id }) => told.has(id))
  logPublished(deps, events, item.receivedAtMs)
}
