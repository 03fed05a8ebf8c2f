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
import { type GroupKeys, isTold } from './group-keys.ts'
import { beginSessions, isGone } from './sessions.ts'

export interface RecipientsDeps {
  lists: DeviceLists
  groups: Pick<Groups, 'find'>
  groupKeys: GroupKeys
  heavyWork: Pick<HeavyWork, 'mayBegin'>
  lids: Pick<Lids, 'lidOf' | 'phoneOf'>
  state(): Pick<DeviceState, 'auth' | 'changed'> | undefined
}

/** As many people as the sessions with whose devices are known to be there. */
const READY = 5_000

/** Whether a chat has a key that its readers have to be told. */
const hasKey = (chat: string): boolean => jidKind(chat) === 'group' || jidKind(chat) === 'status'

/** Sees to it that every device that a message is for can be written to, and that those that cannot hold up nobody. */
export class Recipients {
  readonly lists: DeviceLists
  readonly #deps: RecipientsDeps
  /** Devices that there is a session with, by their owner. */
  readonly #ready = new ExpiringMap<Set<string>>(READY)

  constructor(deps: RecipientsDeps) {
    this.lists = deps.lists
    this.#deps = deps
  }

  /** Runs `relay` when all is ready for it. Whoever calls says with `settle` what the platform made of it. */
  async reach(sock: WASocket, to: string, relay: () => Promise<unknown>): Promise<void> {
    await this.#prepare(sock, to)
    try {
      await relay()
    } catch (error) {
      if (!isGone(error)) throw error
      // A session was gone that was there before, and so is its device.
      this.#ready.clear()
      await this.#prepare(sock, to)
      await relay()
    }
  }

  /**
   * The devices of these people that lack the key of a chat and can be written to: the next message is to tell them.
   * Whoever calls says with `settle` what the platform made of it.
   */
  async untold(sock: WASocket, chat: string, people: readonly string[]): Promise<string[]> {
    const untold = await this.#untold(sock, chat, people)
    await this.#makeReady(sock, untold)
    const listed = new Set(people.flatMap(jid => (this.lists.known(jid) ?? []).map(nameOfDevice)))
    const reachable = untold.filter(device => listed.has(device))
    this.#deps.groupKeys.addTold(chat, reachable)
    return reachable
  }

  settle(to: string, isTaken: boolean): void {
    this.lists.forgetUnsure()
    if (hasKey(to)) this.#deps.groupKeys.end(to, isTaken)
  }

  /** The number's own devices beside this one that can be written to, named like `jid`. */
  async own(sock: WASocket, jid: string): Promise<string[]> {
    const [listed = []] = await this.lists.ofMembers(sock, [jid])
    await this.#makeReady(sock, listed.map(nameOfDevice))
    return (this.lists.known(jid) ?? []).map(nameOfDevice)
  }

  /** Lets the library see in its own record what is known here of who has the key of a group. */
  standInFor(keys: WASocket['authState']['keys']): void {
    this.#deps.groupKeys.standInFor(keys)
  }

  /** What was learnt with a state of the device that is not there any more. */
  forgetAll(): void {
    this.lists.forgetAll()
    this.#ready.clear()
  }

  /** Nothing could be encrypted for this device. */
  left(device: string): void {
    this.#ready.delete(digitsOf(device))
    this.#deps.groupKeys.couldNotEncrypt(device)
  }

  /** A device asks for a message again. */
  async doubt(device: string, chat: string): Promise<void> {
    const isListed = this.lists.known(device)?.some(listed => nameOfDevice(listed) === device) ?? true
    if (!isListed) this.lists.forget(device)
    if (hasKey(chat)) await this.#deps.groupKeys.forget(chat, device)
  }

  /** Takes note of what a notification says about devices. */
  notice(stanza: BinaryNode): void {
    const state = this.#deps.state()
    const news = deviceNewsIn(stanza, ownNames(state?.auth.creds ?? {}))
    if (!state || !news) return
    if (news.isNewPhone) this.#dropSessions(news.people)
    for (const person of news.people) this.#forget(person)
    const [first] = news.people
    if (first !== undefined) state.changed.add(first)
    // The other name may have to be looked for.
    void this.#otherNames(news.people)
      .then(others => {
        if (news.isNewPhone) this.#dropSessions(others)
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

  async #prepare(sock: WASocket, to: string): Promise<void> {
    const kind = jidKind(to)
    if (kind === 'group') return await this.#prepareGroup(sock, to)
    if (kind !== 'user' && kind !== 'lid') return
    const own = withoutDevice(ownDeviceLike(sock.authState.creds, to))
    const devices = (await this.lists.of(sock, [to], [own])).flat().map(nameOfDevice)
    await this.#makeReady(sock, devices)
    if (this.lists.isUnsure(to)) throw transient('the platform does not tell the keys of the recipient now')
    if ((this.lists.known(to) ?? []).length === 0) throw transient('no device of the recipient can be reached now')
  }

  async #prepareGroup(sock: WASocket, to: string): Promise<void> {
    const { participants } = await this.#deps.groups.find(sock, to)
    const members = participants.map(({ id }) => withoutDevice(id))
    await this.#makeReady(sock, await this.#untold(sock, to, members))
  }

  async #untold(sock: WASocket, chat: string, people: readonly string[]): Promise<string[]> {
    const { groupKeys } = this.#deps
    const lists = await this.lists.ofMembers(sock, people)
    const told = await groupKeys.begin(chat)
    const untold = lists.flat().filter(device => !isHosted(device) && !isTold(told, nameOfDevice(device)))
    if (untold.length > 0) groupKeys.noteSomeoneLacksKey(chat)
    return untold.map(nameOfDevice)
  }

  /** Takes out of the lists those that no session can be begun with. */
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
    const unbegun = await beginSessions(sock, without, this.#deps.heavyWork)
    const left = new Set([...unbegun.gone, ...unbegun.unanswered])
    for (const device of without) if (!left.has(device)) this.#noteReady(device)
    if (left.size > 0) this.lists.leaveOut(unbegun)
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

/** What a notification says about devices. */
interface DeviceNews {
  /** Whose devices they are, by each name that is told. */
  readonly people: readonly string[]
  /** The phone itself is another one: what was agreed with the old one is worth nothing. */
  readonly isNewPhone: boolean
}

/** `own` are the names of the number itself. */
export function deviceNewsIn(stanza: BinaryNode, own: readonly string[]): DeviceNews | undefined {
  const { type, from, lid } = stanza.attrs
  if (type === 'account_sync')
    return getBinaryNodeChild(stanza, 'devices') ? { people: own, isNewPhone: false } : undefined
  const people = [from, lid].flatMap(jid => (jid !== undefined && isPerson(jid) ? [withoutDevice(jid)] : []))
  if (people.length === 0) return undefined
  if (type === 'devices') return { people, isNewPhone: false }
  const isNewPhone = type === 'encrypt' && getBinaryNodeChild(stanza, 'identity') !== undefined
  return isNewPhone ? { people, isNewPhone } : undefined
}

/** The name under which the library keeps the session with a device. */
function signalAddress(jid: string): string {
  const { user = '', device = 0, domainType = 0 } = jidDecode(jid) ?? {}
  return `${domainType === 0 ? user : `${user}_${domainType}`}.${device}`
}
