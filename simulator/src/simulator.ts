import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { WebSocketServer } from 'ws'
import type { FaultControl } from './fault-control.ts'
import { createFaultControl } from './fault-control.ts'
import type { ChannelHandle, GroupHandle } from './handles.ts'
import { channelHandle, groupHandle } from './handles.ts'
import { toDigits } from './jid.ts'
import type { Entries, Journal } from './journal.ts'
import { createJournal, createVolatileJournal, loadEntries } from './journal.ts'
import { type LinkedNumber, linkedNumbers } from './linked-numbers.ts'
import { startMediaServer } from './media/media-server.ts'
import { createMediaStore } from './media/media-store.ts'
import type { Certificate } from './media/x509.ts'
import { createAuthority } from './media/x509.ts'
import type { Network, SimulatorLogger, Timing } from './network.ts'
import { ownerOf, saveUser, userOf } from './network.ts'
import { onBehalfOf } from './on-behalf.ts'
import type { Phone } from './phone/phone.ts'
import { phoneOf } from './phone/phone.ts'
import { restore } from './restore.ts'
import type { ChannelOptions } from './server/channel.ts'
import { createChannel } from './server/channel.ts'
import { createFaults } from './server/fault-plan.ts'
import type { GroupOptions } from './server/group.ts'
import { createGroup } from './server/group.ts'
import { hear } from './server/hear.ts'
import { enterCode, pairingByCode } from './server/link-code.ts'
import type { LinkedDevice } from './server/linked-device.ts'
import { forgetConnection, login } from './server/login.ts'
import { endPairing, scanQr, startPairing } from './server/pairing.ts'
import type { SimulatorStorage } from './storage.ts'
import { createShelf } from './shelf.ts'
import type { Timers, Watchers } from './waiting.ts'
import { createTimers, createWatchers } from './waiting.ts'
import type { ServerKeys } from './wire/certificate.ts'
import { createServerKeys } from './wire/certificate.ts'
import type { Connection, ConnectionEvents, Encode } from './wire/connection.ts'
import { acceptConnection } from './wire/connection.ts'

/** Where it listens. */
export interface Endpoint {
  readonly address: string
  readonly port: number
}

export interface SimulatorOptions {
  /** Default `127.0.0.1`. */
  readonly host?: string
  /** Default 0: a free one. */
  readonly port?: number
  /** The same for media. */
  readonly mediaPort?: number
  /** Without it everything is forgotten at the end. */
  readonly storage?: SimulatorStorage
  readonly timing?: Partial<Timing>
  readonly logger?: SimulatorLogger
  /** How many messages a phone holds; default 1,000. */
  readonly heldMessages?: number
  /** How many bytes all phones hold together; default 128 MB. */
  readonly heldBytes?: number
  /** How many people there are; default 20,000. */
  readonly maxContacts?: number
  /** How many stanzas may wait for a number that is not connected; default 10,000. */
  readonly maxWaiting?: number
  /** Whether phones send keys and history to newly linked devices; default true. */
  readonly historySync?: boolean
  /** How stanzas are written; default as the library does, which cannot write all that can be read. */
  readonly encode?: Encode
}

