import { makeEvent, makeFileEvent } from '../../actions/make-event.ts'
import type { ChatChange } from '../../domain/chat.ts'
import type { AnyEvent } from '../../domain/event.ts'
import { aboutLabel, aboutSeen } from '../../domain/sealed.ts'
import {
  HistoryUnreadable,
  type Interpretation,
  type PlatformReceipt,
  type SeenMessage,
} from '../../platform/platform.ts'
import type { Store } from '../../store/store.ts'
import type { FinishedItem } from '../../store/inbox/inbox.ts'
import type { HeldLease } from '../held-lease.ts'
import type { PlacedItem } from './inbox-queue.ts'
import { MAX_FAILURES } from './item-attempts.ts'
import { receiptSteps } from '../commands/message-events.ts'
import { logPublished } from '../log-published.ts'
import type { HostDeps } from '../deps.ts'
import { advanceAll, type SentMessages } from '../sent-messages.ts'
import { tracedPublish } from '../traced-publish.ts'

export interface FinishItemDeps
  extends Pick<HostDeps, 'seal' | 'platformIds' | 'clock' | 'log' | 'metrics' | 'tracing'> {
  store: Pick<Store, 'inbox' | 'messages' | 'traces'>
  heldLease: HeldLease
  sentMessages: SentMessages
  /** The account that owns the number. */
  accountId: () => string
  /** Whether messages of the number may wait because of its pace. */
  isPaced: () => boolean
}

/** Publishes what an item means. The same transaction marks the item done, so that it is published once. */
export async function finishItem(
  deps: FinishItemDeps,
  item: PlacedItem,
  meaning: Interpretation,
  signal: AbortSignal,
): Promise<void> {
  switch (meaning.kind) {
    case 'events':
      return await publishEvents(deps, item, meaning)
    case 'receipts':
      return await publishReceipts(deps, item, meaning.receipts)
    case 'history':
      return await publishHistory(deps, item, meaning)
    case 'first_history':
      return await publishFirstHistory(deps, item, meaning, signal)
    case 'chats':
      return await publishChats(deps, item, meaning)
    case 'none':
      return await drop(deps, item, meaning.reason, meaning.chats)
    default: {
      const never: never = meaning
      return never
    }
  }
}

/** Keeps the sealed body of an item that cannot be interpreted, for the operator. */
export async function abandonItem(deps: FinishItemDeps, item: PlacedItem): Promise<void> {
  const { log, metrics, heldLease } = deps
  metrics.stanza('dropped', 'poison')
  log.error({ session: heldLease.sessionId, kind: item.kind, inbox_key: item.key }, 'event.poison')
  await end(deps, item, { reason: 'poison', keepBody: true })
}

async function drop(deps: FinishItemDeps, item: PlacedItem, reason: string, chats?: ChatChange[]): Promise<void> {
  deps.metrics.stanza('dropped', reason)
  await end(deps, item, { reason, ...(chats && { chats }) })
}

/** Older messages count as no incoming ones, and release none that wait. */
async function publishHistory(
  deps: FinishItemDeps,
  item: PlacedItem,
  { messages, progress }: Extract<Interpretation, { kind: 'history' }>,
): Promise<void> {
  const accountId = deps.accountId()
  const made = messages.map(({ event, forEndpoints }) => makeEvent(deps, accountId, event, forEndpoints))
  const remember = messages.map(({ seen }) => sealSeen(deps, seen))
  const reason = made.length === 0 ? { reason: 'history_requested' } : {}
  await tracedPublish(
    deps,
    made.map(event => ({ event })),
    item.receivedAtMs,
    () => end(deps, item, { events: made, remember, history: progress, ...reason }),
  )
  for (const { event } of messages) deps.metrics.stanza('event', event.kind)
  logPublished(deps, made, item.receivedAtMs)
}

type FirstHistoryPart = Extract<Interpretation, { kind: 'first_history' }>

/** After a kill the part is read again, and messages that were published are left out. */
async function publishFirstHistory(
  deps: FinishItemDeps,
  item: PlacedItem,
  part: FirstHistoryPart,
  signal: AbortSignal,
): Promise<void> {
  try {
    await publishSlices(deps, item, part, signal)
  } catch (error) {
    if (!(error instanceof HistoryUnreadable) || item.failures + 1 < MAX_FAILURES) throw error
    const reason = 'history_sync_failed'
    deps.metrics.stanza('dropped', reason)
    return await end(deps, item, { history: part.progress(false), reason })
  }
  await end(deps, item, { history: part.progress(true), reason: 'history_after_linking' })
}

async function publishSlices(
  deps: FinishItemDeps,
  item: PlacedItem,
  { jobId, slices }: FirstHistoryPart,
  signal: AbortSignal,
): Promise<void> {
  const { store, heldLease } = deps
  const { lease } = heldLease
  const accountId = deps.accountId()
  for await (const slice of slices(signal)) {
    const messages = slice.map(({ event, forEndpoints, seen, inboxKeys }) => ({
      event: makeEvent(deps, accountId, event, forEndpoints),
      seen: sealSeen(deps, seen),
      inboxKeys,
    }))
    const outcome = await tracedPublish(deps, messages, item.receivedAtMs, () =>
      heldLease.commit(() => store.inbox.publishHistorySlice({ lease, jobId, messages })),
    )
    const published = new Set(outcome.published)
    const events = messages.map(({ event }) => event).filter(({ id }) => published.has(id))
    for (const { kind } of events) deps.metrics.stanza('event', kind)
    logPublished(deps, events, item.receivedAtMs)
  }
}

