import type { SignalKeyStore } from 'baileys'
import { digitsOf, jidKind, ownerOf, phoneJid, withoutDevice } from '../../../domain/jid.ts'
import { NAMES_CATEGORY, otherNameId, type PersonSource, reverseNameId } from '../../../domain/person.ts'
import type { Clock } from '../../../runtime/clock.ts'
import { OwnKeys, peekKey } from '../device/own-keys.ts'
import { getOwn } from '../../../runtime/get-own.ts'
import { rememberPairs } from './pairs.ts'

/** In Brazil, for example, a person has a number with and one without a ninth digit. */
const MAX_WRITTEN = 5

/** The known mappings between hidden identifiers and phone numbers. */
export class Lids {
  readonly #keys: () => SignalKeyStore
  readonly #clock: Pick<Clock, 'now'>
  /** By the digits of the real number: the numbers that customers write. */
  readonly #corrected: OwnKeys<string[]>

  constructor(keys: () => SignalKeyStore, clock: Pick<Clock, 'now'>) {
    this.#keys = keys
    this.#clock = clock
    this.#corrected = new OwnKeys('postern-corrected-numbers', keys)
  }

  /** The person's phone JID; the identifier itself if the number is not known. */
  async phoneFirst(jid: string): Promise<string> {
    return (await this.phoneOf(jid)) ?? withoutDevice(jid)
  }

  /** The phone JID of a person; `undefined` if it is not known. */
  async phoneOf(jid: string): Promise<string | undefined> {
    const kind = jidKind(jid)
    if (kind === 'user') return withoutDevice(jid)
    const digits = kind === 'lid' ? await this.#read(reverseNameId(digitsOf(jid))) : undefined
    return digits === undefined ? undefined : phoneJid(digits)
  }

  async lidOf(jid: string): Promise<string | undefined> {
    if (jidKind(jid) === 'lid') return withoutDevice(jid)
    const digits = await this.#read(digitsOf(jid))
    return digits === undefined ? undefined : `${digits}@lid`
  }

  /** Every known name of a person; a hosted device counts as its owner. */
  async namesOf(jid: string): Promise<string[]> {
    const person = ownerOf(jid)
    const phone = await this.phoneOf(person)
    const names = [person, phone, await this.lidOf(person), phone && (await this.lidOf(phone))]
    const written = phone === undefined ? [] : await this.#writtenAs(phone)
    return [...new Set([...names, ...written].filter(name => name !== undefined))]
  }

  /** The same from memory; `undefined` if a name would have to be read. */
  namesInMemory(jid: string): string[] | undefined {
    const person = ownerOf(jid)
    const peek = (id: string): string | null | undefined => peekKey<string>(this.#keys(), NAMES_CATEGORY, id)
    const kind = jidKind(person)
    if (kind !== 'lid' && kind !== 'user') return undefined
    const ownDigits = kind === 'lid' ? peek(reverseNameId(digitsOf(person))) : digitsOf(person)
    if (ownDigits === undefined) return undefined
    if (ownDigits === null) return [person]
    const lid = peek(ownDigits)
    const written = this.#corrected.peek(ownDigits)
    if (lid === undefined || written === undefined) return undefined
    return [...new Set([person, phoneJid(ownDigits), ...(lid === null ? [] : [`${lid}@lid`]), ...(written ?? [])])]
  }

  /** Stores that customers write a number which the platform has corrected to another one. */
  async rememberCorrection(written: string, real: string): Promise<void> {
    const known = await this.#writtenAs(real)
    if (known.includes(written)) return
    this.#corrected.set(digitsOf(real), [...known, written].slice(-MAX_WRITTEN))
  }

  async #writtenAs(phone: string): Promise<string[]> {
    return (await this.#corrected.get(digitsOf(phone))) ?? []
  }

  /** For several people, in their order. */
  async lidsOf(jids: readonly string[]): Promise<Array<string | undefined>> {
    const numbers = jids.filter(jid => jidKind(jid) !== 'lid').map(digitsOf)
    const found = numbers.length > 0 ? await this.#keys().get(NAMES_CATEGORY, numbers) : {}
    return jids.map(jid => {
      if (jidKind(jid) === 'lid') return withoutDevice(jid)
      const digits = getOwn(found, digitsOf(jid))
      return digits === undefined ? undefined : `${digits}@lid`
    })
  }

  /** The other name of each of these people, if it is known. */
  async otherNames(jids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const people = jids.filter(jid => jidKind(jid) === 'lid' || jidKind(jid) === 'user')
    const found = people.length > 0 ? await this.#keys().get(NAMES_CATEGORY, people.map(otherNameId)) : {}
    const names = new Map<string, string>()
    for (const jid of people) {
      const digits = getOwn(found, otherNameId(jid))
      if (digits !== undefined) names.set(jid, jidKind(jid) === 'lid' ? phoneJid(digits) : `${digits}@lid`)
    }
    return names
  }

  /** Stores that two names belong to one person. */
  async remember(one: string | undefined, other: string | undefined, source: PersonSource): Promise<void> {
    const pair = [one, other].filter(jid => jid !== undefined)
    const phone = pair.find(jid => jidKind(jid) === 'user')
    const lid = pair.find(jid => jidKind(jid) === 'lid')
    if (phone === undefined || lid === undefined) return
    const digits = { phone: digitsOf(phone), lid: digitsOf(lid) }
    if ((await this.#read(reverseNameId(digits.lid))) === digits.phone) return
    await rememberPairs(this.#keys(), [digits], source, this.#clock.now().getTime())
  }

  async #read(id: string): Promise<string | undefined> {
    return getOwn(await this.#keys().get(NAMES_CATEGORY, [id]), id)
  }
}
