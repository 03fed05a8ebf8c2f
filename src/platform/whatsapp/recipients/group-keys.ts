import { jidDecode, type SignalDataSet, type SignalKeyStore, type WASocket } from 'baileys'
import { digitsOf, withoutDevice } from '../../../domain/jid.ts'
import { getOwn } from '../../../runtime/get-own.ts'
import type { ChangedPeople } from '../device/changed-people.ts'
import { OwnKeys } from '../device/own-keys.ts'
import type { Lids } from '../remembered/lids.ts'

/** The devices that have this number's sender key for a group. */
export interface KeyHolders {
  /** The last change of devices that is included. */
  asOf: number
  devices: Record<string, true>
}

export const hasGroupKey = ({ devices }: KeyHolders, device: string): boolean => getOwn(devices, device) === true

const remove = ({ devices }: KeyHolders, device: string): boolean => Reflect.deleteProperty(devices, device)

const CATEGORY = 'postern-group-keys'
/** The library's own record of the same. */
const OF_LIBRARY = 'sender-key-memory'
/** A record in which each device has the key. */
const EVERY_DEVICE: KeyHolders['devices'] = new Proxy({}, { get: () => true, set: () => true })
/** Groups that a member has left since the key was made. */
const STALE = 'postern-stale-group-keys'

export interface GroupKeysDeps {
  keys(): SignalKeyStore
  changed(): Pick<ChangedPeople, 'last' | 'since'> | undefined
  lids: Pick<Lids, 'lidOf' | 'phoneOf' | 'namesOf'>
  /** This device under each of its names. */
  ownDevices(): readonly string[]
}

/**
 * Remembers which devices have the sender key of a group. A device is added when the platform has accepted the message
 * with the key for it, and removed when its owner has a new phone or the device requests a message again.
 */
export class GroupKeys {
  readonly #deps: GroupKeysDeps
  readonly #holders: OwnKeys<KeyHolders>
  readonly #stale: OwnKeys<true>
  /** By group, for messages that are being sent: includes the devices that these messages give the key to. */
  readonly #leaving = new Map<string, KeyHolders>()
  /** Groups in which a message that is being sent gives the key to a device. */
  readonly #givesKey = new Set<string>()

  constructor(deps: GroupKeysDeps) {
    this.#deps = deps
    this.#holders = new OwnKeys(CATEGORY, () => deps.keys())
    this.#stale = new OwnKeys(STALE, () => deps.keys())
  }

  /** A member has left the group and could decrypt what is sent with the key. */
  memberLeft(group: string): void {
    this.#stale.set(group, true)
  }

  /**
   * Removes the key if a person outside the group may have it: the next message makes another one, and gives it to all
   * members. Messages of a group are sent one after the other, so none of them is using the key meanwhile.
   */
  async renewIfStale(group: string, members: ReadonlySet<string>): Promise<void> {
    const { devices } = await this.#read(group)
    if (!(await this.#stale.get(group)) && !(await this.#hasStranger(Object.keys(devices), members))) return
    const own = this.#deps.ownDevices().map(jid => [senderKeyId(group, jid), null])
    // One change: the key, the record of its holders, and the mark.
    const changes = { 'sender-key': Object.fromEntries(own), [CATEGORY]: { [group]: null }, [STALE]: { [group]: null } }
    await this.#deps.keys().set(changes as SignalDataSet)
  }

  async #hasStranger(holders: readonly string[], members: ReadonlySet<string>): Promise<boolean> {
    const unlisted = new Set(holders.map(withoutDevice).filter(person => !members.has(person)))
    for (const person of unlisted)
      if (!(await this.#deps.lids.namesOf(person)).some(name => members.has(name))) return true
    return false
  }

  /** Returns the devices that have the key now. */
  async begin(group: string): Promise<KeyHolders> {
    const holders = await this.#read(group)
    this.#leaving.set(group, holders)
    return holders
  }

  /** The message that is being sent gives the key to a device that lacks it. */
  markGivesKey(group: string): void {
    this.#givesKey.add(group)
  }

  /** The message that is being sent gives the key to these devices. */
  addHolders(group: string, devices: readonly string[]): void {
    const leaving = this.#leaving.get(group)
    if (leaving) Object.assign(leaving.devices, Object.fromEntries(devices.map(device => [device, true])))
  }

  /** Stores the record if the platform has accepted the message. */
  end(group: string, isAccepted: boolean): void {
    const holders = this.#leaving.get(group)
    this.#leaving.delete(group)
    if (this.#givesKey.delete(group) && holders && isAccepted) this.#holders.set(group, holders)
  }

  /** Whether one of a person's devices has the key, or gets it with the message that is being sent. */
  async isHolder(group: string, names: readonly string[]): Promise<boolean> {
    const records = [this.#leaving.get(group), await this.#holders.get(group)]
    return records.some(record =>
      Object.keys(record?.devices ?? {}).some(device => names.includes(withoutDevice(device))),
    )
  }

  async forget(group: string, device: string): Promise<void> {
    const holders = await this.#read(group)
    const leaving = this.#leaving.get(group)
    if (leaving) remove(leaving, device)
    if (!hasGroupKey(holders, device)) return
    remove(holders, device)
    this.#holders.set(group, holders)
  }

  /** Nothing could be encrypted for the device, so the message does not give it the key. */
  couldNotEncrypt(device: string): void {
    for (const leaving of this.#leaving.values()) remove(leaving, device)
  }

  /** Makes the library give the key to no device: `Recipients` does, for some devices at a time. */
  replaceLibraryRecord(keys: WASocket['authState']['keys']): void {
    const { get, set } = keys
    keys.get = (category, ids) =>
      category === OF_LIBRARY
        ? Promise.resolve(Object.fromEntries(ids.map(id => [id, EVERY_DEVICE])) as never)
        : get(category, ids)
    keys.set = data => {
      const { [OF_LIBRARY]: _own, ...others } = data
      return set(others)
    }
  }

  async #read(group: string): Promise<KeyHolders> {
    const holders = (await this.#holders.get(group)) ?? { asOf: 0, devices: {} }
    const changed = this.#deps.changed()
    if (!changed || changed.last === holders.asOf) return holders
    const people = changed.since(holders.asOf)
    const left = people ? await this.#without(holders.devices, people) : {}
    const now = { asOf: changed.last, devices: left }
    this.#holders.set(group, now)
    return now
  }

  /** The notification of the change may have used another kind of name than the record. */
  async #without(devices: KeyHolders['devices'], people: readonly string[]): Promise<KeyHolders['devices']> {
    const { lids } = this.#deps
    const names = await Promise.all(people.map(async jid => [jid, await lids.lidOf(jid), await lids.phoneOf(jid)]))
    const removed = new Set(names.flat().flatMap(name => (name === undefined ? [] : [digitsOf(name)])))
    return Object.fromEntries(Object.entries(devices).filter(([device]) => !removed.has(digitsOf(device))))
  }
}

/** The id under which the library stores the key that this device has made for a group. */
function senderKeyId(group: string, ownDevice: string): string {
  const { user = '', device = 0, domainType = 0 } = jidDecode(ownDevice) ?? {}
  return `${group}::${domainType === 0 ? user : `${user}_${domainType}`}::${device}`
}
