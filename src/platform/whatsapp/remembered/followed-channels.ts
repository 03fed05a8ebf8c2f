import type { BinaryNode } from 'baileys'
import type { ExpiringMap } from '../../../runtime/expiring-map.ts'
import type { Connection } from '../link/connection.ts'
import { subscribeToUpdates, DEFAULT_DURATION_MS, isManaged, readChange, readFollowed } from './channel-queries.ts'
import type { RememberedSet } from './remembered-set.ts'

export interface FollowedChannelsDeps {
  remembered: RememberedSet
  managed: Pick<ExpiringMap<boolean>, 'get' | 'set'>
  connection(): Connection | undefined
}

// Subscriptions are renewed after this share of their duration.
const RENEW_AFTER = 0.8
const SHORTEST_MS = 500

/**
 * The channels that the number follows and does not manage; it subscribes to their live updates while it is connected.
 */
export class FollowedChannels {
  readonly #deps: FollowedChannelsDeps
  #timer: NodeJS.Timeout | undefined

  constructor(deps: FollowedChannelsDeps) {
    this.#deps = deps
  }

  /** Renews the subscriptions on a new connection: they end with the old one. */
  async resume(connection: Connection): Promise<void> {
    this.#stop()
    void connection.ended.then(() => this.#stop())
    await this.#learn(connection)
    await this.#renew(connection, await this.#deps.remembered.all())
  }

  /** Handles a notification that a channel was followed or left. */
  onNotification(stanza: BinaryNode): void {
    const { joined, left } = readChange(stanza)
    if (joined !== undefined) this.addFollowed(joined)
    if (left !== undefined) void this.#deps.remembered.delete(left).catch(() => {})
  }

  /** Also called for a post of a channel: the number receives posts only of channels that it follows. */
  addFollowed(channel: string): void {
    void this.#follow(channel).catch(() => {})
  }

  async #follow(channel: string): Promise<void> {
    const { remembered } = this.#deps
    if (await remembered.has(channel)) return
    await remembered.add(channel)
    const connection = this.#deps.connection()
    if (connection) await this.#renew(connection, [channel])
  }

  async #learn({ sock }: Connection): Promise<void> {
    const { remembered, managed } = this.#deps
    const followed = await readFollowed(sock)
    if (!followed) return
    const listed = new Set<string>()
    for (const channel of followed) {
      if (channel.id === undefined) continue
      managed.set(channel.id, isManaged(channel) === true)
      if (isManaged(channel)) continue
      listed.add(channel.id)
      await remembered.add(channel.id)
    }
    for (const channel of await remembered.all()) if (!listed.has(channel)) await remembered.delete(channel)
  }

  async #renew(connection: Connection, channels: readonly string[]): Promise<void> {
    let shortestMs = DEFAULT_DURATION_MS
    for (const channel of channels) {
      if (!connection.isOpen()) return
      shortestMs = Math.min(shortestMs, await subscribeToUpdates(connection.sock, channel))
    }
    if (channels.length > 0) this.#renewLater(connection, Math.max(SHORTEST_MS, shortestMs * RENEW_AFTER))
  }

  /** Renews all subscriptions together, including channels that were followed meanwhile. */
  #renewLater(connection: Connection, waitMs: number): void {
    if (this.#timer !== undefined || !connection.isOpen()) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.#deps.remembered
        .all()
        .then(channels => this.#renew(connection, channels))
        .catch(() => this.#renewLater(connection, waitMs))
    }, waitMs)
  }

  #stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }
}
