import type { DueCommand } from '../../domain/command.ts'

const WINDOW = 8

const isUrgent = ({ priority }: DueCommand): boolean => priority != null

/** The first commands of one chat, which run in order. The rest stays in the store. */
export class ChatQueue {
  readonly chatJid: string
  readonly #waiting: DueCommand[] = []
  #isBusy = false
  #isUrgent = false
  #notBeforeMs = 0
  /** Failed attempts of the first command since it was read. */
  #retries = 0
  /** When the first command lost its link for the first time. */
  #linkLostAt: number | undefined

  constructor(chatJid: string) {
    this.chatJid = chatJid
  }

  /** The command that may begin; none while one is under way. */
  get first(): DueCommand | undefined {
    return this.#isBusy ? undefined : this.#waiting[0]
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0
  }

  get hasRoom(): boolean {
    return this.#waiting.length < WINDOW
  }

  /** No command of this chat begins before this time. */
  get notBeforeMs(): number {
    return this.#notBeforeMs
  }

  /** The number of the first command's next attempt, 1 for the first. */
  get attempt(): number {
    return (this.#waiting[0]?.attempt ?? 0) + this.#retries + 1
  }

  /** A command of the chat has high priority: those before it go ahead of other chats with it. */
  get isUrgent(): boolean {
    return this.#isUrgent
  }

  /** The store has a command of high priority for the chat. */
  markUrgent(): void {
    this.#isUrgent = true
  }

  /** The commands in memory. */
  get ids(): string[] {
    return this.#waiting.map(({ id }) => id)
  }

  add(command: DueCommand): void {
    this.#waiting.push(command)
    this.#isUrgent ||= isUrgent(command)
  }

  begin(): void {
    this.#isBusy = true
  }

  isBusyWith(command: DueCommand): boolean {
    return this.#isBusy && this.#waiting[0] === command
  }

  /** The first command did not end: it may begin again at this time. */
  wait(untilMs: number): void {
    this.#isBusy = false
    this.#notBeforeMs = untilMs
  }

  /** An attempt of the first command failed: the next one may begin at this time. */
  retry(atMs: number): void {
    this.#retries++
    this.wait(atMs)
  }

  /** The first command has lost its link. Returns when it did so for the first time. */
  linkLost(nowMs: number): number {
    this.#linkLostAt ??= nowMs
    return this.#linkLostAt
  }

  /** The first command has ended. */
  next(): void {
    const ended = this.#waiting.shift()
    if (ended !== undefined && isUrgent(ended)) this.#isUrgent = this.#waiting.some(isUrgent)
    this.#isBusy = false
    this.#notBeforeMs = 0
    this.#retries = 0
    this.#linkLostAt = undefined
  }
}
