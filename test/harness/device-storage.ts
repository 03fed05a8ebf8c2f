import type { DeviceChange, DeviceStorage, InboxItem, LinkedDevice, SeenMessage } from '../../src/platform/platform.ts'

/** A device's storage in memory, whose commits can be slow, fail, or be interrupted as by a crash. */
export interface TestStorage extends DeviceStorage {
  readonly inbox: Map<string, InboxItem>
  readonly sent: Map<string, Uint8Array>
  readonly seen: Map<string, SeenMessage>
  readonly commits: DeviceChange[]
  /** Attempts at messages that never finished, by key. */
  readonly tries: Map<string, number>
  /** Runs before each commit is applied; a rejection fails it. */
  beforeCommit: (change: DeviceChange) => Promise<void>
  /**
   * Runs after each commit is applied, before its caller knows; a rejection leaves the outcome unknown to the caller.
   */
  afterCommit: (change: DeviceChange) => Promise<void>
  /** Called when a received item is durable. */
  onInbox: () => void
  /** The state that a new process would find. */
  restarted(): TestStorage
}

export function createDeviceStorage(device?: Pick<LinkedDevice, 'creds' | 'keys'>): TestStorage {
  const keys = new Map<string, Uint8Array>()
  for (const { category, id, value } of device?.keys ?? []) if (value) keys.set(`${category}/${id}`, value)
  return storageOf({ creds: device?.creds, keys, inbox: new Map(), sent: new Map(), seen: new Map(), tries: new Map() })
}

interface Contents {
  creds: Uint8Array | undefined
  keys: Map<string, Uint8Array>
  inbox: Map<string, InboxItem>
  sent: Map<string, Uint8Array>
  seen: Map<string, SeenMessage>
  tries: Map<string, number>
}

function storageOf(contents: Contents): TestStorage {
  const commits: DeviceChange[] = []
  const storage: TestStorage = {
    inbox: contents.inbox,
    sent: contents.sent,
    seen: contents.seen,
    commits,
    tries: contents.tries,
    beforeCommit: async () => {},
    afterCommit: async () => {},
    onInbox: () => {},
    restarted: () =>
      storageOf({
        creds: contents.creds,
        keys: new Map(contents.keys),
        inbox: new Map(contents.inbox),
        sent: new Map(contents.sent),
        seen: new Map(contents.seen),
        tries: new Map(contents.tries),
      }),
    readCreds: async () => contents.creds,
    readKeys: async (category, ids) => {
      const found = new Map<string, Uint8Array>()
      for (const id of ids) {
        const value = contents.keys.get(`${category}/${id}`)
        if (value) found.set(id, value)
      }
      return found
    },
    async commit(change) {
      await storage.beforeCommit(change)
      apply(contents, change)
      commits.push(change)
      await storage.afterCommit(change)
      if (change.inbox) storage.onInbox()
    },
    knownInboxKeys: async asked => new Set(asked.filter(key => contents.inbox.has(key))),
    readTries: async () => new Map(contents.tries),
    recordTries: async tries => {
      for (const [key, n] of tries) contents.tries.set(key, n)
    },
    isIncluded: async () => false,
    readSent: async id => contents.sent.get(id),
    readSeen: async (id, chats) => {
      const seen = contents.seen.get(id)
      return seen && (chats === undefined || chats.includes(seen.chatJid)) ? seen : undefined
    },
  }
  return storage
}

function apply(contents: Contents, change: DeviceChange): void {
  if (change.creds) contents.creds = change.creds
  for (const { category, id, value } of change.keys ?? []) {
    if (value) contents.keys.set(`${category}/${id}`, value)
    else contents.keys.delete(`${category}/${id}`)
  }
  for (const item of change.inbox ?? []) if (!contents.inbox.has(item.key)) contents.inbox.set(item.key, item)
  for (const key of change.finished ?? []) contents.tries.delete(key)
  for (const copy of change.sent ?? []) {
    contents.sent.set(copy.platformId, copy.encoded)
    contents.seen.set(copy.seen.messageId, copy.seen)
  }
}
