import type { BinaryNode } from 'baileys'
import type { HeavyWork } from '../engine/heavy-work.ts'
import { messageKeyOfStanza, otherKeysOfStanza, senderOfStanza } from './inbox-item.ts'
import { MessageHandler, type MessageHandlerDeps } from './message-handler.ts'
import type { OwedConfirmations } from './owed.ts'

export interface ReceivedMessagesDeps extends MessageHandlerDeps {
  heavyWork: Pick<HeavyWork, 'mayBegin'>
  owed: Pick<OwedConfirmations, 'has' | 'delete'>
  known(keys: string[]): Promise<Set<string>>
  /** The other known name of each of these people. */
  otherNames(jids: readonly string[]): Promise<ReadonlyMap<string, string>>
  onError(error: unknown): void
}

interface WaitingMessage {
  stanza: BinaryNode
  key: string
  /** The keys of the same message under other names of its sender. */
  otherKeys: readonly string[]
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
      await this.#handleBatch(await this.#withKeys(batch))
    }
  }

  async #withKeys(batch: readonly BinaryNode[]): Promise<WaitingMessage[]> {
    const names = await this.#deps.otherNames([...new Set(batch.map(senderOfStanza))])
    return batch.map(stanza => ({
      stanza,
      key: messageKeyOfStanza(stanza),
      otherKeys: otherKeysOfStanza(stanza, names.get(senderOfStanza(stanza))),
    }))
  }

  async #handleBatch(batch: readonly WaitingMessage[]): Promise<void> {
    const { heavyWork, recent, tries, library, onDropped } = this.#deps
    const keys = batch.flatMap(({ key, otherKeys }) => [key, ...otherKeys])
    const stored = await this.#deps.known(keys.filter(key => !recent.get(key)))
    const isKnown = (key: string): boolean => stored.has(key) || recent.get(key) === true
    // A redelivered message may have ended an earlier process: each try is counted before it begins.
    const redelivered = batch.filter(
      ({ stanza, key }) => stanza.attrs.offline !== undefined && !isKnown(key) && !tries.has(key),
    )
    const counted = new Set(redelivered.map(({ key }) => key))
    await tries.count([...counted])
    for (const { stanza, key, otherKeys } of batch) {
      await heavyWork.mayBegin()
      if (this.#isStopped()) return await tries.count([...counted], -1)
      if (isKnown(key)) {
        await library.acknowledge(stanza)
        onDropped('redelivered')
      } else await this.#handler.handle(stanza, key, counted.has(key), otherKeys.some(isKnown))
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
