import type { DeviceChange, InboxItem, KeyChange, SentCopy } from '../../platform.ts'

/** One thing that happened. `creds` says that the credentials changed; they are read when the batch is written. */
export interface Entry {
  creds?: true
  keys?: KeyChange[]
  inbox?: InboxItem[]
  sent?: SentCopy[]
  /** Keys of messages whose tries need no counting any more. */
  finished?: string[]
}

/** A place in the order held for something whose outcome is not known yet. Nothing after it is written before it. */
export interface Slot {
  fill(entry: Entry): void
}

/**
 * What happens to a device, in order. Prefixes of it are committed, one commit at a time; a prefix never ends inside
 * an open slot, so what a message changed and the message itself are one commit.
 */
export interface Journal {
  append(entry: Entry): void
  /** Written with the next commit, but nothing waits for it. */
  appendDeferred(entry: Entry): void
  reserve(): Slot
  /** The position after everything so far, open slots included. */
  tail(): number
  /** Everything up to this position is durable. */
  committed(): number
  /** A key that is written but not durable yet: its bytes, or `null` for removed. */
  buffered(category: string, id: string): Uint8Array | null | undefined
  /** Resolves when nothing is being written and nothing that could be waits. */
  settled(): Promise<void>
  /** Whether a commit has failed or the journal was abandoned: the state has to be read anew. */
  hasEnded(): boolean
  /** Forgets what is not being written yet; whatever comes later is forgotten too. */
  abandon(): void
}

export interface JournalOptions {
  commit(change: DeviceChange): Promise<void>
  readCreds(): Uint8Array
  onCommitted(): void
  /** A commit failed: nothing written since may be relied on, and whatever comes later is forgotten. */
  onFailure(error: unknown): void
}

interface Place {
  position: number
  entry: Entry | undefined
}

export function createJournal(options: JournalOptions): Journal {
  const places: Place[] = []
  const overlay = new Map<string, { value: Uint8Array | null; position: number }>()
  let tail = 0
  let committed = 0
  let ended = false
  let running: Promise<void> | undefined

  const remember = (position: number, keys: readonly KeyChange[] | undefined) => {
    for (const { category, id, value } of keys ?? []) overlay.set(keyName(category, id), { value, position })
  }
  const forget = (keys: readonly KeyChange[] | undefined) => {
    for (const { category, id } of keys ?? []) {
      const name = keyName(category, id)
      if ((overlay.get(name)?.position ?? Number.POSITIVE_INFINITY) <= committed) overlay.delete(name)
    }
  }
  const takeBatch = (): { change: DeviceChange; through: number } | undefined => {
    const entries: Entry[] = []
    let through = committed
    while (places[0]?.entry) {
      const place = places.shift()!
      entries.push(place.entry!)
      through = place.position
    }
    return entries.length === 0 ? undefined : { change: merge(entries, options.readCreds), through }
  }
  const run = async (): Promise<void> => {
    // One turn of the event loop lets what arrived together share a commit.
    await new Promise(resolve => setImmediate(resolve))
    for (let batch = takeBatch(); batch && !ended; batch = takeBatch()) {
      await options.commit(batch.change)
      committed = batch.through
      forget(batch.change.keys)
      options.onCommitted()
    }
  }
  const schedule = (): void => {
    if (running || ended) return
    running = run()
      .catch((error: unknown) => {
        ended = true
        options.onFailure(error)
      })
      .finally(() => {
        running = undefined
        if (places[0]?.entry) schedule()
      })
  }
  const place = (entry: Entry | undefined, position: number): Place => {
    const added = { position, entry }
    // What the library still does on a link that is over changes nothing: the state is read anew for the next one.
    if (ended) return added
    places.push(added)
    if (entry) {
      remember(position, entry.keys)
      schedule()
    }
    return added
  }

  return {
    append: entry => void place(entry, ++tail),
    appendDeferred: entry => void place(entry, tail),
    reserve() {
      const reserved = place(undefined, ++tail)
      return {
        fill(entry) {
          if (reserved.entry) return
          reserved.entry = entry
          if (!ended) schedule()
        },
      }
    },
    tail: () => tail,
    committed: () => committed,
    buffered: (category, id) => overlay.get(keyName(category, id))?.value,
    async settled() {
      while (running) await running
    },
    hasEnded: () => ended,
    abandon() {
      ended = true
      places.length = 0
    },
  }
}

const keyName = (category: string, id: string): string => `${category}/${id}`

function merge(entries: readonly Entry[], readCreds: () => Uint8Array): DeviceChange {
  const keys = new Map<string, KeyChange>()
  const inbox: InboxItem[] = []
  const sent: SentCopy[] = []
  const finished: string[] = []
  let creds = false
  for (const entry of entries) {
    for (const change of entry.keys ?? []) keys.set(keyName(change.category, change.id), change)
    if (entry.inbox) inbox.push(...entry.inbox)
    if (entry.sent) sent.push(...entry.sent)
    if (entry.finished) finished.push(...entry.finished)
    creds ||= entry.creds === true
  }
  return {
    ...(creds && { creds: readCreds() }),
    ...(keys.size > 0 && { keys: [...keys.values()] }),
    ...(inbox.length > 0 && { inbox }),
    ...(sent.length > 0 && { sent }),
    ...(finished.length > 0 && { finished }),
  }
}
