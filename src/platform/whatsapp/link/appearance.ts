import type { WASocket } from 'baileys'
import type { Clock } from '../../../runtime/clock.ts'
import type { RememberedSet } from '../remembered/remembered-set.ts'

/** An open connection of the number. */
interface Connection {
  readonly sock: WASocket
}

/** How long contacts see a typing sign that is not repeated. */
const TYPING_MS = 25_000

export interface AppearanceDeps {
  clock: Clock
  link: () => { current(): Connection | undefined }
  /** Whether the number appears online even if it shows no typing sign. */
  isWanted(): boolean
  /** Contacts whose presence is subscribed to. */
  subscriptions: Pick<RememberedSet, 'all'>
}

/**
 * Whether contacts see the number online. While they do, the platform sends it typing and presence, shows what it
 * receives as delivered, and sends its phone no notifications.
 */
export class Appearance {
  readonly #deps: AppearanceDeps
  /** Until when each chat shows a typing sign of this number. */
  readonly #typing = new Map<string, number>()
  readonly #ended = new AbortController()
  #isWaiting = false
  #shown: { connection: Connection; isOnline: boolean } | undefined

  constructor(deps: AppearanceDeps) {
    this.#deps = deps
  }

  isOnline(): boolean {
    return this.#deps.isWanted() || this.#isTyping()
  }

  /** Announces the state on a connection, unless it was announced there before. Rejects if the connection is lost. */
  async announce(connection: Connection): Promise<void> {
    const isOnline = this.isOnline()
    if (this.#shown?.connection === connection && this.#shown.isOnline === isOnline) return
    if (this.#shown?.connection !== connection) this.#announceWithName(connection)
    this.#shown = { connection, isOnline }
    await announce(connection.sock, isOnline)
    // The platform keeps subscriptions only while the number is online.
    if (isOnline) await subscribe(connection, await this.#deps.subscriptions.all())
  }

  /** The state may have changed. */
  refresh(): void {
    const connection = this.#deps.link().current()
    if (connection) void this.announce(connection).catch(() => {})
  }

  /** Appears online while a chat shows a typing sign: the platform ignores those of numbers that are offline. */
  async beginTyping(connection: Connection, chatJid: string): Promise<void> {
    this.#typing.set(chatJid, this.#deps.clock.monotonicMs() + TYPING_MS)
    void this.#waitForTyping()
    await this.announce(connection)
  }

  endTyping(chatJid: string): void {
    this.#typing.delete(chatJid)
    this.refresh()
  }

  end(): void {
    this.#ended.abort()
  }

  /** Goes offline when the last typing sign is over, unless the number is wanted online. */
  async #waitForTyping(): Promise<void> {
    const { clock } = this.#deps
    if (this.#isWaiting) return
    this.#isWaiting = true
    while (this.#isTyping() && !this.#ended.signal.aborted)
      await clock.sleep(Math.max(...this.#typing.values()) - clock.monotonicMs(), this.#ended.signal)
    this.#isWaiting = false
    if (!this.#ended.signal.aborted) this.refresh()
  }

  /** A name that becomes known later is announced then. */
  #announceWithName(connection: Connection): void {
    const { sock } = connection
    if (sock.authState.creds.me?.name) return
    sock.ev.on('creds.update', ({ me }) => {
      if (me?.name) void announce(sock, this.#shown?.isOnline === true).catch(() => {})
    })
  }

  #isTyping(): boolean {
    const nowMs = this.#deps.clock.monotonicMs()
    for (const [chatJid, untilMs] of this.#typing) if (untilMs <= nowMs) this.#typing.delete(chatJid)
    return this.#typing.size > 0
  }
}

/** Decides whether the library confirms messages as delivered: some arrive before the number has announced its state. */
export function confirmAsDelivered(sock: Pick<WASocket, 'ev'>, isOnline: boolean): void {
  sock.ev.emit('connection.update', { isOnline })
}

/** The library announces nothing without a name, and every contact would see a made-up one. */
async function announce(sock: WASocket, isOnline: boolean): Promise<void> {
  const type = isOnline ? 'available' : 'unavailable'
  if (sock.authState.creds.me?.name) return sock.sendPresenceUpdate(type)
  confirmAsDelivered(sock, isOnline)
  await sock.sendNode({ tag: 'presence', attrs: { type } })
}

export async function subscribe({ sock }: Connection, contacts: readonly string[]): Promise<void> {
  for (const contact of contacts) await sock.presenceSubscribe(contact)
}
