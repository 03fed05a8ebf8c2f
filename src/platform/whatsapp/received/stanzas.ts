import { type BinaryNode, getBinaryNodeChild, type WASocket } from 'baileys'
import type { Clock } from '../../../runtime/clock.ts'
import { STATUS_BROADCAST } from '../../../domain/jid.ts'
import { getOwn } from '../../../runtime/get-own.ts'
import type { PlatformFlag } from '../../../domain/platform-flags.ts'
import type { DeviceChanges } from '../device/device-changes.ts'
import type { OfflineBatches } from './offline-batches.ts'
import type { OwedConfirmations } from './owed.ts'
import { notificationLabel, receiptLabel, unknownLabel } from '../wire/labels.ts'
import {
  answerPing,
  confirmAppData,
  confirmCopyWithoutLibrary,
  confirmWithoutLibrary,
  isAnswerable,
} from '../wire/unwritable.ts'
import { ackOf, hasReceipt } from '../wire/confirmation.ts'
import { receiptTypeOf } from '../wire/receipt-types.ts'
import { isOwn } from '../wire/own-names.ts'
import { isChannelChange, isContactChange, isGroupChange } from '../wire/announced-change.ts'
import { messageKeyOfStanza, poisonItem, stanzaItem } from './inbox-item.ts'
import { NO_CONTENT } from './received-content.ts'
import type { ReceivedMessages } from './received-messages.ts'
import { flagsTurnedOn } from './server-flags.ts'

export interface StanzaDeps {
  clock: Pick<Clock, 'now'>
  changes: Pick<DeviceChanges, 'add' | 'addUnawaited'>
  messages: Pick<ReceivedMessages, 'push'>
  owed: Pick<OwedConfirmations, 'has' | 'delete'>
  offline: Pick<OfflineBatches, 'begin' | 'arrived' | 'end'>
  onAck(stanza: BinaryNode): void
  onCall(stanza: BinaryNode): void
  onRetry(stanza: BinaryNode): void
  onNotification(stanza: BinaryNode): void
  /** The platform reports that what is known of the groups may be outdated. */
  onGroupsDirty(): void
  onDropped(reason: string): void
  onFlag(flag: PlatformFlag): void
}

/** Tags that the library or this file handles. */
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

/** Stanzas that the library acknowledges. */
const ACKNOWLEDGED = new Set<string | symbol>(['CB:message', 'CB:receipt', 'CB:call', 'CB:notification'])

/**
 * Receives every stanza before the library does. Messages are handled in order; receipts, calls and notifications of
 * channels, groups and contacts are among the changes before the library can acknowledge them; presence needs no acknowledgement.
 */
export function interceptStanzas(sock: WASocket, deps: StanzaDeps): void {
  const emit = sock.ws.emit.bind(sock.ws)
  const stanzas = new Stanzas(sock, deps)
  sock.ws.emit = (event: string | symbol, ...args: unknown[]) =>
    stanzas.isTaken(event, args[0] as BinaryNode) || emit(event, ...args)
}

class Stanzas {
  readonly #sock: WASocket
  readonly #deps: StanzaDeps

  constructor(sock: WASocket, deps: StanzaDeps) {
    this.#sock = sock
    this.#deps = deps
  }

  /** Returns true if the library must not receive the event. */
  isTaken(event: string | symbol, stanza: BinaryNode): boolean {
    if (event === 'frame') {
      if (stanza.attrs !== undefined) this.#arrived(stanza)
      return false
    }
    if (ACKNOWLEDGED.has(event) && !isAnswerable(stanza)) {
      this.#deps.onDropped('unanswerable')
      void this.#confirmWithoutLibrary(stanza).catch(() => {})
      return true
    }
    if (event === 'CB:message') {
      this.#deps.messages.push(stanza)
      return true
    }
    if (event === 'CB:ib,,dirty' && getBinaryNodeChild(stanza, 'dirty')?.attrs.type === 'groups') {
      this.#cleanGroups()
      return true
    }
    if (typeof event === 'string') this.#handle(event, stanza)
    if (ACKNOWLEDGED.has(event) && this.#deps.owed.has(stanza)) this.#confirmOwed(stanza)
    if (event === 'CB:notification' && stanza.attrs.type === 'server_sync') {
      // The library would fetch the settings itself.
      void this.#sock.sendNode(ackOf(stanza)).catch(() => {})
      return true
    }
    // The library would answer a retry request in a form that the platform rejects.
    return event === 'CB:receipt' && stanza.attrs.type === 'retry'
  }

  /**
   * The library would query all groups with all members first, and would confirm only if that succeeds: the platform
   * would report the same at each login.
   */
  #cleanGroups(): void {
    this.#deps.onGroupsDirty()
    void this.#sock.cleanDirtyBits('groups').catch(() => {})
  }

