import {
  type BinaryNode,
  getBinaryNodeChild,
  getBinaryNodeChildren,
  jidDecode,
  jidEncode,
  type WASocket,
} from 'baileys'
import { withoutDevice } from '../../../domain/jid.ts'
import type { createLibraryCache } from '../engine/library-cache.ts'
import { storeNames } from '../engine/signal-repository.ts'
import { transient, Unanswered } from '../errors.ts'
import { ownDevices } from '../wire/own-names.ts'
import { isRefusedForNow, type FailedSessions } from './sessions.ts'

/** A device of a person, as the library stores it. */
export interface ListedDevice {
  user: string
  server: string
  device: number
}

export const nameOfDevice = ({ user, server, device }: ListedDevice): string => jidEncode(user, server as 'lid', device)

export const isHosted = ({ server }: ListedDevice): boolean => server === 'hosted' || server === 'hosted.lid'

const userOf = (jid: string): string => jidDecode(jid)?.user ?? ''

/**
 * The devices of people, in the cache that the library reads too: it finds the results of these queries there and sends
 * none itself. This device is never included.
 */
export class DeviceLists {
  readonly #cache: ReturnType<typeof createLibraryCache>
  /** People whose list is incomplete: a message to many is sent without them, and the next one queries again. */
  readonly #incomplete = new Set<string>()

  constructor(cache: ReturnType<typeof createLibraryCache>) {
    this.#cache = cache
  }

  /**
   * The devices of each of these people, by JIDs without a device, and of `others`, who may have none; empty if the
   * platform knows none.
   */
  async of(sock: WASocket, people: readonly string[], others: readonly string[] = []): Promise<ListedDevice[][]> {
    for (const jid of people) if (this.known(jid)?.length === 0 || this.isIncomplete(jid)) this.forget(jid)
    const lists = await this.ofMembers(sock, [...others, ...people])
    if (people.some(jid => this.isIncomplete(jid))) throw transient('the platform does not list the devices now')
    return lists
  }

  /** The same for people who may have none: an empty list is cached too. */
  async ofMembers(sock: WASocket, people: readonly string[]): Promise<ListedDevice[][]> {
    const unknown = people.filter(jid => this.known(jid) === undefined)
    if (unknown.length > 0) {
      const { found, unanswered } = await query(sock, [...new Set(unknown)])
      for (const [jid, devices] of found) this.#cache.set(userOf(jid), devices)
      for (const jid of unanswered) this.#incomplete.add(userOf(jid))
    }
    return people.map(jid => this.known(jid) ?? [])
  }

  /** Whether this person's list is incomplete. */
  isIncomplete(jid: string): boolean {
    return this.#incomplete.has(userOf(jid))
  }

