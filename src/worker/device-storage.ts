import { aboutCreds, aboutInbox, aboutKey, aboutSeen, aboutSent } from '../domain/sealed.ts'
import type { DeviceStorage, InboxItem, KeyChange, SentCopy } from '../platform/platform.ts'
import type { SealedCopy } from '../store/units/inbox/device-state.ts'
import { whenReachable } from '../store/when-reachable.ts'
import type { HostParts } from './parts.ts'
import { type Hold, LeaseLost } from './hold.ts'

/** An inbox item that is durable, with its place in the order of arrival. */
export interface StoredItem extends InboxItem {
  seq: number
  tries: number
  /** A try under way is in the store, in case the host dies of it. */
  counted?: boolean
}

export interface Arrivals {
  nextSeq(): number
  /** These are committed now. */
  arrived(items: StoredItem[]): void
  /** Nobody knows whether some were committed. */
  mayHaveArrived(): void
}

const CACHED_KEYS = 64

/** The durable state of one device, sealed and fenced. */
export function createDeviceStorage(
  parts: Pick<HostParts, 'store' | 'seal' | 'clock' | 'log' | 'metrics'>,
  hold: Hold,
  arrivals: Arrivals,
): DeviceStorage {
  const { store, seal } = parts
  const { sessionId, lease } = hold
  const keys = createKeyCache(CACHED_KEYS)

  const sealKey = ({ category, id, value }: KeyChange) => ({
    category,
    id,
    sealed: value && seal.seal(value, aboutKey(sessionId, category, id)),
  })
  const sealItem = (item: StoredItem) => ({
    key: item.key,
    seq: item.seq,
    kind: item.kind,
    chat: item.chat ?? '',
    receivedAt: item.receivedAtMs,
    sealed: seal.seal(item.body, aboutInbox(sessionId, item.key)),
    ...(item.poison && { poison: true }),
  })
  const sealCopy = ({ platformId, encoded, seen }: SentCopy): SealedCopy => ({
    platformId,
    sealed: seal.seal(encoded, aboutSent(sessionId, platformId)),
    poll:
      seen.pollSecret === undefined
        ? null
        : {
            chatJid: seen.chatJid,
            senderJid: seen.senderJid,
            secret: seal.seal(seen.pollSecret, aboutSeen(sessionId, seen.chatJid, platformId)),
          },
  })

  /** The library takes a read that fails for something that there is not. */
  const reading = <T>(read: () => Promise<T>): Promise<T> =>
    whenReachable(parts.clock, read, { makesSense: () => hold.lasts() })

  return {
    readCreds: async () => {
      hold.require()
      const sealed = await store.inbox.readDeviceCreds(sessionId)
      return sealed && seal.open(sealed, aboutCreds(sessionId))
    },
    readKeys: async (category, ids) => {
      const found = new Map<string, Uint8Array>()
      const missing = ids.filter(id => {
        const value = keys.get(`${category}\n${id}`)
        if (value) found.set(id, value)
        return value === undefined
      })
      if (missing.length === 0) return found
      const rows = await reading(() => store.inbox.readDeviceKeys({ sessionId, category, ids: missing }))
      for (const { id, sealed } of rows) {
        const value = seal.open(sealed, aboutKey(sessionId, category, id))
        const newest = keys.fill(`${category}\n${id}`, value)
        if (newest !== null) found.set(id, newest)
      }
      return found
    },
    commit: async change => {
      hold.require()
      const items = (change.inbox ?? []).map(item => ({ ...item, seq: arrivals.nextSeq(), tries: 0 }))
      const written = keys.write(change.keys ?? [])
      try {
        const outcome = await store.inbox.commitDeviceState({
          lease,
          creds: change.creds === undefined ? null : seal.seal(change.creds, aboutCreds(sessionId)),
          keys: (change.keys ?? []).map(sealKey),
          inbox: items.map(sealItem),
          sent: (change.sent ?? []).map(sealCopy),
          ...(change.finished && { finished: change.finished }),
        })
        if (outcome === 'lost') throw new LeaseLost()
      } catch (error) {
        written.forget()
        if (error instanceof LeaseLost) hold.end()
        else if (items.length > 0) arrivals.mayHaveArrived()
        throw error
      }
      written.keep()
      for (const { key, kind } of items.filter(item => item.poison)) {
        parts.metrics.stanza('dropped', 'poison')
        parts.log.error({ session: sessionId, kind, inbox_key: key }, 'event.poison')
      }
      const told = items.filter(item => !item.poison)
      if (told.length > 0) arrivals.arrived(told)
    },
    readTries: async () => {
      const rows = await reading(() => store.inbox.readMessageTries(sessionId))
      return new Map(rows.map(({ key, tries }) => [key, tries]))
    },
    countTries: async (tried, by) => {
      await hold.commitOnce(() => store.inbox.countMessageTries({ lease, keys: tried, by }))
    },
    knownInboxKeys: async wanted =>
      wanted.length === 0 ? new Set() : new Set(await store.inbox.readKnownInboxKeys({ sessionId, keys: wanted })),
    readSent: async platformId => {
      const sealed = await reading(() => store.inbox.readSentMessage({ sessionId, platformId }))
      return sealed && seal.open(sealed, aboutSent(sessionId, platformId))
    },
    readSeen: async (messageId, chats) => {
      const wanted = { sessionId, messageId, chats: chats ?? null }
      const seen = await reading(() => store.inbox.readSeenMessage(wanted))
      if (seen === undefined) return undefined
      const { pollSecret, fromMe, ...rest } = seen
      const secret = pollSecret && seal.open(pollSecret, aboutSeen(sessionId, seen.chatJid, messageId))
      return { ...rest, fromMe: fromMe === 1, ...(secret && { pollSecret: secret }) }
    },
  }
}

/**
 * The keys used last. A session has one owner, so what it wrote last is what there is; a key that is being written is
 * kept until it is durable, because a reading connection does not see it yet.
 */
function createKeyCache(capacity: number) {
  const values = new Map<string, Uint8Array | null>()
  const unsettled = new Map<string, number>()

  function trim(): void {
    for (const name of values.keys()) {
      if (values.size <= capacity) return
      if (!unsettled.has(name)) values.delete(name)
    }
  }

  return {
    /** `undefined` where it has to be read, `null` where there is none. */
    get(name: string): Uint8Array | null | undefined {
      const value = values.get(name)
      if (value === undefined) return undefined
      values.delete(name)
      values.set(name, value)
      return value
    },
    /** Keeps what was read, unless it was written meanwhile: then answers that. */
    fill(name: string, value: Uint8Array): Uint8Array | null {
      const written = values.get(name)
      if (written !== undefined) return written
      values.set(name, value)
      trim()
      return value
    },
    /** Notes a write: kept when it is durable, forgotten where nobody knows, so that it is read again. */
    write(changes: KeyChange[]): { keep(): void; forget(): void } {
      const names = changes.map(({ category, id }) => `${category}\n${id}`)
      changes.forEach(({ value }, i) => {
        const name = names[i]!
        unsettled.set(name, (unsettled.get(name) ?? 0) + 1)
        values.delete(name)
        values.set(name, value)
      })
      const settle = (onSettled: (name: string) => void): void => {
        for (const name of names) {
          const left = unsettled.get(name)! - 1
          if (left > 0) unsettled.set(name, left)
          else {
            unsettled.delete(name)
            onSettled(name)
          }
        }
        trim()
      }
      return { keep: () => settle(() => {}), forget: () => settle(name => values.delete(name)) }
    },
  }
}
