import type { BinaryNode } from 'baileys'
import type { HeavyWork } from '../engine/heavy-work.ts'
import { messageKeyOfStanza } from './inbox-item.ts'
import { MessageHandler, type MessageHandlerDeps } from './message-handler.ts'
import type { OwedConfirmations } from './owed.ts'

export interface ReceivedMessagesDeps extends MessageHandlerDeps {
  heavyWork: Pick<HeavyWork, 'mayBegin'>
  owed: Pick<OwedConfirmations, 'has' | 'delete'>
  known(keys: string[]): Promise<Set<string>>
  onError(error: unknown): void
}

// Messages per query for known inbox keys.
const BATCH = 100

/** Handles received messages one at a time, in order of arrival; acknowledges those that are stored already. */
export class ReceivedMessages {
  readonly #deps: ReceivedMessagesDeps
  readonly #handler: MessageHandler
  #waiting: BinaryNode[] = []
  #running: Promise<void> | undefined
  readonly #stopping = new AbortController()

  constructor(deps: ReceivedMessagesDeps) {
    this.#deps = deps
    this.#handler = new MessageHandler(deps, this.#stopping.signal)
  }

  push(stanza: BinaryNode): void {
    if (this.#deps.owed.has(stanza)) this.#waiting.unshift(stanza)
    else this.#waiting.push(stanza)
    this.#running ??= this.#run()
      .catch(this.#deps.onError)
      .finally(() => {
        this.#running = undefined
      })
  }

  /** How many messages are queued. */
  get waiting(): number {
    return this.#waiting.length
  }

  /** Resolves when no message is being handled. */
  async idle(): Promise<void> {
    while (this.#running) await this.#running
  }

  stop(): void {
    this.#stopping.abort()
    this.#waiting = []
  }

  #isStopped(): boolean {
    return this.#stopping.signal.aborted
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0 && !this.#isStopped()) {
      const batch = this.#waiting.slice(0, BATCH)
      this.#waiting = this.#waiting.slice(BATCH)
      await this.#handleBatch(batch.map(stanza => ({ stanza, key: messageKeyOfStanza(stanza) })))
    }
  }

  async #handleBatch(batch: ReadonlyArray<{ stanza: BinaryNode; key: string }>): Promise<void> {
    const { heavyWork, recent, tries, library, onDropped } = this.#deps
    const stored = await this.#deps.known(batch.map(({ key }) => key).filter(key => !recent.get(key)))
    const isKnown = (key: string): boolean => stored.has(key) || recent.get(key) === true
    // A redelivered message may have ended an earlier process: each try is counted before it begins.
    const redelivered = batch.filter(
      ({ stanza, key }) => stanza.attrs.offline !== undefined && !isKnown(key) && !tries.has(key),
    )
    const counted = new Set(redelivered.map(({ key }) => key))
    await tries.count([...counted])
    for (const { stanza, key } of batch) {
      await heavyWork.mayBegin()
      if (this.#isStopped()) return await tries.count([...counted], -1)
      if (isKnown(key)) {
        await library.acknowledge(stanza)
        onDropped('redelivered')
      } else await this.#handler.handle(stanza, key, counted.has(key))
      counted.delete(key)
      if (!this.#isStopped()) await this.#acknowledgeIfOwed(stanza)
    }
  }

  async #acknowledgeIfOwed(stanza: BinaryNode): Promise<void> {
    const { owed, library } = this.#deps
    if (!owed.has(stanza)) return
    await library.acknowledgeInEveryWay(stanza)
    owed.delete(stanza)
  }
}
