import type { SignalKeyStore } from 'baileys'
import { OwnKeys } from '../device/own-keys.ts'

/** Longer than any name that the platform's apps accept; a sender may claim a longer one. */
const MAX_LENGTH = 100

interface KeptName {
  name: string
  /** The message that brought the name, and whether it replaced another one. */
  by: string
  isChange: boolean
}

/** The names that people gave themselves, as of their last message, stored among the keys of the device. */
export class ContactNames {
  readonly #names: OwnKeys<KeptName>

  constructor(keys: () => SignalKeyStore) {
    this.#names = new OwnKeys('postern-contact-names', keys)
  }

  /** The name under the first of these JIDs that has one. */
  async find(jids: readonly (string | null | undefined)[]): Promise<string | undefined> {
    for (const jid of jids) {
      const kept = jid ? await this.#names.get(jid) : undefined
      if (kept) return kept.name
    }
    return undefined
  }

  /**
   * Stores the name in a message. Returns it if the person had another one before; again for the same message, since a
   * message may be interpreted again after a crash.
   */
  async note(jid: string, name: string, messageId: string): Promise<string | undefined> {
    const shown = name.slice(0, MAX_LENGTH)
    if (shown === '') return undefined
    const kept = await this.#names.get(jid)
    if (kept?.name === shown) return kept.isChange && kept.by === messageId ? shown : undefined
    const isChange = kept !== undefined
    this.#names.set(jid, { name: shown, by: messageId, isChange })
    return isChange ? shown : undefined
  }
}
