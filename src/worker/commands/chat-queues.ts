import type { Clock } from '../../runtime/clock.ts'
import { ExpiringMap } from '../../runtime/expiring-map.ts'
import type { DueCommand } from '../../domain/command.ts'
import { ChatQueue } from './chat-queue.ts'

const REMEMBERED = 1_024
const REMEMBERED_MS = 60_000

/** A number's commands that are in memory. */
export class ChatQueues {
  readonly #queues = new Map<string, ChatQueue>()
  readonly #ids = new Set<string>()
  /** A read that began before a command ended still returns it. */
  readonly #recentlyEnded: ExpiringMap<true>

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#recentlyEnded = new ExpiringMap(REMEMBERED, { ms: REMEMBERED_MS, clock })
  }

  /** Adds commands that were read, oldest first, except known ones. Returns whether all of them fit. */
  add(commands: DueCommand[]): boolean {
    let fits = true
    for (const command of commands) {
      if (this.#ids.has(command.id) || this.#recentlyEnded.get(command.id)) continue
      const queue = this.#of(command.queue)
      if (queue.hasRoom) {
        this.#ids.add(command.id)
        queue.add(command)
      } else fits = false
    }
    return fits
  }

  /** The queue's first command has ended: the next may begin. */
  next(queue: ChatQueue): void {
    queue.next()
    if (queue.isEmpty) this.#queues.delete(queue.chatJid)
  }

  /** The store does not have the command any more. */
  forget({ id }: DueCommand): void {
    this.#ids.delete(id)
    this.#recentlyEnded.set(id, true)
  }

  /** The store has made the chat's commands due later: they are read again. */
  putOff(queue: ChatQueue): void {
    for (const id of queue.ids) this.#ids.delete(id)
    this.#queues.delete(queue.chatJid)
  }

  /** Puts the chats with commands of high priority first. */
  markUrgent(chatJids: readonly string[]): void {
    for (const chatJid of chatJids) this.#queues.get(chatJid)?.markUrgent()
  }

  get areEmpty(): boolean {
    return this.#queues.size === 0
  }

  /** Chats with a command of high priority come first. */
  all(): Iterable<ChatQueue> {
    let areUrgent = false
    for (const queue of this.#queues.values()) areUrgent ||= queue.isUrgent
    return areUrgent ? [...this.#queues.values()].sort(urgentFirst) : this.#queues.values()
  }

  /** Commands in memory, including those under way. */
  ids(): string[] {
    return [...this.#ids]
  }

  /** Chats whose further commands are not read now. */
  crowded(nowMs: number): string[] {
    return [...this.#queues.values()]
      .filter(queue => !queue.hasRoom || queue.notBeforeMs > nowMs)
      .map(queue => queue.chatJid)
  }

  /** How many chats could begin a command now. */
  ready(nowMs: number): number {
    let count = 0
    for (const queue of this.#queues.values()) if (queue.first !== undefined && queue.notBeforeMs <= nowMs) count++
    return count
  }

  #of(chatJid: string): ChatQueue {
    let queue = this.#queues.get(chatJid)
    if (queue === undefined) this.#queues.set(chatJid, (queue = new ChatQueue(chatJid)))
    return queue
  }
}

const urgentFirst = (a: ChatQueue, b: ChatQueue): number => Number(b.isUrgent) - Number(a.isUrgent)
