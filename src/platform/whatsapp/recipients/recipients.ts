import { type BinaryNode, getBinaryNodeChild, jidDecode, type WASocket } from 'baileys'
import { ExpiringMap } from '../../../runtime/expiring-map.ts'
import { digitsOf, isPerson, jidKind, withoutDevice } from '../../../domain/jid.ts'
import type { DeviceState } from '../device/device-state.ts'
import type { HeavyWork } from '../engine/heavy-work.ts'
import { transient } from '../errors.ts'
import type { Groups } from '../remembered/groups.ts'
import type { Lids } from '../remembered/lids.ts'
import { ownDeviceLike, ownNames } from '../wire/own-names.ts'
import { type DeviceLists, isHosted, nameOfDevice } from './device-lists.ts'
import { type GroupKeys, hasGroupKey } from './group-keys.ts'
import { participantHash } from './participant-hash.ts'
import { sealKey } from './seal-key.ts'
import { beginSessions, isGone } from './sessions.ts'

export interface RecipientsDeps {
  lists: DeviceLists
  groups: Pick<Groups, 'find' | 'forget'>
  groupKeys: GroupKeys
  heavyWork: Pick<HeavyWork, 'mayBegin'>
  lids: Pick<Lids, 'lidOf' | 'phoneOf'>
  state(): Pick<DeviceState, 'auth' | 'changed'> | undefined
}

/** The recipients of a message that is being sent. */
interface Assumed {
  readonly hash: string
  readonly people: readonly string[]
  /** Only for a direct chat. */
  readonly devices: readonly string[]
}

/** The number of people whose sessions are cached. */
const MAX_READY = 5_000

/** Whether the chat has a sender key that its members need. */
const hasKey = (chat: string): boolean => jidKind(chat) === 'group' || jidKind(chat) === 'status'

/**
 * Ensures that every device of a message's recipients has a session, and that unreachable devices do not block the
 * others.
 */
export class Recipients {
  readonly lists: DeviceLists
  readonly #deps: RecipientsDeps
  /** Devices that have a session, by their owner. */
  readonly #ready = new ExpiringMap<Set<string>>(MAX_READY)
  /** What the message that is being sent to a chat assumes of its devices. */
  readonly #assumed = new ExpiringMap<Assumed>(MAX_READY)
  /** By chat, the last hash of the platform that caused a new query: devices without keys differ every time. */
  readonly #differed = new ExpiringMap<string>(MAX_READY)

  constructor(deps: RecipientsDeps) {
    this.lists = deps.lists
    this.#deps = deps
  }

