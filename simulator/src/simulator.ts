import type { Server } from 'node:https'
import { FaultControl } from './fault-control.ts'
import type { Judgements } from './grammar/judgements.ts'
import { ChannelHandle, GroupHandle } from './handles.ts'
import { lidJid, numberJid, toDigits } from './jid.ts'
import { startMediaServer } from './media/media-server.ts'
import { openWorld, type World } from './open-world.ts'
import type { SimulatorOptions } from './options.ts'
import { onBehalfOf } from './owner.ts'
import { ownPasskey, type OwnPasskey } from './passkey/own-passkey.ts'
import { ownerOf, saveUser, userOf } from './people.ts'
import { Phone } from './phone/phone.ts'
import type { Accepted } from './server/accept-code.ts'
import { type ChannelOptions, createChannel } from './server/channel.ts'
import { enterCode, pairingByCode } from './server/enter-code.ts'
import { createCommunity } from './server/community.ts'
import { createGroup, type GroupOptions } from './server/group.ts'
import { listen } from './server/listen.ts'
import { scanQr } from './server/pairing.ts'
import type { Network } from './world/network.ts'
import type { Unread } from './world/unread.ts'

export interface Endpoint {
  readonly address: string
  readonly port: number
}

const LOOPBACK = '127.0.0.1'
/** How long a phone waits for the request of the client whose code its owner typed. */
const CODE_TIMEOUT_MS = 10_000

interface SimulatorDeps extends World {
  readonly server: { readonly url: string; stop(): Promise<void> }
  readonly mediaServer: Server
}

/** A server that speaks the platform's wire protocol, with simulated phones. */
export class Simulator {
  /** For the client's `waWebSocketUrl`. */
  readonly url: string
  /** Where it listens. */
  readonly endpoints: Endpoint[]
  /** PEM of the authority that signed the media server's certificate. */
  readonly mediaCa: string
  /** The media server's host with its port. */
  readonly mediaHost: string
  /** The key a client must trust as the root of the server's certificate. */
  readonly rootKey: Uint8Array
  readonly faults: FaultControl
  readonly #deps: SimulatorDeps

  constructor(deps: SimulatorDeps) {
    const { network, server, authority } = deps
    this.url = server.url
    this.endpoints = [endpointOf(server.url), endpointOf(`https://${network.media.host}`)]
    this.mediaCa = authority.certificate
    this.mediaHost = network.media.host
    this.rootKey = network.keys.root.public
    this.faults = new FaultControl(network)
    this.#deps = deps
  }

  /** The client version that the server accepts. */
  get clientVersion(): [number, number, number] {
    return this.#network.versions.current
  }

