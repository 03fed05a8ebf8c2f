import type { DeviceChange, InboxItem, KeyChange, SentCopy } from '../../platform.ts'

/** A place in the order held for something whose outcome is not known yet. Nothing after it is committed before it. */
export interface OpenPlace {
  fill(change: GatheredChange): void
}

export interface DeviceChangesOptions {
  commit(change: DeviceChange): Promise<void>
  readCreds(): Uint8Array
  onCommitted(): void
  /** A commit failed: nothing added since may be relied on, and whatever comes later is forgotten. */
  onFailure(error: unknown): void
}

interface Place {
  readonly position: number
  change: GatheredChange | undefined
}

/**
 * What happens to a device, in order. Prefixes of it are committed, one commit at a time; a prefix never ends inside
 * an open place, so what a message changed and the message itself are one commit.
 */
export class DeviceChanges {
  readonly #options: DeviceChangesOptions
  readonly #places: Place[] = []
  readonly #uncommitted = new UncommittedKeys()
  #tail = 0
  #committed = 0
  #hasEnded = false
  #running: Promise<void> | undefined

  constructor(options: DeviceChangesOptions) {
    this.#options = options
  }

  add(change: GatheredChange): void {
    this.#place(change, ++this.#tail)
  }

  /** Committed with what comes next, but nothing waits for it. */
  addUnawaited(change: GatheredChange): void {
    this.#place(change, this.#tail)
  }

  reserve(): OpenPlace {
    const place = this.#place(undefined, ++this.#tail)
    return { fill: change => this.#fill(place, change) }
  }

  /** The position after everything so far, open places included. */
  tail(): number {
    return this.#tail
  }

  /** Everything up to this position is durable. */
  committed(): number {
    return this.#committed
  }

  /** A key that is changed but not durable yet: its bytes, or `null` for removed. */
  uncommitted(category: string, id: string): Uint8Array | null | undefined {
    return this.#uncommitted.get(category, id)
  }

  /** Resolves when no commit is under way and nothing that could be committed waits. */
  async settled(): Promise<void> {
    while (this.#running) await this.#running
  }

  /** Whether a commit has failed or they were abandoned: the state has to be read anew. */
  hasEnded(): boolean {
    return this.#hasEnded
  }

  /** Forgets what is not being committed yet; whatever comes later is forgotten too. */
  abandon(): void {
    this.#hasEnded = true
    this.#places.length = 0
  }

  #place(change: GatheredChange | undefined, position: number): Place {
    const place = { position, change }
    // What the library still does on a link that is over changes nothing: the state is read anew for the next one.
    if (this.#hasEnded) return place
    this.#places.push(place)
    if (change) {
      this.#uncommitted.add(change.keys, position)
      this.#schedule()
    }
    return place
  }

  #fill(place: Place, change: GatheredChange): void {
    if (place.change) return
    place.change = change
    if (!this.#hasEnded) this.#schedule()
  }

  #schedule(): void {
    if (this.#running || this.#hasEnded) return
    this.#running = this.#commitAll()
      .catch((error: unknown) => {
        this.#hasEnded = true
        this.#options.onFailure(error)
      })
      .finally(() => {
        this.#running = undefined
        if (this.#places[0]?.change) this.#schedule()
      })
  }

  async #commitAll(): Promise<void> {
    // One round of the event loop lets what arrived together share a commit.
    await new Promise(resolve => setImmediate(resolve))
    for (let batch = this.#takeBatch(); batch && !this.#hasEnded; batch = this.#takeBatch()) {
      await this.#options.commit(batch.change)
      this.#committed = batch.through
      this.#uncommitted.forget(batch.change.keys, batch.through)
      this.#options.onCommitted()
    }
  }

  #takeBatch(): { change: DeviceChange; through: number } | undefined {
    const open = this.#places.findIndex(({ change }) => change === undefined)
    const taken = this.#places.splice(0, open === -1 ? this.#places.length : open)
    const last = taken.at(-1)
    if (last === undefined) return undefined
    const changes = taken.map(({ change }) => change!)
    return { change: mergeChanges(changes, this.#options.readCreds), through: last.position }
  }
}

/** One thing that happened. `creds` says that the credentials changed; they are read when it is committed. */
export interface GatheredChange {
  creds?: true
  keys?: KeyChange[]
  inbox?: InboxItem[]
  sent?: SentCopy[]
  /** Keys of messages whose tries need no counting any more. */
  finished?: string[]
}

/** Several as one; of a key that changed more than once the last counts. */
export function mergeChanges(changes: readonly GatheredChange[], readCreds: () => Uint8Array): DeviceChange {
  const keys = new Map<string, KeyChange>()
  const inbox: InboxItem[] = []
  const sent: SentCopy[] = []
  const finished: string[] = []
  let creds = false
  for (const change of changes) {
    for (const key of change.keys ?? []) keys.set(keyName(key.category, key.id), key)
    if (change.inbox) inbox.push(...change.inbox)
    if (change.sent) sent.push(...change.sent)
    if (change.finished) finished.push(...change.finished)
    creds ||= change.creds === true
  }
  return {
    ...(creds && { creds: readCreds() }),
    ...(keys.size > 0 && { keys: [...keys.values()] }),
    ...(inbox.length > 0 && { inbox }),
    ...(sent.length > 0 && { sent }),
    ...(finished.length > 0 && { finished }),
  }
}

const keyName = (category: string, id: string): string => `${category}/${id}`

/** Keys that are changed and not durable yet: reads see them all the same. */
class UncommittedKeys {
  readonly #changed = new Map<string, { value: Uint8Array | null; position: number }>()

  /** Its bytes, `null` for removed, `undefined` where the durable one is right. */
  get(category: string, id: string): Uint8Array | null | undefined {
    return this.#changed.get(keyName(category, id))?.value
  }

  add(keys: readonly KeyChange[] | undefined, position: number): void {
    for (const { category, id, value } of keys ?? []) this.#changed.set(keyName(category, id), { value, position })
  }

  /** These are durable, unless they were changed again at a later position. */
  forget(keys: readonly KeyChange[] | undefined, through: number): void {
    for (const { category, id } of keys ?? []) {
      const name = keyName(category, id)
      const changed = this.#changed.get(name)
      if (changed !== undefined && changed.position <= through) this.#changed.delete(name)
    }
  }
}
