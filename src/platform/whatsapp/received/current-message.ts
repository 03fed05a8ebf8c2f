import type { WAMessage } from 'baileys'
import type { MessageInHand } from './message-in-hand.ts'
import { EMPTY_FOR_LIBRARY } from './received-content.ts'

/** The message that the library has in work, one at a time: what it says meanwhile is about that one. */
export class CurrentMessage {
  #message: MessageInHand | undefined

  begin(message: MessageInHand): void {
    this.#message = message
  }

  end(message: MessageInHand): void {
    if (this.#message === message) this.#message = undefined
  }

  /** The library has emitted a message. */
  emitted(message: WAMessage): void {
    this.#message?.emitted(message)
  }

  /**
   * A part of the message is decrypted: its keys are changed, so its content must not be lost. Answers what the
   * library may see of it.
   */
  decrypted(plaintext: Uint8Array): Uint8Array {
    return this.#message?.decrypted(plaintext) ?? EMPTY_FOR_LIBRARY
  }

  /**
   * The library could not decrypt the message: it has no content to wait for. Answers what the library gets instead,
   * where it must not refuse the message.
   */
  undecryptable(): Uint8Array | undefined {
    return this.#message?.undecryptable()
  }
}
