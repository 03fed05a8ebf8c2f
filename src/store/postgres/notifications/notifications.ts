import { setTimeout as later } from 'node:timers/promises'
import { MessageChannel, type MessagePort } from 'node:worker_threads'
import { type Signal, Signals, type Topic } from '../../signals.ts'
import type { FromThread, NotificationHub, ToThread } from './notification-hub.ts'
import { ListenConnection } from './listen-connection.ts'
import { channelOf, isForAll } from './channels.ts'
import { Notifier } from './notifier.ts'
import { decodeSignals } from './signal-payloads.ts'
import { ThreadNotifications } from './thread-notifications.ts'

interface NotificationOptions {
  /** A server that supports LISTEN: PostgreSQL itself, not a pooler in transaction mode. */
  url: string
  /** The address of this process: the first part of its lease owners' ids. */
  address: string
  /** Off: this process neither sends nor receives notifications. */
  isOn: boolean
}

const CLOSE_MS = 1_000

/** The hub of a process: it passes signals between its threads, and through the database to other processes. */
export class Notifications implements NotificationHub {
  readonly signals: Signals
  /** The port of each thread, with the topics that have listeners in it. */
  readonly #threads = new Map<MessagePort, Set<Topic>>()
  readonly #address: string
  readonly #connection: ListenConnection | undefined
  readonly #notifier: Notifier | undefined

  constructor({ url, address, isOn }: NotificationOptions) {
    this.#address = address
    this.signals = new Signals({ address, isOn, onWanted: topic => this.#listenFor(topic) })
    if (!isOn) return
    const connection = new ListenConnection(url, payload => void this.#pass(decodeSignals(payload)))
    this.#connection = connection
    this.#notifier = new Notifier(address, statement => connection.query(statement))
  }

  publish(signals: Signal[]): void {
    const untaken = this.#pass(signals)
    this.#notifier?.add(untaken)
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
        const untaken = this.#pass(message.published, port1)
        this.#notifier?.add(untaken)
      }
    })
    port1.on('close', () => this.#threads.delete(port1))
    // The port must not keep the process alive.
    port1.unref()
    return port2
  }

  async close(): Promise<void> {
    for (const port of this.#threads.keys()) port.close()
    // A stalled database must not delay the shutdown: the receivers poll too.
    const late = new AbortController()
    const tooLate = later(CLOSE_MS, undefined, { signal: late.signal }).catch(() => {})
    await Promise.race([this.#notifier?.sent(), tooLate])
    late.abort()
    await this.#connection?.close()
  }

  #listenFor(topic: Topic): void {
    this.#connection?.listenOn(channelOf(isForAll(topic) ? topic : this.#address))
  }

  /** Returns the signals that other processes may need. */
  #pass(signals: Signal[], from?: MessagePort): Signal[] {
    const untaken: Signal[] = []
    for (const signal of signals) if (!this.signals.emit(signal)) untaken.push(signal)
    for (const [port, wanted] of this.#threads) {
      const wantedHere = port === from ? [] : signals.filter(({ about }) => wanted.has(about))
      if (wantedHere.length > 0) port.postMessage({ signals: wantedHere } satisfies ToThread)
    }
    return untaken
  }
}

/** How a store sends and receives notifications. */
export interface NotificationSettings {
  /** The address of the process; a process without leases needs none. */
  address?: string
  /** Off: only polling finds the commits of other processes, and they get no notifications. */
  listen?: boolean
  /** The port to the hub of the process, in a thread. */
  port?: MessagePort
}

/** `url` is a server that supports LISTEN; `null` if there is none. */
export function openNotifications(
  url: string | null,
  { address = '', listen = true, port }: NotificationSettings,
): NotificationHub {
  const isOn = listen && url !== null
  if (port !== undefined) return new ThreadNotifications(port, { address, isOn })
  return new Notifications({ url: url ?? '', address, isOn })
}
