import type { BinaryNode, WASocket } from 'baileys'
import type { Clock } from '../../../runtime/clock.ts'
import { STATUS_BROADCAST } from '../../../domain/jid.ts'
import { getOwn } from '../../../runtime/get-own.ts'
import type { DeviceChanges } from '../device/device-changes.ts'
import type { OfflineBatches } from './offline-batches.ts'
import type { OwedConfirmations } from './owed.ts'
import { notificationLabel, receiptLabel, unknownLabel } from '../wire/labels.ts'
import { answerPing, confirmByHand, confirmCopyByHand, isAnswerable } from '../wire/unwritable.ts'
import { hasReceipt } from '../wire/confirmation.ts'
import { isOwn } from '../wire/own-names.ts'
import { messageKeyOfStanza, poisonItem, stanzaItem } from './inbox-item.ts'
import { NO_CONTENT } from './received-content.ts'
import type { ReceivedMessages } from './received-messages.ts'

export interface StanzaDeps {
  clock: Pick<Clock, 'now'>
  changes: Pick<DeviceChanges, 'add' | 'addUnawaited'>
  messages: Pick<ReceivedMessages, 'push'>
  owed: Pick<OwedConfirmations, 'has' | 'settle'>
  offline: Pick<OfflineBatches, 'begin' | 'came' | 'end'>
  onAck(stanza: BinaryNode): void
  onCall(stanza: BinaryNode): void
  onRetry(stanza: BinaryNode): void
  onNotification(stanza: BinaryNode): void
  onDropped(reason: string): void
}

/** Receipts that tell what became of a message; the others are between devices and the server. */
const TOLD_RECEIPTS = new Set([undefined, '', 'read', 'played'])

/** Tags that somebody here knows. */
const KNOWN_TAGS = new Set([
  'ack',
  'call',
  'chatstate',
  'failure',
  'ib',
  'iq',
  'message',
  'notification',
  'presence',
  'receipt',
  'stream:error',
  'success',
])

/** What the library answers for. */
const ANSWERED = new Set<string | symbol>(['CB:message', 'CB:receipt', 'CB:call', 'CB:notification'])

/**
 * Sees every stanza before the library does. Messages are handled in their order; receipts, calls and channel
 * notifications are among the changes before the library can acknowledge them; presence needs no acknowledgement.
 */
export function interceptStanzas(sock: WASocket, deps: StanzaDeps): void {
  const emit = sock.ws.emit.bind(sock.ws)
  const stanzas = new Stanzas(sock, deps)
  sock.ws.emit = (event: string | symbol, ...words: unknown[]) =>
    stanzas.isTaken(event, words[0] as BinaryNode) || emit(event, ...words)
}

class Stanzas {
  readonly #sock: WASocket
  readonly #deps: StanzaDeps

  constructor(sock: WASocket, deps: StanzaDeps) {
    this.#sock = sock
    this.#deps = deps
  }

  /** Whether the library never hears of it. */
  isTaken(event: string | symbol, stanza: BinaryNode): boolean {
    if (event === 'frame') {
      if (stanza.attrs !== undefined) this.#arrived(stanza)
      return false
    }
    if (ANSWERED.has(event) && !isAnswerable(stanza)) {
      this.#deps.onDropped('unanswerable')
      void this.#answerByHand(stanza).catch(() => {})
      return true
    }
    if (event === 'CB:message') {
      this.#deps.messages.push(stanza)
      return true
    }
    if (typeof event === 'string') this.#notice(event, stanza)
    if (ANSWERED.has(event) && this.#deps.owed.has(stanza)) this.#answerOwed(stanza)
    // The library answers a request for a message in a shape that the platform refuses.
    return event === 'CB:receipt' && stanza.attrs.type === 'retry'
  }

  /** Every stanza once, whatever it is. */
  #arrived(stanza: BinaryNode): void {
    if (stanza.attrs.offline !== undefined) this.#deps.offline.came()
    if (!KNOWN_TAGS.has(stanza.tag)) this.#answerUnknown(stanza)
  }

