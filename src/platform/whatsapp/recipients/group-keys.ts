import type { SignalKeyStore, WASocket } from 'baileys'
import { digitsOf } from '../../../domain/jid.ts'
import { getOwn } from '../../../runtime/get-own.ts'
import type { ChangedPeople } from '../device/changed-people.ts'
import { OwnKeys } from '../device/own-keys.ts'
import type { Lids } from '../remembered/lids.ts'

/** Which devices have the key that this number writes to a group with. */
export interface ToldDevices {
  /** The last change of somebody's devices that is taken into account. */
  asOf: number
  devices: Record<string, true>
}

export const isTold = ({ devices }: ToldDevices, device: string): boolean => getOwn(devices, device) === true

const strikeOut = ({ devices }: ToldDevices, device: string): boolean => Reflect.deleteProperty(devices, device)

const CATEGORY = 'postern-group-keys'
/** Where the library keeps its own record of the same. */
const OF_LIBRARY = 'sender-key-memory'

export interface GroupKeysDeps {
  keys(): SignalKeyStore
  changed(): Pick<ChangedPeople, 'last' | 'since'> | undefined
  lids: Pick<Lids, 'lidOf' | 'phoneOf'>
}

/**
 * Remembers which devices have the key of a group. One is noted only when the platform has taken the message with the
 * key for it, and struck out when its owner has another phone or the device asks for a message again.
 */
export class GroupKeys {
  readonly #deps: GroupKeysDeps
  readonly #told: OwnKeys<ToldDevices>
  /** Of messages that are on their way, with the devices that they tell. */
  readonly #leaving = new Map<string, ToldDevices>()
  /** Groups in which a message on its way tells somebody the key. */
  readonly #givesKey = new Set<string>()

  constructor(deps: GroupKeysDeps) {
    this.#deps = deps
    this.#told = new OwnKeys(CATEGORY, () => deps.keys())
  }

  /** Who has the key now; from here on the library sees and adds to what is answered, until `end`. */
  async begin(group: string): Promise<ToldDevices> {
    const told = await this.#read(group)
    this.#leaving.set(group, told)
    return told
  }

  /** The message that is on its way tells the key to somebody who has not got it. */
  noteSomeoneLacksKey(group: string): void {
    this.#givesKey.add(group)
  }

  /** These are told the key by the message that is on its way. */
  addTold(group: string, devices: readonly string[]): void {
    const leaving = this.#leaving.get(group)
    if (leaving) Object.assign(leaving.devices, Object.fromEntries(devices.map(device => [device, true])))
  }

  /** The platform has the message, or not: then nobody was told anything. */
  end(group: string, isTaken: boolean): void {
    const told = this.#leaving.get(group)
    this.#leaving.delete(group)
    if (this.#givesKey.delete(group) && told && isTaken) this.#told.set(group, told)
  }

  async forget(group: string, device: string): Promise<void> {
    const told = await this.#read(group)
    const leaving = this.#leaving.get(group)
    if (leaving) strikeOut(leaving, device)
    if (!isTold(told, device)) return
    strikeOut(told, device)
    this.#told.set(group, told)
  }

  /** Nothing could be encrypted for it, so nothing leaves for it. */
  couldNotEncrypt(device: string): void {
    for (const leaving of this.#leaving.values()) strikeOut(leaving, device)
  }

  /** Lets the library read and write its record in what is kept here. */
  standInFor(keys: WASocket['authState']['keys']): void {
    const { get, set } = keys
    keys.get = (category, ids) =>
      category === OF_LIBRARY
        ? Promise.resolve(Object.fromEntries(ids.map(id => [id, this.#leaving.get(id)?.devices ?? {}])) as never)
        : get(category, ids)
    keys.set = data => {
      const { [OF_LIBRARY]: _own, ...others } = data
      return set(others)
    }
  }

  async #read(group: string): Promise<ToldDevices> {
    const told = (await this.#told.get(group)) ?? { asOf: 0, devices: {} }
    const changed = this.#deps.changed()
    if (!changed || changed.last === told.asOf) return told
    const people = changed.since(told.asOf)
    const left = people ? await this.#without(told.devices, people) : {}
    const now = { asOf: changed.last, devices: left }
    this.#told.set(group, now)
    return now
  }

  /** Whoever changed may be named here in another way than where that was said. */
  async #without(devices: ToldDevices['devices'], people: readonly string[]): Promise<ToldDevices['devices']> {
    const { lids } = this.#deps
    const names = await Promise.all(people.map(async jid => [jid, await lids.lidOf(jid), await lids.phoneOf(jid)]))
    const gone = new Set(names.flat().flatMap(name => (name === undefined ? [] : [digitsOf(name)])))
    return Object.fromEntries(Object.entries(devices).filter(([device]) => !gone.has(digitsOf(device))))
  }
}