  /**
   * Runs `relay` when all sessions exist, with the nodes that give a group's key to the devices that lack it. These
   * have the attributes of the message's other parts. The caller reports the outcome with `finish`.
   */
  async reach(
    sock: WASocket,
    to: string,
    attributes: Record<string, string>,
    relay: (keyNodes: BinaryNode[]) => Promise<unknown>,
  ): Promise<void> {
    const keyNodes = await this.#prepare(sock, to, attributes)
    try {
      await relay(keyNodes)
    } catch (error) {
      if (!isGone(error)) throw error
      // A session no longer exists, so its device may be removed.
      this.#ready.clear()
      await relay(await this.#prepare(sock, to, attributes))
    }
  }

  /**
   * The reachable devices of these people that lack the sender key of a chat: the next message has to include it. The
   * caller reports the outcome with `finish`.
   */
  async withoutKey(sock: WASocket, chat: string, people: readonly string[]): Promise<string[]> {
    const lacking = await this.#withoutKey(sock, chat, people)
    await this.#makeReady(sock, lacking)
    const listed = new Set(people.flatMap(jid => (this.lists.known(jid) ?? []).map(nameOfDevice)))
    const reachable = lacking.filter(device => listed.has(device))
    this.#deps.groupKeys.addHolders(chat, reachable)
    return reachable
  }

  /**
   * `hash` is that of the platform's ack. If the platform assumes other devices, their lists are queried again. Returns
   * the devices that a message in a direct chat was sent to if that may have left out some.
   */
  finish(to: string, isAccepted: boolean, hash?: string): readonly string[] | undefined {
    const assumed = this.#assumed.get(to)
    this.#assumed.delete(to)
    this.lists.forgetIncomplete()
    if (hasKey(to)) this.#deps.groupKeys.end(to, isAccepted)
    if (!assumed || hash === undefined || hash === assumed.hash || hash === this.#differed.get(to)) return undefined
    this.#differed.set(to, hash)
    for (const person of assumed.people) this.#forget(person)
    if (jidKind(to) !== 'group') return assumed.devices
    this.#deps.groups.forget(to)
    return undefined
  }

  /** A message to a group names the hash of the devices that it is for. */
  hashAttribute(to: string): { phash?: string } {
    const hash = jidKind(to) === 'group' ? this.#assumed.get(to)?.hash : undefined
    return hash === undefined ? {} : { phash: hash }
  }

  /** The reachable devices of a direct chat that are not among these. */
  async missing(sock: WASocket, to: string, known: readonly string[]): Promise<string[]> {
    await this.#prepare(sock, to, {})
    return (this.#assumed.get(to)?.devices ?? []).filter(device => !known.includes(device))
  }

  /** Hosted devices are not part of the hash. In a group this device is, which is on no list. */
  #assume(sock: WASocket, to: string, people: readonly string[]): void {
    const isGroup = jidKind(to) === 'group'
    const listed = people.flatMap(jid => this.lists.known(jid) ?? [])
    const own = isGroup ? [ownDeviceLike(sock.authState.creds, people[0] ?? '')] : []
    const hashed = [...listed.filter(device => !isHosted(device)).map(nameOfDevice), ...own]
    const hash = participantHash([...new Set(hashed)])
    this.#assumed.set(to, { hash, people, devices: isGroup ? [] : listed.map(nameOfDevice) })
  }

  /** Whether a device of this person, under one of these names, has the sender key of the chat. */
  async hasKeyHolder(chat: string, names: readonly string[]): Promise<boolean> {
    return await this.#deps.groupKeys.isHolder(chat, names)
  }

  /** The number's other reachable devices, under the kind of name that `jid` is. */
  async own(sock: WASocket, jid: string): Promise<string[]> {
    const [listed = []] = await this.lists.ofMembers(sock, [jid])
    await this.#makeReady(sock, listed.map(nameOfDevice))
    return (this.lists.known(jid) ?? []).map(nameOfDevice)
  }

  /** Called when the device state is loaded again: what was learned with the old state may be lost. */
  forgetAll(): void {
    this.lists.forgetAll()
    this.#ready.clear()
  }

  /** Nothing could be encrypted for this device. */
  onUnencryptable(device: string): void {
    this.#ready.delete(digitsOf(device))
    this.#deps.groupKeys.couldNotEncrypt(device)
  }

  /** A device requests a message again: what is known of it may be wrong. */
  async forgetDevice(device: string, chat: string): Promise<void> {
    const isListed = this.lists.known(device)?.some(listed => nameOfDevice(listed) === device) ?? true
    if (!isListed) this.lists.forget(device)
    if (hasKey(chat)) await this.#deps.groupKeys.forget(chat, device)
  }

  onNotification(stanza: BinaryNode): void {
    const left = groupLeftIn(stanza)
    if (left !== undefined) this.#deps.groupKeys.memberLeft(left)
    const state = this.#deps.state()
    const change = deviceChangeIn(stanza, ownNames(state?.auth.creds ?? {}))
    if (!state || !change) return
    if (change.isNewPhone) this.#dropSessions(change.people)
    for (const person of change.people) this.#forget(person)
    const [first] = change.people
    if (first !== undefined) state.changed.add(first)
    // The other names have to be read from storage.
    void this.#otherNames(change.people)
      .then(others => {
        if (change.isNewPhone) this.#dropSessions(others)
        for (const person of others) this.#forget(person)
      })
      .catch(() => {})
  }

  #forget(person: string): void {
    this.lists.forget(person)
    this.#ready.delete(digitsOf(person))
  }

  async #otherNames(people: readonly string[]): Promise<string[]> {
    const { lids } = this.#deps
    const names = await Promise.all(people.flatMap(jid => [lids.lidOf(jid), lids.phoneOf(jid)]))
    return names.filter(name => name !== undefined && !people.includes(name)) as string[]
  }