/** What the phone shares of chats may be no news for endpoints. */
async function publishChats(
  deps: FinishItemDeps,
  item: PlacedItem,
  { events, chats, labels, isWhole }: Extract<Interpretation, { kind: 'chats' }>,
): Promise<void> {
  const { seal, heldLease } = deps
  const accountId = deps.accountId()
  const made = events.map(event => makeEvent(deps, accountId, event))
  const named = labels.map(({ id, name }) => ({
    id,
    sealed: name === null ? null : seal.seal(name, aboutLabel(heldLease.sessionId, id)),
  }))
  const result = { events: made, chats, labels: named, areChatsSynced: isWhole }
  const reason = made.length === 0 ? { reason: 'settings' } : {}
  await tracedPublish(
    deps,
    made.map(event => ({ event })),
    item.receivedAtMs,
    () => end(deps, item, { ...result, ...reason }),
  )
  for (const event of events) deps.metrics.stanza('event', event.kind)
  logPublished(deps, made, item.receivedAtMs)
}

async function end(deps: FinishItemDeps, item: PlacedItem, result: Partial<FinishedItem>): Promise<void> {
  const { store, heldLease } = deps
  const nothing = { events: [], received: 0, remember: [], reason: null, keepBody: false }
  const finished = { lease: heldLease.lease, accountId: deps.accountId(), key: item.key, ...nothing, ...result }
  await heldLease.commit(() => store.inbox.publishItem(finished))
}

async function publishEvents(
  deps: FinishItemDeps,
  item: PlacedItem,
  meaning: Extract<Interpretation, { kind: 'events' }>,
): Promise<void> {
  const first = await Promise.all(meaning.events.map(event => withPollRequest(deps, event)))
  const events: AnyEvent[] = [...first, ...(meaning.furtherEvents ?? [])]
  const accountId = deps.accountId()
  const made = await Promise.all(
    events.map((event, i) =>
      makeFileEvent(deps, accountId, event, i < first.length ? meaning.forEndpoints : undefined),
    ),
  )
  const published = made.map(event => ({ event }))
  await tracedPublish(deps, published, item.receivedAtMs, () =>
    end(deps, item, {
      events: made,
      received: events.filter(event => event.kind === 'message').length,
      remember: (meaning.remember ?? []).map(seen => sealSeen(deps, seen)),
      releasesHeld: deps.isPaced(),
      ...(meaning.chats && { chats: meaning.chats }),
    }),
  )
  for (const event of events) deps.metrics.stanza('event', event.kind)
  logPublished(deps, made, item.receivedAtMs)
}

/** A vote on a poll that this gateway sent names the request that sent it. */
async function withPollRequest<E extends AnyEvent>({ sentMessages, heldLease }: FinishItemDeps, event: E): Promise<E> {
  if (event.kind !== 'poll_vote') return event
  const id = event.poll_message_id
  const poll = (await sentMessages.find(heldLease.sessionId, [id])).get(id)
  return poll === undefined ? event : { ...event, poll_request_id: poll.requestId }
}

function sealSeen({ seal, heldLease }: FinishItemDeps, seen: SeenMessage): FinishedItem['remember'][number] {
  const { messageId, chatJid, senderJid, fromMe, secret, isAnswered = false } = seen
  return {
    messageId,
    chatJid,
    senderJid,
    fromMe: fromMe ? 1 : 0,
    secret: secret === undefined ? null : seal.seal(secret, aboutSeen(heldLease.sessionId, chatJid, messageId)),
    isAnswered,
  }
}

async function publishReceipts(deps: FinishItemDeps, item: PlacedItem, receipts: PlatformReceipt[]): Promise<void> {
  const { store, heldLease, sentMessages, metrics } = deps
  const { sessionId, lease } = heldLease
  const ours = await sentMessages.find(
    sessionId,
    receipts.flatMap(receipt => receipt.platformIds),
  )
  let reason = 'receipt_of_unknown_message'
  const steps = receipts.flatMap(receipt =>
    receipt.platformIds.flatMap(id => {
      const message = ours.get(id)
      if (message === undefined) return []
      // Anyone may know an id: only a receipt from the chat that the message was sent to counts.
      if (receipt.chatNames.includes(message.recipient)) return receiptSteps(deps, sessionId, message, receipt)
      reason = 'receipt_of_other'
      return []
    }),
  )
  if (steps.length === 0) return await drop(deps, item, reason)
  const progress = { lease, steps, commandId: null, inboxKey: item.key }
  const outcome = await tracedPublish(deps, steps, item.receivedAtMs, () =>
    heldLease.commit(() => store.messages.recordProgress(progress)),
  )
  if (outcome.published.length > 0) metrics.stanza('receipt', '')
  else metrics.stanza('dropped', outcome.late > 0 ? 'receipt_after_end' : 'receipt_repeated')
  advanceAll(ours.values(), steps)
  const published = new Set(outcome.published)
  const events = steps.map(step => step.event).filter(({ id }) => published.has(id))
  logPublished(deps, events, item.receivedAtMs)
}