  /** The library has no listener for it, and without its confirmation the platform cuts the link over it. */
  #answerUnknown(stanza: BinaryNode): void {
    const { id, from, participant } = stanza.attrs
    if (!id || !from) return
    if (stanza.tag === 'status' && from === STATUS_BROADCAST && participant && isAnswerable(stanza))
      return this.#deps.messages.push(stanza)
    this.#deps.onDropped(unknownLabel(stanza.tag))
    void confirmByHand(this.#sock, stanza).catch(() => {})
  }

  /** Whatever the library does with it, the platform waits for this one. */
  #answerOwed(stanza: BinaryNode): void {
    this.#deps.owed.settle(stanza)
    void confirmByHand(this.#sock, stanza).catch(() => {})
  }

  /** Whatever is wrong with a stanza, the library confirms it, and those behind it are heard. */
  #notice(event: string, stanza: BinaryNode): void {
    try {
      getOwn(this.#before, event)?.(stanza)
    } catch {
      this.#deps.onDropped(`unreadable_${stanza.tag}`)
    }
  }

  readonly #before: Record<string, (stanza: BinaryNode) => void> = {
    'CB:receipt': stanza => {
      if (TOLD_RECEIPTS.has(stanza.attrs.type)) this.#keep(stanza)
      else this.#deps.onDropped(receiptLabel(stanza.attrs.type ?? ''))
      if (stanza.attrs.type === 'retry') this.#deps.onRetry(stanza)
    },
    'CB:call': stanza => {
      this.#keep(stanza)
      this.#deps.onCall(stanza)
    },
    'CB:notification': stanza => {
      if (stanza.attrs.type === 'newsletter') this.#keep(stanza)
      else this.#deps.onDropped(notificationLabel(stanza.attrs.type ?? ''))
      this.#deps.onNotification(stanza)
    },
    'CB:presence': stanza => this.#keepUnawaited(stanza),
    'CB:chatstate': stanza => this.#keepUnawaited(stanza),
    'CB:ib,,offline_preview': () => this.#deps.offline.begin(),
    'CB:ib,,offline': () => this.#deps.offline.end(),
    'CB:ack,class:message': stanza => this.#deps.onAck(stanza),
    'CB:iq,type:get': stanza => {
      if (isPing(stanza)) void answerPing(this.#sock, stanza).catch(() => {})
    },
  }

  #keep(stanza: BinaryNode): void {
    this.#deps.changes.add({ inbox: [stanzaItem(stanza, this.#nowMs())] })
  }

  #keepUnawaited(stanza: BinaryNode): void {
    this.#deps.changes.addUnawaited({ inbox: [stanzaItem(stanza, this.#nowMs())] })
  }

  /** It never comes again: of a message is kept what there is, and it is durable before this frame leaves. */
  async #answerByHand(stanza: BinaryNode): Promise<void> {
    if (stanza.tag === 'message') {
      const item = poisonItem(stanza, NO_CONTENT.bytes, messageKeyOfStanza(stanza), this.#nowMs())
      this.#deps.changes.add({ inbox: [item] })
    }
    const { from = '', recipient, category } = stanza.attrs
    const isCopy = stanza.tag === 'message' && recipient !== undefined && category !== 'peer' && hasReceipt(stanza)
    if (isCopy && isOwn(this.#sock.authState.creds, from)) await confirmCopyByHand(this.#sock, stanza)
    else await confirmByHand(this.#sock, stanza)
  }

  #nowMs(): number {
    return this.#deps.clock.now().getTime()
  }
}

/** The server asks whether somebody is there; nobody else may have an answer. */
const isPing = ({ attrs }: BinaryNode): boolean =>
  attrs.xmlns === 'urn:xmpp:ping' && /^@?s\.whatsapp\.net$/.test(attrs.from ?? 's.whatsapp.net')
