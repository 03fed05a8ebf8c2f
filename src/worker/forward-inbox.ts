import { setMaxListeners } from 'node:events'
import { makeFileEvent } from '../actions/make-event.ts'
import type { Event } from '../domain/event.ts'
import { aboutInbox, aboutSeen } from '../domain/sealed.ts'
import type { InboxItem, Interpretation } from '../platform/platform.ts'
import { StoreUnavailable } from '../store/tx.ts'
import type { Forwarded, WaitingItem } from '../store/units/inbox/inbox.ts'
import { type Arrivals, type StoredItem } from './device-storage.ts'
import { createInboxQueue } from './inbox-queue.ts'
import { receiptSteps } from './message-events.ts'
import type { HostParts } from './parts.ts'
import { type Hold, LeaseLost } from './hold.ts'
import { within } from './within.ts'

export interface ForwarderOptions {
  parts: HostParts
  hold: Hold
  accountId: () => string
  interpret: (item: InboxItem, signal: AbortSignal) => Promise<Interpretation>
}

/** Turns what a session received into events: in order within a chat, chats side by side, again after a crash. */
export interface Forwarder extends Arrivals {
  /** Reads where the order of arrival goes on; before anything arrives. */
  prepare(): Promise<void>
  /** Reads what an earlier host left behind, and goes on from there. */
  start(): Promise<void>
  /** Begins nothing more and resolves when what was begun has ended. */
  stop(): Promise<void>
  /** Resolves with true when nothing is waiting, or with false when the time is over. */
  drained(timeoutMs: number): Promise<boolean>
}

/** Of what needs a file, and of all else: who sends files that never come holds up other files alone. */
const SIDE_BY_SIDE = 8
const IN_MEMORY = 512
const MAX_TRIES = 3
const RETRY_AFTER_MS = [500, 2_000]
const INTERPRET_TIMEOUT_MS = 90_000

