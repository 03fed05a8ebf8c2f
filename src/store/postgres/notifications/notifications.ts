import { setTimeout as later } from 'node:timers/promises'
import { MessageChannel, type MessagePort } from 'node:worker_threads'
import { type Signal, Signals, type Topic } from '../../signals.ts'
import type { FromThread, NotificationHub, ToThread } from './notification-hub.ts'
import { ListenConnection } from './listen-connection.ts'
import { channelOf, isForAll } from './channels.ts'
import { Notifier } from './notifier.ts'
import { decodeSignals } from './signal-payloads.ts'
import { ThreadNotifications } from './thread-notifications.ts'

export interface NoticeOptions {
  /** Where LISTEN works: the server itself, not a pooler that lends connections for single transactions. */
  url: string
  /** What this process is called: the first part of its name in leases. */
  address: string
  /** Off: this process neither tells others nor hears of them. */
  isOn: boolean
}

const CLOSE_MS = 1_000

/** One for each process: its threads hear of each other's commits here, and other processes through the database. */
export class Notifications implements NotificationHub {
  readonly signals: Signals
  /** Each thread, with the topics that somebody in it waits for. */
  readonly #threads = new Map<MessagePort, Set<Topic>>()
  readonly #address: string
  readonly #line: ListenConnection | undefined
  readonly #notifier: Notifier | undefined

  constructor({ url, address, isOn }: NoticeOptions) {
    this.#address = address
    this.signals = new Signals({ address, isOn, onWanted: topic => this.#listenFor(topic) })
    if (!isOn) return
    const line = new ListenConnection(url, payload => this.#pass(decodeSignals(payload)))
    this.#line = line
    this.#notifier = new Notifier(address, statement => line.query(statement))
  }

  tell(signals: Signal[]): void {
    this.#pass(signals)
    this.#notifier?.add(signals)
  }

  attach(): MessagePort {
    const { port1, port2 } = new MessageChannel()
    const wanted = new Set<Topic>()
    this.#threads.set(port1, wanted)
    port1.on('message', (message: FromThread) => {
      if ('wanted' in message) {
        wanted.add(message.wanted)
        this.#listenFor(message.wanted)
      } else {
        this.#pass(message.told, port1)
        this.#notifier?.add(message.told)
      }
    })
    port1.on('close', () => this.#threads.delete(port1))
    // A process that has nothing else to do may end.
    port1.unref()
    return port2
  }

  async close(): Promise<void> {
    for (const port of this.#threads.keys()) port.close()
    // A database that is silent holds up nobody's end: whoever was to be told looks for itself.
    const late = new AbortController()
    const tooLate = later(CLOSE_MS, undefined, { signal: late.signal }).catch(() => {})
    await Promise.race([this.#notifier?.told(), tooLate])
    late.abort()
    await this.#line?.close()
  }

  #listenFor(topic: Topic): void {
    this.#line?.listenOn(channelOf(isForAll(topic) ? topic : this.#address))
  }

  #pass(signals: Signal[], from?: MessagePort): void {
    for (const signal of signals) this.signals.emit(signal)
    for (const [port, wanted] of this.#threads) {
      const told = port === from ? [] : signals.filter(({ about }) => wanted.has(about))
      if (told.length > 0) port.postMessage({ told } satisfies ToThread)
    }
  }
}

/** How a store tells of its commits and hears of others. */
export interface NotificationSettings {
  /** The process that the store is opened by, as it is named in leases; one that holds none may be nameless. */
  address?: string
  /** Off: commits of other processes are found by polling alone, and they are told of none. */
  listen?: boolean
  /** Opened by a thread: its process hears and tells. */
  port?: MessagePort
}

/** `url`: where LISTEN works; `null`: nowhere. */
export function openNotifications(
  url: string | null,
  { address = '', listen = true, port }: NotificationSettings,
): NotificationHub {
  const isOn = listen && url !== null
  if (port !== undefined) return new ThreadNotifications(port, { address, isOn })
  return new Notifications({ url: url ?? '', address, isOn })
}
