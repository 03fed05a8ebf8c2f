import type { FirstHistory, WaitingHistory } from '../../domain/history.ts'
import type { IncludeWord } from '../../domain/include.ts'
import { aboutCreds, aboutSeen, aboutSent, aboutKey } from '../../domain/sealed.ts'
import {
  type DeviceChange,
  type DeviceStorage,
  type ReceivedFiles,
  type SeenMessage,
  StorageUnavailable,
} from '../../platform/platform.ts'
import type { Store } from '../../store/store.ts'
import { retryUntilReachable } from '../../store/retry-until-reachable.ts'
import { DeviceKeys } from './device-keys.ts'
import { sealCopy, sealItem, sealKey } from './device-seals.ts'
import { type HeldLease, LeaseLost } from '../held-lease.ts'
import type { DirectReceipts } from './direct-receipts.ts'
import type { Inbox } from './inbox.ts'
import type { PlacedItem } from './inbox-queue.ts'
import type { HostDeps } from '../deps.ts'

type StorageDeps = Pick<HostDeps, 'seal' | 'platformIds' | 'clock' | 'log' | 'metrics'> & {
  store: Pick<Store, 'devices' | 'endpoints' | 'inbox'>
}

/** The durable state of one device, sealed and fenced by its lease. Received items are in its inbox once they are committed. */
export class SealedDeviceStorage implements DeviceStorage {
  readonly #deps: StorageDeps
  readonly #heldLease: HeldLease
  readonly #inbox: Inbox
  readonly #keys = new DeviceKeys()
  readonly #receipts: DirectReceipts | undefined
  readonly files: ReceivedFiles

  /** Without `receipts`, all received items go to the inbox. */
  constructor(deps: StorageDeps, heldLease: HeldLease, inbox: Inbox, files: ReceivedFiles, receipts?: DirectReceipts) {
    this.#receipts = receipts
    this.#deps = deps
    this.#heldLease = heldLease
    this.#inbox = inbox
    this.files = files
  }

  async readCreds(): Promise<Uint8Array | undefined> {
    const { store, seal } = this.#deps
    const { sessionId } = this.#heldLease
    this.#heldLease.requireValid()
    const sealed = await this.#read(() => store.devices.readDeviceCreds(sessionId))
    return sealed && seal.open(sealed, aboutCreds(sessionId))
  }