/** A server that speaks the platform's wire protocol, with the phones around it. */
export interface Simulator {
  /** For the client's `waWebSocketUrl`. */
  readonly url: string
  /** Where it listens. */
  readonly endpoints: Endpoint[]
  /** PEM of the authority that signed the media server's certificate. */
  readonly mediaCa: string
  /** Where it serves media, with the port: nothing else is asked for a file. */
  readonly mediaHost: string
  /** The key a client must trust as the root of the server's certificate. */
  readonly rootKey: Uint8Array
  /** Numbers that have linked devices. */
  numbers(): LinkedNumber[]
  /** The phone with these digits scans the code that a client shows. Resolves when the device is linked. */
  linkByQr(qr: string, digits: string): Promise<void>
  /** The owner of the phone types the code that a client shows; waits for the client's request to arrive. */
  linkByCode(digits: string, code: string): Promise<void>
  /** The phone with this number, made when first asked for. */
  phone(number: string): Phone
  /** Says which account a number is of: what its accounts make is counted together. */
  giveTo(owner: string, number: string): void
  /** What is made in `work` counts as made by whoever has the number. */
  onBehalfOf<T>(number: string, work: () => T): T
  /** How many stanzas may wait for a number that is not connected. */
  readonly maxWaiting: number
  /** Every phone there is. */
  phones(): Phone[]
  groups(): GroupHandle[]
  channels(): ChannelHandle[]
  /** Creates a group, or finds the one with this JID. */
  group(options: GroupOptions | string): GroupHandle
  /** Creates a channel, or finds the one with this JID. */
  channel(options: ChannelOptions | string): ChannelHandle
  readonly faults: FaultControl
  /** Resolves with the first truthy answer of `check`, which is asked whenever something has changed. */
  until<T>(check: () => T, timeoutMs?: number): Promise<NonNullable<T>>
  /** Resolves when everything that happened so far is saved. */
  settled(): Promise<void>
  close(): Promise<void>
}

const DEFAULT_TIMING: Timing = {
  ackDelayMs: 0,
  deliverDelayMs: 0,
  readDelayMs: 1000,
  liveUpdatesMs: 300_000,
}
const DEFAULTS = { heldMessages: 1000, heldBytes: 128 * 1024 * 1024, maxContacts: 20_000, maxWaiting: 10_000 }
const LOOPBACK = '127.0.0.1'

function saved<T>(entries: Entries, journal: Journal, key: string, create: () => T): T {
  const known = entries.get(key) as T | undefined
  if (known !== undefined) return known
  const made = create()
  journal.put(key, () => made)
  return made
}

function acceptAll(network: Network, sockets: WebSocketServer, encode: Encode | undefined): void {
  const devices = new Map<Connection, LinkedDevice>()
  sockets.on('connection', (socket, request) => {
    const events: ConnectionEvents = {
      onReady: connection => {
        if (connection.payload.devicePairingData) return startPairing(network, connection)
        const device = login(network, connection)
        network.changed()
        if (!device) return () => {}
        devices.set(connection, device)
        return stanza => hear(network, device, stanza)
      },
      onClosed: connection => {
        endPairing(network, connection)
        const device = devices.get(connection)
        devices.delete(connection)
        if (device) forgetConnection(device, connection)
        network.changed()
      },
      onError: error => network.logger?.warn({ reason: String(error) }, 'connection failed'),
    }
    acceptConnection(socket, request.socket, network.keys, events, encode)
  })
}

interface World {
  readonly network: Network
  readonly authority: Certificate
  readonly watchers: Watchers
  readonly timers: Timers
}

/** Everything behind the sockets: what was saved, or a new and empty world. */
async function openWorld(options: SimulatorOptions): Promise<World> {
  const { storage, logger } = options
  const entries: Entries = storage ? await loadEntries(storage) : new Map()
  const timers = createTimers()
  const watchers = createWatchers()
  const onFailure = (error: unknown): void => logger?.warn({ reason: String(error) }, 'state could not be saved')
  const journal = storage ? createJournal(storage, onFailure) : createVolatileJournal()
  const network: Network = {
    keys: saved<ServerKeys>(entries, journal, 'server', createServerKeys),
    users: new Map(),
    digitsByLid: new Map(),
    groups: new Map(),
    channels: new Map(),
    pairings: new Set(),
    journal,
    faults: createFaults(),
    media: createMediaStore(journal),
    timing: { ...DEFAULT_TIMING, ...options.timing },
    logger,
    heldMessages: options.heldMessages ?? DEFAULTS.heldMessages,
    shelf: createShelf(options.heldBytes ?? DEFAULTS.heldBytes),
    maxContacts: options.maxContacts ?? DEFAULTS.maxContacts,
    historySync: options.historySync ?? true,
    changed: watchers.changed,
    later: timers.later,
  }
  const authority = saved<Certificate>(entries, journal, 'authority', createAuthority)
  restore(network, entries)
  await journal.settled()
  return { network, authority, watchers, timers }
}