  /** Numbers that have linked devices. */
  numbers(): LinkedNumber[] {
    return linkedNumbers(this.#network)
  }

  /** The phone scans a client's code. Resolves when the device is linked or the platform requires the passkey. */
  async linkByQr(qr: string, number: string): Promise<Accepted> {
    return await scanQr(this.#network, qr, toDigits(number))
  }

  /** The owner of the phone types a client's code. Waits for the client's request to arrive. */
  async linkByCode(number: string, code: string): Promise<Accepted> {
    const digits = toDigits(number)
    await this.until(() => pairingByCode(this.#network, digits), CODE_TIMEOUT_MS)
    return await enterCode(this.#network, digits, code)
  }

  /** The passkey of the number's owner. */
  passkey(number: string): OwnPasskey {
    return ownPasskey(this.#network, toDigits(number))
  }

  /** The phone with this number, created at the first call. */
  phone(number: string): Phone {
    return new Phone(this.#network, userOf(this.#network, toDigits(number)))
  }

  phones(): Phone[] {
    return [...this.#network.users.values()].map(user => new Phone(this.#network, user))
  }

  /** Assigns a number to an owner. Limits count all numbers of an owner together. */
  giveTo(owner: string, number: string): void {
    const user = userOf(this.#network, toDigits(number))
    user.owner = owner
    saveUser(this.#network, user)
  }

  /** Runs `work`: all it creates counts for the number's owner. */
  onBehalfOf<T>(number: string, work: () => T): T {
    return onBehalfOf(ownerOf(this.#network, toDigits(number)), work)
  }

  groups(): GroupHandle[] {
    return [...this.#network.groups.values()].map(group => new GroupHandle(this.#network, group))
  }

  channels(): ChannelHandle[] {
    return [...this.#network.channels.values()].map(channel => new ChannelHandle(this.#network, channel))
  }

  /** Creates a group, or finds the one with this JID. */
  group(wanted: GroupOptions | string): GroupHandle {
    const found = typeof wanted === 'string' ? this.#network.groups.get(wanted) : createGroup(this.#network, wanted)
    return new GroupHandle(this.#network, found)
  }

  /** Creates a community with its group for announcements. */
  community(wanted: Omit<GroupOptions, 'members'>): GroupHandle {
    return new GroupHandle(this.#network, createCommunity(this.#network, wanted))
  }

  /** Creates a channel, or finds the one with this JID. */
  channel(wanted: ChannelOptions | string): ChannelHandle {
    const found = typeof wanted === 'string' ? this.#network.channels.get(wanted) : createChannel(this.#network, wanted)
    return new ChannelHandle(this.#network, found)
  }

  /** Messages that a listed device did not get, or could not read and has not got since. */
  unread(): Unread[] {
    return this.#network.unread.all()
  }

  /** How the stanzas of the clients and the server differ from what the web client sends and understands. */
  get judgements(): Pick<Judgements, 'judged' | 'said' | 'differences' | 'known'> {
    return this.#network.judgements
  }

  /** Resolves with the first truthy result of `check`, which runs after every change. */
  async until<T>(check: () => T, timeoutMs?: number): Promise<NonNullable<T>> {
    return await this.#deps.watchers.until(check, timeoutMs)
  }

  /** Resolves when all changes so far are saved. */
  async saved(): Promise<void> {
    await this.#network.journal.saved()
  }

  async close(): Promise<void> {
    const { server, mediaServer, timers, network } = this.#deps
    timers.clear()
    mediaServer.closeAllConnections()
    await Promise.all([server.stop(), new Promise(resolve => mediaServer.close(resolve))])
    await network.journal.stop()
  }

  get #network(): Network {
    return this.#deps.network
  }
}

function endpointOf(url: string): Endpoint {
  const { hostname, port } = new URL(url)
  return { address: hostname, port: Number(port) }
}

export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  return await open(await openWorld(options), options)
}

/** The simulator with its server's state, for tests that send stanzas that no phone would send. */
export async function startOpenSimulator(options: SimulatorOptions = {}): Promise<Simulator & { network: Network }> {
  const world = await openWorld(options)
  return Object.assign(await open(world, options), { network: world.network })
}

async function open(world: World, options: SimulatorOptions): Promise<Simulator> {
  const { host = LOOPBACK, port = 0, mediaPort = 0, encode, onVisit } = options
  const mediaServer = await startMediaServer(world.network, world.authority, { host, port: mediaPort, onVisit })
  const server = await listen(world.network, { host, port, encode, onVisit })
  return new Simulator({ ...world, server, mediaServer })
}

export interface LinkedNumber {
  readonly digits: string
  readonly jid: string
  readonly lid: string
  readonly devices: readonly {
    readonly jid: string
    readonly connected: boolean
    /** Stanzas that the device has not acknowledged. */
    readonly unacknowledged: number
  }[]
}

/** Numbers that have linked devices, and the state of those devices. */
function linkedNumbers(network: Network): LinkedNumber[] {
  const linked = [...network.users.values()].filter(user => user.devices.size > 0)
  return linked.map(user => ({
    digits: user.digits,
    jid: numberJid(user.digits),
    lid: lidJid(user.lid),
    devices: [...user.devices.values()].map(device => ({
      jid: numberJid(user.digits, device.device),
      connected: device.connection !== undefined,
      unacknowledged: device.outbox.entries.size,
    })),
  }))
}
