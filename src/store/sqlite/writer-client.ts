import { type MessagePort, Worker } from 'node:worker_threads'
import { type TransactionName, codecOf } from '../run-transaction.ts'
import type { Signals, Topic } from '../signals.ts'
import { DataError, StoreUnavailable } from '../transaction.ts'
import type { WriteRequest, FromWriter, Outcome, ToWriter } from './protocol.ts'

interface Waiting {
  resolve: (value: unknown) => void
  reject: (error: Error) => void
}

/** Sends transactions to the writer thread; those of the same round of the event loop share a message. */
export class WriterClient {
  readonly #port: Worker | MessagePort
  readonly #signals: Signals
  readonly #waiting = new Map<number, Waiting>()
  readonly #topics = new Set<Topic>()
  #outbox: WriteRequest[] = []
  #lastId = 0

  constructor(port: Worker | MessagePort, signals: Signals) {
    this.#port = port
    this.#signals = signals
    port.on('message', (message: FromWriter) => this.#receive(message))
    port.on(port instanceof Worker ? 'exit' : 'close', () => this.#abandon())
  }

  write(transaction: TransactionName, input: unknown): Promise<unknown> {
    const codec = codecOf(transaction)
    if (codec === undefined) return this.#send(transaction, input)
    const packed = (input as unknown[]).map(item => codec.packItem(item))
    return this.#send(transaction, packed).then(results =>
      (results as unknown[]).map(result => codec.unpackResult(result)),
    )
  }

  /** From now on the writer posts the signals of this topic. */
  listen(topic: Topic): void {
    if (this.#topics.has(topic)) return
    this.#topics.add(topic)
    this.#port.postMessage({ listen: topic } satisfies ToWriter)
  }

  #send(transaction: TransactionName, input: unknown): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const id = ++this.#lastId
      this.#waiting.set(id, { resolve, reject })
      if (this.#outbox.push({ id, transaction, input }) === 1) queueMicrotask(() => this.#post())
    })
  }

  #post(): void {
    const requests = this.#outbox
    this.#outbox = []
    this.#port.postMessage({ requests } satisfies ToWriter)
  }

  #receive({ outcomes, signals }: FromWriter): void {
    for (const { id, value, error } of outcomes) {
      const waiting = this.#waiting.get(id)
      this.#waiting.delete(id)
      if (error === undefined) waiting?.resolve(value)
      else waiting?.reject(toError(error))
    }
    for (const signal of signals) this.#signals.emit(signal)
  }

  #abandon(): void {
    for (const { reject } of this.#waiting.values()) reject(new StoreUnavailable('the database closed'))
    this.#waiting.clear()
  }
}

function toError(error: NonNullable<Outcome['error']>): Error {
  switch (error.kind) {
    case 'data':
      return new DataError(error.message)
    case 'unavailable':
      return new StoreUnavailable(error.message)
    case 'bug':
      return new Error(error.message)
    default: {
      const never: never = error.kind
      return never
    }
  }
}