  async readKeys(category: string, ids: string[]): Promise<Map<string, Uint8Array>> {
    const { store, seal } = this.#deps
    const { sessionId } = this.#heldLease
    const found = new Map<string, Uint8Array>()
    const missing = ids.filter(id => {
      const value = this.#keys.get(category, id)
      if (value) found.set(id, value)
      return value === undefined
    })
    if (missing.length === 0) return found
    for (const { id, sealed } of await this.#read(() =>
      store.devices.readDeviceKeys({ sessionId, category, ids: missing }),
    )) {
      const value = seal.open(sealed, aboutKey(sessionId, category, id))
      const newest = this.#keys.fill(category, id, value)
      if (newest !== null) found.set(id, newest)
    }
    return found
  }

  isUnavailable(): boolean {
    return !this.#heldLease.isHeard()
  }

  /**
   * Resolves when the change is durable and its items are in the inbox; only then the platform confirms them. Waits for an
   * unreachable database until the lease is over.
   */
  async commit(change: DeviceChange): Promise<void> {
    this.#heldLease.requireValid()
    const received = change.inbox ?? []
    const sorted = this.#receipts?.sort(received) ?? { items: received, receipts: [] }
    const items = this.#inbox.place(sorted.items)
    const progress = sorted.receipts.flatMap(({ steps }) => steps)
    const write = this.#keys.write(change.keys ?? [])
    try {
      const sealed = { ...this.#sealed(change, items), ...(progress.length > 0 && { progress }) }
      const result = await this.#heldLease.commit(() => this.#deps.store.devices.commitDeviceState(sealed))
      if (result !== 'done') this.#receipts?.committed(sorted.receipts, new Set(result.published), result.late)
    } catch (error) {
      write.inDoubt()
      if (items.length > 0 && !(error instanceof LeaseLost)) this.#inbox.mayHaveArrived()
      throw error
    }
    write.committed()
    this.#inbox.arrived(this.#withoutPoison(items))
  }

  #sealed(change: DeviceChange, items: PlacedItem[]) {
    const { seal } = this.#deps
    const { sessionId, lease } = this.#heldLease
    return {
      lease,
      creds: change.creds === undefined ? null : seal.seal(change.creds, aboutCreds(sessionId)),
      keys: (change.keys ?? []).map(key => sealKey(seal, sessionId, key)),
      inbox: items.map(item => sealItem(seal, sessionId, item)),
      sent: (change.sent ?? []).map(copy => sealCopy(seal, sessionId, copy)),
      ...(change.chats && { chats: change.chats }),
      ...(change.finished && { finished: change.finished }),
    }
  }

  /** Items that cannot be interpreted are kept for the operator and not processed. */
  #withoutPoison(items: PlacedItem[]): PlacedItem[] {
    const { log, metrics } = this.#deps
    return items.filter(({ poison, kind, key }) => {
      if (!poison) return true
      metrics.stanza('dropped', 'poison')
      log.error({ session: this.#heldLease.sessionId, kind, inbox_key: key }, 'event.poison')
      return false
    })
  }

  async readTries(): Promise<Map<string, number>> {
    const { store } = this.#deps
    const rows = await this.#read(() => store.inbox.readMessageTries(this.#heldLease.sessionId))
    return new Map(rows.map(({ key, tries }) => [key, tries]))
  }

  async recordTries(tries: ReadonlyMap<string, number>): Promise<void> {
    const { lease } = this.#heldLease
    const rows = [...tries].map(([key, n]) => ({ key, tries: n }))
    await this.#heldLease.commit(() => this.#deps.store.inbox.recordMessageTries({ lease, tries: rows }))
  }

  async knownInboxKeys(keys: string[]): Promise<Set<string>> {
    if (keys.length === 0) return new Set()
    const { sessionId } = this.#heldLease
    return new Set(await this.#read(() => this.#deps.store.inbox.readKnownInboxKeys({ sessionId, keys })))
  }

  async readSent(platformId: string): Promise<Uint8Array | undefined> {
    const { store, seal } = this.#deps
    const { sessionId } = this.#heldLease
    const sealed = await this.#read(() => store.devices.readSentMessage({ sessionId, platformId }))
    return sealed && seal.open(sealed, aboutSent(sessionId, platformId))
  }

  async readSeen(messageId: string, chats?: string[]): Promise<SeenMessage | undefined> {
    const { store, seal, platformIds } = this.#deps
    const { sessionId } = this.#heldLease
    const named = { sessionId, messageId, beginning: platformIds.beginningOf(messageId) ?? null, chats: chats ?? null }
    const seen = await this.#read(() => store.inbox.readSeenMessage(named))
    if (seen === undefined) return undefined
    const { secret: sealed, fromMe, ...rest } = seen
    const secret = sealed && seal.open(sealed, aboutSeen(sessionId, seen.chatJid, messageId))
    return { ...rest, fromMe: fromMe === 1, ...(secret && { secret }) }
  }

  async isIncluded(word: IncludeWord): Promise<boolean> {
    const { store } = this.#deps
    const { sessionId } = this.#heldLease
    return await this.#read(() => store.endpoints.isIncluded({ sessionId, word }))
  }

  async findHistory(platformId: string): Promise<WaitingHistory | undefined> {
    const { store } = this.#deps
    const { sessionId } = this.#heldLease
    return await this.#read(() => store.inbox.findWaitingHistory({ sessionId, platformId }))
  }

  async findFirstHistory(): Promise<FirstHistory | undefined> {
    const { store } = this.#deps
    return await this.#read(() => store.inbox.findFirstHistory(this.#heldLease.sessionId))
  }

  /** The library treats a failed read as a missing key, so a read waits for the database until the lease is over. */
  async #read<T>(read: () => Promise<T>): Promise<T> {
    try {
      return await retryUntilReachable(this.#deps.clock, read, { mayRetry: () => this.#heldLease.isValid() })
    } catch (error) {
      throw new StorageUnavailable('the state of a device cannot be read now', { cause: error })
    }
  }
}