  #dropSessions(people: readonly string[]): void {
    const devices = people.flatMap(jid => [jid, ...(this.lists.known(jid) ?? []).map(nameOfDevice)])
    const sessions = Object.fromEntries(devices.map(jid => [signalAddress(jid), null]))
    void this.#deps.state()?.auth.keys.set({ session: sessions })
  }

  async #prepare(sock: WASocket, to: string, attributes: Record<string, string>): Promise<BinaryNode[]> {
    const kind = jidKind(to)
    if (kind === 'group') return await this.#prepareGroup(sock, to, attributes)
    if (kind !== 'user' && kind !== 'lid') return []
    const own = withoutDevice(ownDeviceLike(sock.authState.creds, to))
    const devices = (await this.lists.of(sock, [to], [own])).flat().map(nameOfDevice)
    await this.#makeReady(sock, devices)
    if (this.lists.isIncomplete(to)) throw transient('the platform returns no keys of the recipient now')
    if ((this.lists.known(to) ?? []).length === 0) throw transient('no device of the recipient can be reached now')
    this.#assume(sock, to, [to, own])
    return []
  }

  async #prepareGroup(sock: WASocket, to: string, attributes: Record<string, string>): Promise<BinaryNode[]> {
    const { groups, groupKeys, heavyWork } = this.#deps
    const { participants, addressingMode } = await groups.find(sock, to)
    const members = participants.map(({ id }) => withoutDevice(id))
    const names = participants.flatMap(({ id, lid, phoneNumber }) => [id, lid, phoneNumber])
    const all = [...names, ...ownNames(sock.authState.creds)].flatMap(jid => (jid ? [withoutDevice(jid)] : []))
    await groupKeys.renewIfStale(to, new Set(all))
    const devices = await this.withoutKey(sock, to, members)
    const { id = '', lid } = sock.authState.creds.me ?? {}
    // The library uses the same name for the message.
    const meId = addressingMode !== 'pn' && lid ? lid : id
    const { nodes, identity } = await sealKey(sock, { chat: to, meId, devices, attributes }, heavyWork)
    this.#assume(sock, to, members)
    return nodes.length === 0 ? [] : [{ tag: 'participants', attrs: {}, content: nodes }, ...identity]
  }

  async #withoutKey(sock: WASocket, chat: string, people: readonly string[]): Promise<string[]> {
    const { groupKeys } = this.#deps
    const lists = await this.lists.ofMembers(sock, people)
    const holders = await groupKeys.begin(chat)
    const lacking = lists.flat().filter(device => !isHosted(device) && !hasGroupKey(holders, nameOfDevice(device)))
    if (lacking.length > 0) groupKeys.markGivesKey(chat)
    return lacking.map(nameOfDevice)
  }

  /** Removes devices from the lists with which no session can be begun. */
  async #makeReady(sock: WASocket, devices: readonly string[]): Promise<void> {
    const unsure = devices.filter(device => !this.#isReady(device))
    if (unsure.length === 0) return
    const without: string[] = []
    for (const device of unsure) {
      const { exists } = await sock.signalRepository.validateSession(device)
      if (exists) this.#noteReady(device)
      else without.push(device)
    }
    if (without.length === 0) return
    const failed = await beginSessions(sock, without, this.#deps.heavyWork)
    const left = new Set([...failed.gone, ...failed.unanswered])
    for (const device of without) if (!left.has(device)) this.#noteReady(device)
    if (left.size > 0) this.lists.removeFailed(failed)
  }

  #isReady(device: string): boolean {
    return this.#ready.get(digitsOf(device))?.has(device) === true
  }

  #noteReady(device: string): void {
    const digits = jidDecode(device)?.user ?? ''
    const known = this.#ready.get(digits)
    if (known) known.add(device)
    else this.#ready.set(digits, new Set([device]))
  }
}

/** Changes of a group after which a person outside may have its sender key. */
const LEAVING = new Set(['remove', 'leave', 'modify'])

/** The group that a person has left or was removed from. */
function groupLeftIn({ attrs, content }: BinaryNode): string | undefined {
  const isLeft = attrs.type === 'w:gp2' && Array.isArray(content) && content.some(({ tag }) => LEAVING.has(tag))
  return isLeft ? attrs.from : undefined
}

/** A change of devices that a notification reports. */
interface PeopleDevicesChange {
  /** The owners of the devices, under each name in the notification. */
  readonly people: readonly string[]
  /** The person has a new phone: the sessions with the old one are invalid. */
  readonly isNewPhone: boolean
}

/** `own` are the names of the number itself. */
export function deviceChangeIn(stanza: BinaryNode, own: readonly string[]): PeopleDevicesChange | undefined {
  const { type, from, lid } = stanza.attrs
  if (type === 'account_sync')
    return getBinaryNodeChild(stanza, 'devices') ? { people: own, isNewPhone: false } : undefined
  if (type === 'contacts') {
    const { old, new: current, old_lid: oldLid, new_lid: newLid } = getBinaryNodeChild(stanza, 'modify')?.attrs ?? {}
    const names = [old, current, oldLid, newLid].filter(jid => jid !== undefined)
    return names.length > 0 ? { people: [...new Set(names.map(withoutDevice))], isNewPhone: false } : undefined
  }
  const people = [from, lid].flatMap(jid => (jid !== undefined && isPerson(jid) ? [withoutDevice(jid)] : []))
  if (people.length === 0) return undefined
  if (type === 'devices') return { people, isNewPhone: false }
  const isNewPhone = type === 'encrypt' && getBinaryNodeChild(stanza, 'identity') !== undefined
  return isNewPhone ? { people, isNewPhone } : undefined
}

/** The id under which the library stores the session with a device. */
function signalAddress(jid: string): string {
  const { user = '', device = 0, domainType = 0 } = jidDecode(jid) ?? {}
  return `${domainType === 0 ? user : `${user}_${domainType}`}.${device}`
}
