import type { WAMessage } from 'baileys'
import type { MessageInProgress } from './message-in-progress.ts'
import { EMPTY_FOR_LIBRARY } from './received-content.ts'

/**
 * The message that the library is handling. It handles one at a time, so what it reports meanwhile is about this one.
 */
export class CurrentMessage {
  #message: MessageInProgress | undefined

  begin(message: MessageInProgress): void {
    this.#message = message
  }

  end(message: MessageInProgress): void {
    if (this.#message === message) this.#message = undefined
  }

  /** The library has emitted a message. */
  emitted(message: WAMessage): void {
    this.#message?.emitted(message)
  }

  /**
   * A part of the message is decrypted: its keys have changed, so its content must not be lost. Returns what the
   * library may see of it.
   */
  decrypted(plaintext: Uint8Array): Uint8Array {
    return this.#message?.decrypted(plaintext) ?? EMPTY_FOR_LIBRARY
  }

  /**
   * The library could not decrypt the message. Returns what the library gets instead if it must not reject the
   * message.
   */
  undecryptable(): Uint8Array | undefined {
    return this.#message?.undecryptable()
  }
}