async function listen(
  network: Network,
  { host = LOOPBACK, port = 0, encode }: SimulatorOptions,
): Promise<{ url: string; stop(): Promise<void> }> {
  const http = createServer((_request, response) => response.writeHead(404).end())
  http.on('connection', socket => {
    if (network.faults.closedUntil > Date.now()) socket.destroy()
  })
  const sockets = new WebSocketServer({ server: http, path: '/ws/chat' })
  acceptAll(network, sockets, encode)
  await new Promise<void>((resolve, reject) => {
    http.once('error', reject)
    http.listen(port, host, resolve)
  })
  return {
    url: `ws://${host}:${(http.address() as AddressInfo).port}/ws/chat`,
    async stop() {
      for (const socket of sockets.clients) socket.terminate()
      await new Promise(resolve => sockets.close(resolve))
      await new Promise(resolve => http.close(resolve))
    },
  }
}

function endpointOf(url: string): Endpoint {
  const { hostname, port } = new URL(url)
  return { address: hostname, port: Number(port) }
}

export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  return await simulate(await openWorld(options), options)
}

/** The simulator together with all that its server knows, for whoever speaks on the wire as no phone does. */
export async function startOpenSimulator(options: SimulatorOptions = {}): Promise<Simulator & { network: Network }> {
  const world = await openWorld(options)
  return { ...(await simulate(world, options)), network: world.network }
}

async function simulate(world: World, options: SimulatorOptions): Promise<Simulator> {
  const { network, authority, watchers, timers } = world
  const mediaServer = await startMediaServer(network.media, network.faults, authority, {
    host: options.host ?? LOOPBACK,
    port: options.mediaPort ?? 0,
  })
  const server = await listen(network, options)
  return {
    url: server.url,
    endpoints: [endpointOf(server.url), endpointOf(`https://${network.media.host}`)],
    mediaCa: authority.certificate,
    mediaHost: network.media.host,
    rootKey: network.keys.root.public,
    numbers: () => linkedNumbers(network),
    linkByQr: (qr, number) => scanQr(network, qr, toDigits(number)),
    linkByCode: async (number, code) => {
      const digits = toDigits(number)
      await watchers.until(() => pairingByCode(network, digits))
      await enterCode(network, digits, code)
    },
    phone: number => phoneOf(network, userOf(network, toDigits(number))),
    giveTo: (owner, number) => {
      const user = userOf(network, toDigits(number))
      user.owner = owner
      saveUser(network, user)
    },
    onBehalfOf: (number, work) => onBehalfOf(ownerOf(network, toDigits(number)), work),
    maxWaiting: options.maxWaiting ?? DEFAULTS.maxWaiting,
    phones: () => [...network.users.values()].map(user => phoneOf(network, user)),
    groups: () => [...network.groups.values()].map(group => groupHandle(network, group)),
    channels: () => [...network.channels.values()].map(channel => channelHandle(network, channel)),
    group: group =>
      groupHandle(network, typeof group === 'string' ? network.groups.get(group) : createGroup(network, group)),
    channel: channel =>
      channelHandle(
        network,
        typeof channel === 'string' ? network.channels.get(channel) : createChannel(network, channel),
      ),
    faults: createFaultControl(network),
    until: watchers.until,
    settled: () => network.journal.settled(),
    async close() {
      timers.clear()
      mediaServer.closeAllConnections()
      await Promise.all([server.stop(), new Promise(resolve => mediaServer.close(resolve))])
      await network.journal.stop()
    },
  }
}