  /** Called once for every stanza. */
  #arrived(stanza: BinaryNode): void {
    if (stanza.attrs.offline !== undefined) this.#deps.offline.arrived()
    for (const flag of flagsTurnedOn(stanza)) this.#deps.onFlag(flag)
    if (!KNOWN_TAGS.has(stanza.tag)) this.#confirmUnknown(stanza)
  }

  /** The library has no listener for the stanza, and the platform ends the link if it is not confirmed. */
  #confirmUnknown(stanza: BinaryNode): void {
    const { id, from, participant } = stanza.attrs
    if (!id || !from) return
    if (stanza.tag === 'status' && from === STATUS_BROADCAST && participant && isAnswerable(stanza))
      return this.#deps.messages.push(stanza)
    this.#deps.onDropped(unknownLabel(stanza.tag))
    const isAppData = stanza.tag === 'appdata' && stanza.attrs.category === 'peer'
    const confirm = isAppData ? confirmAppData : confirmWithoutLibrary
    void confirm(this.#sock, stanza).catch(() => {})
  }

  /** The platform waits for this confirmation, whatever the library does with the stanza. */
  #confirmOwed(stanza: BinaryNode): void {
    this.#deps.owed.delete(stanza)
    void confirmWithoutLibrary(this.#sock, stanza).catch(() => {})
  }

  /** A stanza that cannot be read is still confirmed by the library, and later ones are handled. */
  #handle(event: string, stanza: BinaryNode): void {
    try {
      getOwn(this.#handlers, event)?.(stanza)
    } catch {
      this.#deps.onDropped(`unreadable_${stanza.tag}`)
    }
  }

  readonly #handlers: Record<string, (stanza: BinaryNode) => void> = {
    'CB:receipt': stanza => {
      if (stanza.attrs.type === 'read-self' || receiptTypeOf(stanza.attrs.type) !== undefined) this.#keep(stanza)
      else this.#deps.onDropped(receiptLabel(stanza.attrs.type ?? ''))
      if (stanza.attrs.type === 'retry') this.#deps.onRetry(stanza)
    },
    'CB:call': stanza => {
      this.#keep(stanza)
      this.#deps.onCall(stanza)
    },
    'CB:notification': stanza => {
      const isChange = isGroupChange(stanza) || isContactChange(stanza) || isChannelChange(stanza)
      if (stanza.attrs.type === 'newsletter' || isChange) this.#keep(stanza)
      else this.#deps.onDropped(notificationLabel(stanza.attrs.type ?? ''))
      this.#deps.onNotification(stanza)
      // The library does not know this form, in which the platform asks to compare the keys.
      if (stanza.attrs.type === 'encrypt' && isFromServer(stanza) && getBinaryNodeChild(stanza, 'digest'))
        void this.#sock.digestKeyBundle().catch(() => {})
    },
    'CB:presence': stanza => this.#keepUnawaited(stanza),
    'CB:chatstate': stanza => this.#keepUnawaited(stanza),
    'CB:ib,,offline_preview': () => this.#deps.offline.begin(),
    'CB:ib,,offline': () => this.#deps.offline.end(),
    'CB:ack,class:message': stanza => this.#deps.onAck(stanza),
    // The platform moves status posts to a tag of their own.
    'CB:ack,class:status': stanza => this.#deps.onAck(stanza),
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

  /** The platform does not redeliver it: a message is stored as poison, and is durable before this frame leaves. */
  async #confirmWithoutLibrary(stanza: BinaryNode): Promise<void> {
    if (stanza.tag === 'message') {
      const item = poisonItem(stanza, NO_CONTENT.bytes, messageKeyOfStanza(stanza), this.#nowMs())
      this.#deps.changes.add({ inbox: [item] })
    }
    const { from = '', recipient, category } = stanza.attrs
    const isCopy = stanza.tag === 'message' && recipient !== undefined && category !== 'peer' && hasReceipt(stanza)
    if (isCopy && isOwn(this.#sock.authState.creds, from)) await confirmCopyWithoutLibrary(this.#sock, stanza)
    else await confirmWithoutLibrary(this.#sock, stanza)
  }

  #nowMs(): number {
    return this.#deps.clock.now().getTime()
  }
}

/** A ping of the server; pings from other senders are not answered. */
const isPing = (stanza: BinaryNode): boolean => stanza.attrs.xmlns === 'urn:xmpp:ping' && isFromServer(stanza)

const isFromServer = ({ attrs }: BinaryNode): boolean => /^@?s\.whatsapp\.net$/.test(attrs.from ?? 's.whatsapp.net')
