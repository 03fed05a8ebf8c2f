import { type BinaryNode, getBinaryNodeChild, proto } from 'baileys'
import type { Clock } from '../../../runtime/clock.ts'
import { Deferred } from '../../../runtime/deferred.ts'
import type { ExpiringMap } from '../../../runtime/expiring-map.ts'
import type { Semaphore } from '../../../runtime/semaphore.ts'
import type { DeviceChanges } from '../device/device-changes.ts'
import type { AwaitedMessages } from './awaited-messages.ts'
import type { CurrentMessage } from './current-message.ts'
import { messageItem, poisonItem } from './inbox-item.ts'
import { MessageInProgress } from './message-in-progress.ts'
import type { MessageLibrary } from './message-library.ts'
import type { MessageTries } from './message-tries.ts'
import { NO_CONTENT, type ReceivedContent } from './received-content.ts'

export interface MessageHandlerDeps {
  clock: Pick<Clock, 'now'>
  changes: Pick<DeviceChanges, 'add' | 'reserve'>
  /** Keys of messages stored by this process, durable or about to be. */
  recent: Pick<ExpiringMap<true>, 'get' | 'set'>
  tries: MessageTries
  /** Messages that may have ended a link or a process: the process handles one of them at a time. */
  suspects: Semaphore
  awaited: Pick<AwaitedMessages, 'add'>
  library: MessageLibrary
  current: CurrentMessage
  timeoutMs: number
  /** While the storage is unreachable, a message that takes long is not stuck. */
  isStorageUnavailable?(): boolean
  onDropped(reason: string): void
  /** A message was not finished in time: its frames may never leave, so the link has to end. */
  onStuck(): void
}

/**
 * Handles one received message. It reserves a place among the changes before the library begins with it and fills the
 * place when the content is known; no frame that the library sends meanwhile leaves before that place is durable.
 */
export class MessageHandler {
  readonly #deps: MessageHandlerDeps

  readonly #stopped: AbortSignal

  constructor(deps: MessageHandlerDeps, stopped: AbortSignal) {
    this.#deps = deps
    this.#stopped = stopped
  }

  /**
   * Gives a message to the library, or marks it as poison when that was tried often enough. A message that is stored
   * under another name of its sender is only decrypted: it may contain the sender's key for a group.
   */
  async handle(stanza: BinaryNode, key: string, isCounted: boolean, isStored = false): Promise<void> {
    const { tries } = this.#deps
    if (tries.isSpent(key)) return await this.#markPoison(stanza, key)
    const withheld = withheldOf(stanza)
    if (withheld !== undefined && withheld !== 'plain') return await this.#finishWithheld(stanza, key, withheld)
    if (tries.has(key) && !isCounted) await this.#handleSuspect(stanza, key, isStored)
    else await this.#handleMessage(stanza, key, { isCounted, isStored })
  }

  /**
   * A message that was begun before and did not end may have ended a link or a process. Each try is counted, and the
   * process handles one suspect at a time, so that no other message is blamed for what the suspect breaks. If the link
   * ends before the suspect's slot comes, the suspect is neither counted nor begun.
   */
  async #handleSuspect(stanza: BinaryNode, key: string, isStored: boolean): Promise<void> {
    const { suspects } = this.#deps
    let handled: Promise<void> | undefined
    const handleInSlot = async (): Promise<void> => {
      if (!(await this.#countSuspect(key))) return
      const slot = new Deferred<void>()
      handled = this.#handleMessage(stanza, key, { isCounted: true, isStored }, () => slot.resolve())
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
    { isCounted, isStored }: { isCounted: boolean; isStored: boolean },
    releaseSlot: () => void = () => {},
  ): Promise<void> {
    const { library, changes } = this.#deps
    const [head, content] = [library.headOf(stanza), library.plainContentOf(stanza)]
    const message = new MessageInProgress({ stanza, key, head, content, isStored }, changes.reserve(), this.#deps)
    await this.#giveToLibrary(message, isCounted, releaseSlot)
    await this.#finish(message)
  }

  /** Stores the message as poison and acknowledges it, without the library. */
  async #markPoison(stanza: BinaryNode, key: string): Promise<void> {
    const { clock, recent, changes, tries, library } = this.#deps
    recent.set(key, true)
    const item = poisonItem(stanza, NO_CONTENT.bytes, key, clock.now().getTime())
    changes.add({ inbox: [item], ...tries.finish(key) })
    await library.acknowledge(stanza)
  }

  /**
   * The library would request the content from the phone, which shares it with no device. A view-once message becomes
   * an event all the same: the user opens it on the phone.
   */
  async #finishWithheld(stanza: BinaryNode, key: string, withheld: Exclude<Withheld, 'plain'>): Promise<void> {
    const { clock, recent, changes, tries, library, onDropped } = this.#deps
    const head = library.headOf(stanza)
    if (withheld === 'view_once' && head) {
      recent.set(key, true)
      const item = messageItem(head, ON_THE_PHONE_ALONE, key, clock.now().getTime())
      changes.add({ inbox: [item], ...tries.finish(key) })
    } else onDropped(`withheld_${withheld}`)
    await library.acknowledge(stanza)
  }

  /** Resolves when the library is done with the message; if that takes too long, the link ends meanwhile. */
  async #giveToLibrary(message: MessageInProgress, isCounted: boolean, releaseSlot: () => void): Promise<void> {
    const { current, library } = this.#deps
    current.begin(message)
    const stopWatching = this.#watch(message, isCounted, releaseSlot)
    await library.handle(message.stanza).catch(() => {})
    stopWatching()
    current.end(message)
  }

  #watch(message: MessageInProgress, isCounted: boolean, releaseSlot: () => void): () => void {
    const { timeoutMs, isStorageUnavailable } = this.#deps
    const check = (): void => {
      if (isStorageUnavailable?.()) timer = setTimeout(check, timeoutMs)
      else if (message.isClosed) releaseSlot()
      else
        void this.#stuck(message, isCounted)
          .catch(() => {})
          .finally(() => {
            this.#deps.onStuck()
            releaseSlot()
          })
    }
    let timer = setTimeout(check, timeoutMs)
    return () => clearTimeout(timer)
  }

  async #finish(message: MessageInProgress): Promise<void> {
    const { library } = this.#deps
    if (message.isUnread) await library.requestAgain(message.stanza)
    if (message.isClosed) return
    if (!message.content) return message.drop('not_emitted')
    message.keep(message.head)
    await library.acknowledge(message.stanza)
  }

  /** Keeps the content if it is known by now; otherwise counts the try. */
  async #stuck(message: MessageInProgress, isCounted: boolean): Promise<void> {
    const { tries } = this.#deps
    if (message.content) return message.keep(message.head)
    if (isCounted) return
    await tries.count([message.key])
    // The message was finished while the try was being counted.
    if (message.isClosed) await tries.count([message.key], -1)
  }
}

/** Why the platform sends a stub in the place of a message; the phone of the number can resend a `plain` one. */
export type Withheld = 'view_once' | 'hosted' | 'bot' | 'plain'

/** Returns `undefined` if the stanza has the message itself. */
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

/** The platform's own apps show this placeholder for content that only the phone may open. */
const ON_THE_PHONE_ALONE: ReceivedContent = {
  bytes: proto.Message.encode(placeholder).finish(),
  message: placeholder,
  isBroken: false,
}