export function createForwarder({ parts, hold, accountId, interpret }: ForwarderOptions): Forwarder {
  const { store, seal, log, metrics } = parts
  const { sessionId, lease } = hold
  const queue = createInboxQueue(IN_MEMORY)
  const stopping = new AbortController()
  setMaxListeners(0, stopping.signal)
  const running = { files: new Set<Promise<void>>(), others: new Set<Promise<void>>() }
  const slotsFor = ({ kind }: StoredItem) => (kind === 'file_message' ? running.files : running.others)
  let seq = 0
  /** Up to here an earlier host may have died of it: each try is counted before it is made. */
  let inheritedSeq = 0
  let reading = false

  function pump(): void {
    while (!stopping.signal.aborted && hold.lasts()) {
      const item = queue.take(each => slotsFor(each).size < SIDE_BY_SIDE)
      if (item === undefined) break
      const slots = slotsFor(item)
      const run = forward(item).finally(() => {
        slots.delete(run)
        pump()
      })
      slots.add(run)
    }
    if (queue.leftOut && queue.size < IN_MEMORY / 2) void refill()
  }

  async function refill(): Promise<void> {
    if (reading || stopping.signal.aborted || !hold.lasts()) return
    reading = true
    try {
      const limit = queue.size + IN_MEMORY
      queue.beginRefill()
      const rows = await store.inbox.readInbox({ sessionId, limit })
      queue.refill(
        rows.map(row => ({
          key: row.key,
          seq: row.seq,
          kind: row.kind,
          receivedAtMs: row.receivedAt,
          ...opened(row),
          ...(row.chat !== '' && { chat: row.chat }),
        })),
        rows.length === limit,
      )
    } catch (error) {
      log.warn({ session: sessionId, err: error }, 'inbox.unread')
      await parts.clock.sleep(1_000, stopping.signal)
    } finally {
      reading = false
    }
    pump()
  }

  /** One that cannot be opened must not keep the others from being read: it is given up at once. */
  function opened(row: WaitingItem): Pick<StoredItem, 'body' | 'tries'> {
    try {
      return { body: seal.open(row.sealed, aboutInbox(sessionId, row.key)), tries: row.tries }
    } catch (error) {
      log.error({ session: sessionId, inbox_key: row.key, err: error }, 'inbox.unreadable')
      return { body: new Uint8Array(0), tries: MAX_TRIES }
    }
  }

  async function forward(item: StoredItem): Promise<void> {
    try {
      await forwardOnce(item)
      queue.done(item)
    } catch (error) {
      if (error instanceof LeaseLost) return queue.done(item)
      if (stopping.signal.aborted || error instanceof StoreUnavailable) await count(item, -1)
      if (stopping.signal.aborted) return queue.done(item)
      if (!(error instanceof StoreUnavailable)) item.tries++
      log.warn({ session: sessionId, kind: item.kind, tries: item.tries, err: error }, 'event.failed')
      await parts.clock.sleep(RETRY_AFTER_MS[item.tries - 1] ?? 1_000, stopping.signal)
      queue.putBack(item)
    }
  }

  /** An end that has nothing to do with the item is no try of it. */
  async function count(item: StoredItem, by: 1 | -1): Promise<void> {
    if (by === -1 && item.counted !== true) return
    item.counted = by === 1
    await hold
      .commit(() => store.inbox.countInboxTry({ lease, key: item.key, by }))
      .catch((error: unknown) => {
        if (by === 1) throw error
      })
  }

  async function forwardOnce(item: StoredItem): Promise<void> {
    if (item.tries >= MAX_TRIES) return await giveUp(item)
    if (item.tries > 0 || item.seq <= inheritedSeq) await count(item, 1)
    const meaning = await within(INTERPRET_TIMEOUT_MS, signal => interpret(item, signal), stopping.signal)
    switch (meaning.kind) {
      case 'events':
        return await tell(item, meaning)
      case 'receipts':
        return await tellReceipts(item, meaning.receipts)
      case 'none':
        metrics.stanza('dropped', meaning.reason)
        return await settle({ ...nothing(item), reason: meaning.reason })
      default: {
        const never: never = meaning
        return never
      }
    }
  }

  async function tell(item: StoredItem, meaning: Extract<Interpretation, { kind: 'events' }>): Promise<void> {
    const events = await Promise.all(meaning.events.map(withPollRequest))
    const account = accountId()
    await settle({
      ...nothing(item),
      events: await Promise.all(events.map(event => makeFileEvent(parts, account, event))),
      received: events.filter(event => event.kind === 'message').length,
      remember: (meaning.remember ?? []).map(({ messageId, chatJid, senderJid, fromMe, pollSecret }) => ({
        messageId,
        chatJid,
        senderJid,
        fromMe: fromMe ? 1 : 0,
        pollSecret: pollSecret === undefined ? null : seal.seal(pollSecret, aboutSeen(sessionId, chatJid, messageId)),
      })),
    })
    for (const event of events) metrics.stanza('event', event.kind)
    const delayMs = Date.now() - item.receivedAtMs
    log.info({ session: sessionId, kinds: events.map(event => event.kind), delay_ms: delayMs }, 'event.published')
  }

  /** Votes on polls that we sent name the request that sent them. */
  async function withPollRequest<E extends Event>(event: E): Promise<E> {
    if (event.kind !== 'poll_vote') return event
    const [poll] = await store.commands.readSentMessages({ sessionId, platformIds: [event.poll_message_id] })
    return poll === undefined ? event : { ...event, poll_request_id: poll.requestId }
  }

  async function tellReceipts(
    item: StoredItem,
    receipts: Extract<Interpretation, { kind: 'receipts' }>['receipts'],
  ): Promise<void> {
    const platformIds = [...new Set(receipts.flatMap(receipt => receipt.platformIds))]
    const ours = new Map<string, Awaited<ReturnType<typeof store.commands.readSentMessages>>[number]>()
    for (const message of await store.commands.readSentMessages({ sessionId, platformIds }))
      ours.set(message.platformId, message)
    const steps = receipts.flatMap(receipt =>
      receipt.platformIds.flatMap(id => {
        const message = ours.get(id)
        return message === undefined ? [] : receiptSteps(parts, sessionId, message, receipt)
      }),
    )
    if (steps.length === 0) {
      metrics.stanza('dropped', 'receipt_of_unknown_message')
      return await settle({ ...nothing(item), reason: 'receipt_of_unknown_message' })
    }
    const progress = { lease, steps, commandId: null, inboxKey: item.key }
    const outcome = await hold.commit(() => store.commands.progress(progress))
    if (outcome.told > 0) metrics.stanza('receipt', '')
    else metrics.stanza('dropped', outcome.late > 0 ? 'receipt_after_end' : 'receipt_repeated')
  }

  async function giveUp(item: StoredItem): Promise<void> {
    metrics.stanza('dropped', 'poison')
    log.error({ session: sessionId, kind: item.kind, inbox_key: item.key }, 'event.poison')
    await settle({ ...nothing(item), reason: 'poison', keepBody: true })
  }

  const nothing = (item: StoredItem): Forwarded => ({
    lease,
    accountId: accountId(),
    key: item.key,
    events: [],
    received: 0,
    remember: [],
    reason: null,
    keepBody: false,
  })
  const settle = async (forwarded: Forwarded): Promise<void> => {
    await hold.commit(() => store.inbox.forwardItem(forwarded))
  }

  return {
    nextSeq: () => ++seq,
    mayHaveArrived: () => {
      queue.leaveOut()
      pump()
    },
    arrived: items => {
      queue.add(items)
      pump()
    },
    prepare: async () => {
      seq = await store.inbox.readLastSeq(sessionId)
      inheritedSeq = seq
      queue.leaveOut()
    },
    start: async () => {
      await refill()
    },
    stop: async () => {
      stopping.abort()
      await Promise.all([...running.files, ...running.others])
    },
    drained: async timeoutMs => {
      const until = parts.clock.monotonicMs() + timeoutMs
      const isWaiting = (): boolean => queue.size > 0 || queue.leftOut || reading
      while (isWaiting() && hold.lasts() && parts.clock.monotonicMs() < until) {
        await parts.clock.sleep(20, stopping.signal)
      }
      return !isWaiting()
    },
  }
}
