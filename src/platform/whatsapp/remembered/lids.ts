import type { SignalKeyStore } from 'baileys'
import { digitsOf, jidKind, phoneJid, withoutDevice } from '../../../domain/jid.ts'
import { getOwn } from '../../../runtime/get-own.ts'

/** The known mappings between hidden identifiers and phone numbers. */
export class Lids {
  readonly #keys: () => SignalKeyStore

  constructor(keys: () => SignalKeyStore) {
    this.#keys = keys
  }

  /** The person's phone JID; the identifier itself if the number is not known. */
  async phoneFirst(jid: string): Promise<string> {
    return (await this.phoneOf(jid)) ?? withoutDevice(jid)
  }

  /** The phone JID of a person; `undefined` if it is not known. */
  async phoneOf(jid: string): Promise<string | undefined> {
    const kind = jidKind(jid)
    if (kind === 'user') return withoutDevice(jid)
    const digits = kind === 'lid' ? await this.#read(reverse(digitsOf(jid))) : undefined
    return digits === undefined ? undefined : phoneJid(digits)
  }

  async lidOf(jid: string): Promise<string | undefined> {
    if (jidKind(jid) === 'lid') return withoutDevice(jid)
    const digits = await this.#read(digitsOf(jid))
    return digits === undefined ? undefined : `${digits}@lid`
  }

  /** For several people, in their order. */
  async lidsOf(jids: readonly string[]): Promise<Array<string | undefined>> {
    const numbers = jids.filter(jid => jidKind(jid) !== 'lid').map(digitsOf)
    const found = numbers.length > 0 ? await this.#keys().get('lid-mapping', numbers) : {}
    return jids.map(jid => {
      if (jidKind(jid) === 'lid') return withoutDevice(jid)
      const digits = getOwn(found, digitsOf(jid))
      return digits === undefined ? undefined : `${digits}@lid`
    })
  }

  /** Stores that two names belong to one person. */
  async remember(one: string | undefined, other: string | undefined): Promise<void> {
    const pair = [one, other].filter(jid => jid !== undefined)
    const phone = pair.find(jid => jidKind(jid) === 'user')
    const lid = pair.find(jid => jidKind(jid) === 'lid')
    if (phone === undefined || lid === undefined) return
    const digits = { phone: digitsOf(phone), lid: digitsOf(lid) }
    if ((await this.#read(reverse(digits.lid))) === digits.phone) return
    await this.#keys().set({ 'lid-mapping': { [digits.phone]: digits.lid, [reverse(digits.lid)]: digits.phone } })
  }

  async #read(id: string): Promise<string | undefined> {
    return getOwn(await this.#keys().get('lid-mapping', [id]), id)
  }
}

/** The library's key for the mapping from a hidden identifier to a number. */
const reverse = (lid: string): string => `${lid}_reverse`
