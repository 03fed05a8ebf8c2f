import type { InboxItem, Interpretation } from '../../platform/platform.ts'
import type { ProgressStep } from '../../store/messages/progress-steps.ts'
import { receiptSteps } from '../commands/message-events.ts'
import type { HostDeps } from '../deps.ts'
import type { HeldLease } from '../held-lease.ts'
import { logPublished } from '../log-published.ts'
import type { SentMessage } from '../../store/messages/sent-messages.ts'
import { advanceAll, type SentMessages } from '../sent-messages.ts'
import type { Inbox } from './inbox.ts'

interface DirectReceiptDeps extends Pick<HostDeps, 'seal' | 'clock' | 'log' | 'metrics' | 'tracing'> {
  heldLease: HeldLease
  inbox: Pick<Inbox, 'mayHaveChat'>
  sentMessages: SentMessages
  interpretNow: (item: InboxItem) => Interpretation | undefined
}

/** Receipts of one commit that need no inbox item, and the items that do. */
export interface SortedItems {
  items: InboxItem[]
  receipts: DirectReceipt[]
}

export interface DirectReceipt {
  receivedAtMs: number
  messages: SentMessage[]
  steps: ProgressStep[]
}

/**
 * Finds the receipts whose meaning is known without a read: they are recorded in the commit that would store them in the
 * inbox. All others take the way of every item.
 */
export class DirectReceipts {
  readonly #deps: DirectReceiptDeps

  constructor(deps: DirectReceiptDeps) {
    this.#deps = deps
  }

  sort(received: readonly InboxItem[]): SortedItems {
    const sorted: SortedItems = { items: [], receipts: [] }
    const chats = new Set<string>()
    for (const item of received) {
      const receipt = chats.has(item.chat ?? '') ? undefined : this.#receiptOf(item)
      if (receipt !== undefined) sorted.receipts.push(receipt)
      else {
        sorted.items.push(item)
        chats.add(item.chat ?? '')
      }
    }
    return sorted
  }

  /** The receipts are committed; `published` are the ids of the events that are new. */
  committed(receipts: readonly DirectReceipt[], published: ReadonlySet<string>, late: number): void {
    const { metrics } = this.#deps
    for (const { receivedAtMs, messages, steps } of receipts) {
      const events = steps.map(step => step.event).filter(({ id }) => published.has(id))
      if (events.length > 0) metrics.stanza('receipt', '')
      else metrics.stanza('dropped', late > 0 ? 'receipt_after_end' : 'receipt_repeated')
      logPublished(this.#deps, events, receivedAtMs)
      advanceAll(messages, steps)
    }
  }

  #receiptOf(item: InboxItem): DirectReceipt | undefined {
    const { inbox, tracing } = this.#deps
    // Items of a chat are published in order. A span has to be stored first.
    if (item.kind !== 'receipt' || item.poison || tracing !== null || inbox.mayHaveChat(item.chat ?? ''))
      return undefined
    try {
      const meaning = this.#deps.interpretNow(item)
      return meaning?.kind === 'receipts' ? this.#stepsOf(item, meaning) : undefined
    } catch {
      // The inbox counts how often it fails.
      return undefined
    }
  }

  #stepsOf(
    { receivedAtMs }: InboxItem,
    { receipts }: Extract<Interpretation, { kind: 'receipts' }>,
  ): DirectReceipt | undefined {
    const { sentMessages, heldLease } = this.#deps
    const { sessionId } = heldLease
    const direct: DirectReceipt = { receivedAtMs, messages: [], steps: [] }
    for (const receipt of receipts) {
      for (const id of receipt.platformIds) {
        const message = sentMessages.inMemory(sessionId, id)
        if (message === undefined || !receipt.chatNames.includes(message.recipient)) return undefined
        direct.messages.push(message)
        direct.steps.push(...receiptSteps(this.#deps, sessionId, message, receipt))
      }
    }
    return direct.steps.length > 0 ? direct : undefined
  }
}