  /** Called after a message, so that the next one queries the incomplete lists again. */
  forgetIncomplete(): void {
    for (const user of this.#incomplete) this.#cache.del(user)
    this.#incomplete.clear()
  }

  known(jid: string): ListedDevice[] | undefined {
    return this.#cache.get<ListedDevice[]>(userOf(jid))
  }

  forgetAll(): void {
    this.#cache.flushAll()
    this.#incomplete.clear()
  }

  forget(jid: string): void {
    this.#cache.del(userOf(jid))
    this.#incomplete.delete(userOf(jid))
  }

  /** Removes these devices until the list is queried again, which is soon for those that may exist after all. */
  removeFailed({ gone, unanswered }: FailedSessions): void {
    const devices = [...gone, ...unanswered]
    for (const device of unanswered) this.#incomplete.add(userOf(device))
    for (const person of new Set(devices.map(withoutDevice))) {
      const left = this.known(person)?.filter(device => !devices.includes(nameOfDevice(device)))
      if (left) this.#cache.set(userOf(person), left)
    }
  }
}

interface Answer {
  found: Map<string, ListedDevice[]>
  /** People for whom the platform returns no list now. */
  unanswered: string[]
}

async function query(sock: WASocket, people: readonly string[]): Promise<Answer> {
  const answer = (await sock.query(devicesQuery(sock, people)).catch(refusedForNow)) as BinaryNode | undefined
  // The library returns undefined on a timeout.
  if (!answer) throw new Unanswered()
  const list = getBinaryNodeChild(getBinaryNodeChild(answer, 'usync'), 'list')
  if (!list) throw transient('the platform does not list the devices now')
  const unanswered: string[] = []
  const found = new Map<string, ListedDevice[]>(people.map(jid => [jid, []]))
  const mappings: Array<{ lid: string; pn: string }> = []
  for (const user of getBinaryNodeChildren(list, 'user')) {
    const jid = user.attrs.jid ?? ''
    const others = (name: string) => listedIn(user, name).filter(device => !isOwnDevice(sock, device))
    found.set(jid, others(jid))
    if (isRefusedForNow(getBinaryNodeChild(user, 'devices'))) unanswered.push(jid)
    const lid = getBinaryNodeChild(user, 'lid')?.attrs.val
    if (!lid || !jid.endsWith('@s.whatsapp.net')) continue
    mappings.push({ lid, pn: jid })
    // A query by number returns the devices under both names.
    found.set(lid, others(lid))
    if (unanswered.includes(jid)) unanswered.push(lid)
  }
  if (mappings.length > 0) await storeNames(sock, mappings, 'lookup')
  await keepNumbers(sock, found)
  return { found, unanswered }
}

/** A rejected query for many people proves nothing for any of them. */
function refusedForNow(error: unknown): never {
  const isRefusal = typeof (error as { data?: unknown }).data === 'number'
  throw isRefusal ? transient('the platform does not list the devices now') : error
}

function devicesQuery(sock: WASocket, people: readonly string[]): BinaryNode {
  const fields: BinaryNode[] = [
    { tag: 'devices', attrs: { version: '2' } },
    { tag: 'lid', attrs: {} },
  ]
  const content = [
    { tag: 'query', attrs: {}, content: fields },
    { tag: 'list', attrs: {}, content: people.map(jid => ({ tag: 'user', attrs: { jid } })) },
  ]
  const attrs = { context: 'message', mode: 'query', sid: sock.generateMessageTag(), last: 'true', index: '0' }
  return {
    tag: 'iq',
    attrs: { to: '@s.whatsapp.net', type: 'get', xmlns: 'usync' },
    content: [{ tag: 'usync', attrs, content }],
  }
}

/** Each device has its own `is_hosted` mark; a companion device without a key index receives no messages. */
export function listedIn(user: BinaryNode, jid: string): ListedDevice[] {
  const name = jidDecode(jid)
  const list = getBinaryNodeChild(getBinaryNodeChild(user, 'devices'), 'device-list')
  if (!name) return []
  const devices = getBinaryNodeChildren(list, 'device').map(({ attrs }) => ({
    user: name.user,
    server: attrs.is_hosted === 'true' ? (name.server === 'lid' ? 'hosted.lid' : 'hosted') : name.server,
    device: Number(attrs.id),
    isLinked: attrs.id === '0' || Number(attrs['key-index']) > 0,
  }))
  return devices.filter(({ isLinked }) => isLinked).map(({ user, server, device }) => ({ user, server, device }))
}

function isOwnDevice({ authState }: Pick<WASocket, 'authState'>, { user, device }: ListedDevice): boolean {
  return ownDevices(authState.creds).some(own => {
    const name = jidDecode(own)
    return name?.user === user && (name.device ?? 0) === device
  })
}

/** With these the library finds the sessions of a person who is named in another way from now on. */
async function keepNumbers(sock: WASocket, found: ReadonlyMap<string, ListedDevice[]>): Promise<void> {
  const lists = [...found].filter(([, devices]) => devices.length > 0)
  const numbers = lists.map(([jid, devices]) => [userOf(jid), devices.map(({ device }) => String(device))] as const)
  if (numbers.length > 0) await sock.authState.keys.set({ 'device-list': Object.fromEntries(numbers) })
}
