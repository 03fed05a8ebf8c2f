import { type BinaryNode, getBinaryNodeChild, proto } from 'baileys'
import type { Clock } from '../../../runtime/clock.ts'
import { Deferred } from '../../../runtime/deferred.ts'
import type { ExpiringMap } from '../../../runtime/expiring-map.ts'
import type { Semaphore } from '../../../runtime/semaphore.ts'
import type { DeviceChanges } from '../device/device-changes.ts'
import type { AwaitedMessages } from './awaited-messages.ts'
import type { CurrentMessage } from './current-message.ts'
import { messageItem, poisonItem } from './inbox-item.ts'
import { MessageInHand } from './message-in-hand.ts'
import type { MessageLibrary } from './message-library.ts'
import type { MessageTries } from './message-tries.ts'
import { NO_CONTENT, type ReceivedContent } from './received-content.ts'

export interface MessageHandlerDeps {
  clock: Pick<Clock, 'now'>
  changes: Pick<DeviceChanges, 'add' | 'reserve'>
  /** Keys of messages stored by this process, durable or about to be. */
  recent: Pick<ExpiringMap<true>, 'get' | 'set'>
  tries: MessageTries
  /** Lets one message of the process through at a time: those that ended a link or a process, perhaps. */
  suspects: Semaphore
  awaited: Pick<AwaitedMessages, 'add'>
  library: MessageLibrary
  current: CurrentMessage
  timeoutMs: number
  /** What takes long takes it because the storage does not answer. */
  isStorageAway?(): boolean
  onDropped(reason: string): void
  /** A message did not come to its end in time: its frames may never leave, so the link has to end. */
  onStuck(): void
}

/**
 * Handles one received message: it has a place among the changes from the moment the library begins with it until its
 * content is known, and nothing that the library sends meanwhile leaves before that place is durable.
 */
export class MessageHandler {
  readonly #deps: MessageHandlerDeps

  readonly #stopped: AbortSignal

  constructor(deps: MessageHandlerDeps, stopped: AbortSignal) {
    this.#deps = deps
    this.#stopped = stopped
  }

  /** Gives a message to the library, or marks it as poison when that was tried often enough. */
  async handle(stanza: BinaryNode, key: string, isCounted: boolean): Promise<void> {
    const { tries } = this.#deps
    if (tries.isSpent(key)) return await this.#giveUp(stanza, key)
    const withheld = withheldOf(stanza)
    if (withheld !== undefined && withheld !== 'plain') return await this.#settleWithheld(stanza, key, withheld)
    if (tries.has(key) && !isCounted) await this.#handleSuspect(stanza, key)
    else await this.#handleMessage(stanza, key, isCounted)
  }

  /**
   * A message that was begun before and did not end may have ended a link or a process. Each try is counted, and the
   * process handles one suspect at a time, so that no other message is blamed for what a suspect ends. When the link
   * ends before the suspect's slot comes, it is neither counted nor begun.
   */
  async #handleSuspect(stanza: BinaryNode, key: string): Promise<void> {
    const { suspects } = this.#deps
    let handled: Promise<void> | undefined
    const handleInSlot = async (): Promise<void> => {
      if (!(await this.#countSuspect(key))) return
      const slot = new Deferred<void>()
      handled = this.#handleMessage(stanza, key, true, () => slot.resolve())
      await Promise.race([handled, slot.promise])
    }
    await suspects.run(handleInSlot, this.#stopped).catch((error: unknown) => {
      if (error !== this.#stopped.reason) throw error
    })
    await handled
  }

  /** Returns false, with no try counted, when the link has ended. */
  async #countSuspect(key: string): Promise<boolean> {
    const { tries } = this.#deps
    if (this.#stopped.aborted) return false
    await tries.count([key])
    if (!this.#stopped.aborted) return true
    await tries.count([key], -1)
    return false
  }

  async #handleMessage(
    stanza: BinaryNode,
    key: string,
    isCounted: boolean,
    releaseSlot: () => void = () => {},
  ): Promise<void> {
    const { library, changes } = this.#deps
    const [head, content] = [library.headOf(stanza), library.openContentOf(stanza)]
    const message = new MessageInHand({ stanza, key, head, content }, changes.reserve(), this.#deps)
    await this.#giveToLibrary(message, isCounted, releaseSlot)
    await this.#finish(message)
  }

  /** It is not given to the library again: what is known of it is kept, and the server is told that it is here. */
  async #giveUp(stanza: BinaryNode, key: string): Promise<void> {
    const { clock, recent, changes, tries, library } = this.#deps
    recent.set(key, true)
    const item = poisonItem(stanza, NO_CONTENT.bytes, key, clock.now().getTime())
    changes.add({ inbox: [item], ...tries.finish(key) })
    await library.acknowledge(stanza)
  }

  /**
   * The library would ask the phone for it, which shares it with no device. Who opens a view-once message does so on
   * the phone: that one has come is told.
   */
  async #settleWithheld(stanza: BinaryNode, key: string, withheld: Exclude<Withheld, 'plain'>): Promise<void> {
    const { clock, recent, changes, tries, library, onDropped } = this.#deps
    const head = library.headOf(stanza)
    if (withheld === 'view_once' && head) {
      recent.set(key, true)
      const item = messageItem(head, ON_THE_PHONE_ALONE, key, clock.now().getTime())
      changes.add({ inbox: [item], ...tries.finish(key) })
    } else onDropped(`withheld_${withheld}`)
    await library.acknowledge(stanza)
  }

