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
import { transient } from '../errors.ts'
import { ownDevices } from '../wire/own-names.ts'

/** A device of somebody, as the library keeps it. */
export interface ListedDevice {
  user: string
  server: string
  device: number
}

export const nameOfDevice = ({ user, server, device }: ListedDevice): string => jidEncode(user, server as 'lid', device)

export const isHosted = ({ server }: ListedDevice): boolean => server === 'hosted' || server === 'hosted.lid'

const userOf = (jid: string): string => jidDecode(jid)?.user ?? ''

/**
 * The devices of people, from the cache that the library reads too: it finds there what was asked for here, and asks
 * for nothing itself. This device is never among them.
 */
export class DeviceLists {
  readonly #cache: Pick<ReturnType<typeof createLibraryCache>, 'get' | 'set' | 'del'>

  constructor(cache: Pick<ReturnType<typeof createLibraryCache>, 'get' | 'set' | 'del'>) {
    this.#cache = cache
  }

  /** Of each of these people, by JIDs without a device; empty where the platform knows of none. */
  async of(sock: WASocket, people: readonly string[]): Promise<ListedDevice[][]> {
    for (const jid of people) if (this.known(jid)?.length === 0) this.forget(jid)
    return await this.ofMembers(sock, people)
  }

  /** The same, where some may have none: that is believed for a while. */
  async ofMembers(sock: WASocket, people: readonly string[]): Promise<ListedDevice[][]> {
    const unknown = people.filter(jid => this.known(jid) === undefined)
    if (unknown.length > 0)
      for (const [jid, devices] of await ask(sock, [...new Set(unknown)])) this.#cache.set(userOf(jid), devices)
    return people.map(jid => this.known(jid) ?? [])
  }

  known(jid: string): ListedDevice[] | undefined {
    return this.#cache.get<ListedDevice[]>(userOf(jid))
  }

  forget(jid: string): void {
    this.#cache.del(userOf(jid))
  }

  /** Nobody writes to these until the list is asked for again. */
  leaveOut(devices: readonly string[]): void {
    for (const person of new Set(devices.map(withoutDevice))) {
      const left = this.known(person)?.filter(device => !devices.includes(nameOfDevice(device)))
      if (left) this.#cache.set(userOf(person), left)
    }
  }
}

async function ask(sock: WASocket, people: readonly string[]): Promise<Map<string, ListedDevice[]>> {
  const answer = (await sock.query(question(sock, people))) as BinaryNode | undefined
  // The library answers silence like nothing.
  if (!answer) throw transient('the platform did not answer in time')
  const list = getBinaryNodeChild(getBinaryNodeChild(answer, 'usync'), 'list')
  const found = new Map<string, ListedDevice[]>(people.map(jid => [jid, []]))
  const mappings: Array<{ lid: string; pn: string }> = []
  for (const user of getBinaryNodeChildren(list, 'user')) {
    const jid = user.attrs.jid ?? ''
    const others = (name: string) => listedIn(user, name).filter(device => !isOwnDevice(sock, device))
    found.set(jid, others(jid))
    const lid = getBinaryNodeChild(user, 'lid')?.attrs.val
    if (!lid || !jid.endsWith('@s.whatsapp.net')) continue
    mappings.push({ lid, pn: jid })
    // A question by number tells the devices under both names.
    found.set(lid, others(lid))
  }
  if (mappings.length > 0) await sock.signalRepository.lidMapping.storeLIDPNMappings(mappings)
  await keepNumbers(sock, found)
  return found
}

function question(sock: WASocket, people: readonly string[]): BinaryNode {
  const asked: BinaryNode[] = [
    { tag: 'devices', attrs: { version: '2' } },
    { tag: 'lid', attrs: {} },
  ]
  const content = [
    { tag: 'query', attrs: {}, content: asked },
    { tag: 'list', attrs: {}, content: people.map(jid => ({ tag: 'user', attrs: { jid } })) },
  ]
  const attrs = { context: 'message', mode: 'query', sid: sock.generateMessageTag(), last: 'true', index: '0' }
  return {
    tag: 'iq',
    attrs: { to: '@s.whatsapp.net', type: 'get', xmlns: 'usync' },
    content: [{ tag: 'usync', attrs, content }],
  }
}

/** Each device says for itself whether it is hosted; one beside the phone without a key index is none to write to. */
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

/** By these the library finds the sessions of somebody who is named in another way from now on. */
async function keepNumbers(sock: WASocket, found: ReadonlyMap<string, ListedDevice[]>): Promise<void> {
  const lists = [...found].filter(([, devices]) => devices.length > 0)
  const numbers = lists.map(([jid, devices]) => [userOf(jid), devices.map(({ device }) => String(device))] as const)
  if (numbers.length > 0) await sock.authState.keys.set({ 'device-list': Object.fromEntries(numbers) })
}
