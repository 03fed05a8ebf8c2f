import { Deferred } from '../../../runtime/deferred.ts'
import type { ChatChange } from '../../../domain/chat.ts'
import type { DeviceChange, InboxItem, KeyChange, SentCopy } from '../../platform.ts'

/**
 * A place in the order, reserved for a change whose outcome is not known yet. Nothing after it is committed before it.
 */
export interface OpenPlace {
  fill(change: GatheredChange): void
}

export interface DeviceChangesOptions {
  commit(change: DeviceChange): Promise<void>
  readCreds(): Uint8Array
  onCommitted(): void
  /** A commit failed: changes since then are lost, and later ones are ignored. */
  onFailure(error: unknown): void
}

interface Place {
  readonly position: number
  change: GatheredChange | undefined
}

/**
 * The changes of a device, in order. Prefixes are committed, one commit at a time; a prefix never ends inside an open
 * place, so a message and the key changes that it caused are one commit.
 */
export class DeviceChanges {
  readonly #options: DeviceChangesOptions
  readonly #places: Place[] = []
  readonly #uncommitted = new UncommittedKeys()
  #tail = 0
  #committed = 0
  #hasEnded = false
  #progress = new Deferred<void>()
  #running: Promise<void> | undefined

  constructor(options: DeviceChangesOptions) {
    this.#options = options
  }

  add(change: GatheredChange): void {
    this.#place(change, ++this.#tail)
  }

  /** Committed with the next batch, but no frame waits for it. */
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

  /** Resolves when no commit is under way and no change is ready to be committed. */
  async idle(): Promise<void> {
    while (this.#running) await this.#running
  }

  /** Resolves when everything so far is durable, or with `false` if the changes end before. */
  async areDurable(): Promise<boolean> {
    const position = this.#tail
    while (this.#committed < position && !this.#hasEnded) await this.#progress.promise
    return this.#committed >= position
  }

  /** Whether a commit has failed or the changes were abandoned: the state has to be read again. */
  hasEnded(): boolean {
    return this.#hasEnded
  }

  /** Drops the changes that are not being committed yet, and all later ones. */
  abandon(): void {
    this.#hasEnded = true
    this.#places.length = 0
    this.#report()
  }

  /** A prefix is durable, or the changes have ended. */
  #report(): void {
    this.#progress.resolve()
    this.#progress = new Deferred()
  }

  #place(change: GatheredChange | undefined, position: number): Place {
    const place = { position, change }
    // The library may still work on an ended link: its changes are ignored, and the next link reads the state again.
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
        this.#report()
        this.#options.onFailure(error)
      })
      .finally(() => {
        this.#running = undefined
        if (this.#places[0]?.change) this.#schedule()
      })
  }

  async #commitAll(): Promise<void> {
    // Waiting one event-loop iteration lets changes that arrived together share a commit.
    await new Promise(resolve => setImmediate(resolve))
    for (let batch = this.#takeBatch(); batch && !this.#hasEnded; batch = this.#takeBatch()) {
      await this.#options.commit(batch.change)
      this.#committed = batch.through
      this.#uncommitted.forget(batch.change.keys, batch.through)
      this.#report()
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

/** One change. `creds`: the credentials changed; they are read at the commit. */
export interface GatheredChange {
  creds?: true
  keys?: KeyChange[]
  inbox?: InboxItem[]
  sent?: SentCopy[]
  chats?: ChatChange[]
  /** Keys of finished messages, whose counts of tries are deleted. */
  finished?: string[]
}

/** Merges several changes into one; the last value of a key wins. */
export function mergeChanges(changes: readonly GatheredChange[], readCreds: () => Uint8Array): DeviceChange {
  const keys = new Map<string, KeyChange>()
  const inbox: InboxItem[] = []
  const sent: SentCopy[] = []
  const chats: ChatChange[] = []
  const finished: string[] = []
  let creds = false
  for (const change of changes) {
    for (const key of change.keys ?? []) keys.set(keyName(key.category, key.id), key)
    if (change.inbox) inbox.push(...change.inbox)
    if (change.sent) sent.push(...change.sent)
    if (change.chats) chats.push(...change.chats)
    if (change.finished) finished.push(...change.finished)
    creds ||= change.creds === true
  }
  return {
    ...(creds && { creds: readCreds() }),
    ...(keys.size > 0 && { keys: [...keys.values()] }),
    ...(inbox.length > 0 && { inbox }),
    ...(sent.length > 0 && { sent }),
    ...(chats.length > 0 && { chats }),
    ...(finished.length > 0 && { finished }),
  }
}

const keyName = (category: string, id: string): string => `${category}/${id}`

/** Changed keys that are not durable yet: reads see them already. */
class UncommittedKeys {
  readonly #changed = new Map<string, { value: Uint8Array | null; position: number }>()

  /** The key's bytes, `null` if it is removed, `undefined` if the durable value is current. */
  get(category: string, id: string): Uint8Array | null | undefined {
    return this.#changed.get(keyName(category, id))?.value
  }

  add(keys: readonly KeyChange[] | undefined, position: number): void {
    for (const { category, id, value } of keys ?? []) this.#changed.set(keyName(category, id), { value, position })
  }

  /** These keys are durable, unless they were changed again at a later position. */
  forget(keys: readonly KeyChange[] | undefined, through: number): void {
    for (const { category, id } of keys ?? []) {
      const name = keyName(category, id)
      const changed = this.#changed.get(name)
      if (changed !== undefined && changed.position <= through) this.#changed.delete(name)
    }
  }
}