  /** Resolves when the library has done with it; where that takes too long, the link ends meanwhile. */
  async #giveToLibrary(message: MessageInHand, isCounted: boolean, releaseSlot: () => void): Promise<void> {
    const { current, library } = this.#deps
    current.begin(message)
    const stopWatching = this.#watch(message, isCounted, releaseSlot)
    await library.handle(message.stanza).catch(() => {})
    stopWatching()
    current.end(message)
  }

  #watch(message: MessageInHand, isCounted: boolean, releaseSlot: () => void): () => void {
    const { timeoutMs, isStorageAway } = this.#deps
    const look = (): void => {
      if (isStorageAway?.()) timer = setTimeout(look, timeoutMs)
      else if (message.isClosed) releaseSlot()
      else
        void this.#stuck(message, isCounted)
          .catch(() => {})
          .finally(() => {
            this.#deps.onStuck()
            releaseSlot()
          })
    }
    let timer = setTimeout(look, timeoutMs)
    return () => clearTimeout(timer)
  }

  async #finish(message: MessageInHand): Promise<void> {
    const { library } = this.#deps
    if (message.isUnread) await library.askAgain(message.stanza)
    if (message.isClosed) return
    if (!message.content) return message.drop('not_emitted')
    message.keep(message.head)
    await library.acknowledge(message.stanza)
  }

  /** Its content is kept where it is known, however the library got stuck; else the try is counted. */
  async #stuck(message: MessageInHand, isCounted: boolean): Promise<void> {
    const { tries } = this.#deps
    if (message.content) return message.keep(message.head)
    if (isCounted) return
    await tries.count([message.key])
    // It came to its end meanwhile, before there was a count to forget.
    if (message.isClosed) await tries.count([message.key], -1)
  }
}

/** Why the platform sends a stub in the place of a message; `plain` ones the own phone has and can be asked for. */
export type Withheld = 'view_once' | 'hosted' | 'bot' | 'plain'

/** `undefined` where the message is there. */
export function withheldOf(stanza: BinaryNode): Withheld | undefined {
  const stub = getBinaryNodeChild(stanza, 'unavailable')
  if (stub === undefined || getBinaryNodeChild(stanza, 'enc') !== undefined) return undefined
  if (getBinaryNodeChild(stanza, 'bot') !== undefined) return 'bot'
  if (stub.attrs.hosted === 'true' || stub.attrs.hosted === '1') return 'hosted'
  return stub.attrs.type === 'view_once' ? 'view_once' : 'plain'
}

const placeholder = {
  placeholderMessage: { type: proto.Message.PlaceholderMessage.PlaceholderType.MASK_LINKED_DEVICES },
}

/** What the platform's own apps show in the place of what only the phone may open. */
const ON_THE_PHONE_ALONE: ReceivedContent = {
  bytes: proto.Message.encode(placeholder).finish(),
  message: placeholder,
  isBroken: false,
}
