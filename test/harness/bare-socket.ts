import { Agent as HttpsAgent } from 'node:https'
import type { Simulator } from '@postern/simulator'
import {
  type BaileysEventMap,
  type BinaryNode,
  makeWASocket,
  type SignalDataSet,
  type SignalKeyStore,
  type WAMessage,
  type WASocket,
} from 'baileys'
import { Agent } from 'undici'
import type { LinkedDevice } from '../../src/platform/platform.ts'
import { decodeCreds, decodeKey } from '../../src/platform/whatsapp/device/key-codec.ts'

/** The library without the adapter's repairs, and what it emits to its listeners. */
export interface BareSocket {
  readonly sock: WASocket
  /** What listeners of the library's emitter receive. */
  readonly listened: Array<{ [Name in keyof BaileysEventMap]: [Name, BaileysEventMap[Name]] }[keyof BaileysEventMap]>
  /** What the library emits, before its buffer. */
  readonly emitted: Array<[string, unknown]>
  /** Stanzas as they arrive, by tag. */
  readonly stanzas: BinaryNode[]
  /** Options with which it reaches the media server. */
  readonly http: RequestInit
  /** Frames written and messages emitted, in order. */
  readonly order: string[]
  messages(): WAMessage[]
  end(): Promise<void>
}

const LISTENED = ['messages.upsert', 'messages.update', 'message-receipt.update', 'presence.update', 'call'] as const
const STANZAS = ['ack', 'receipt', 'message', 'call', 'notification', 'chatstate']

const silent = {
  level: 'silent',
  child: () => silent,
  trace: () => {},
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
}

export async function openBareSocket(simulator: Simulator, device: LinkedDevice): Promise<BareSocket> {
  const tls = { ca: simulator.mediaCa }
  const http = { dispatcher: new Agent({ connect: tls }) } as unknown as RequestInit
  const sock = makeWASocket({
    auth: { creds: decodeCreds(device.creds), keys: memoryKeys(device) },
    logger: silent,
    waWebSocketUrl: simulator.url,
    version: simulator.clientVersion,
    emitOwnEvents: false,
    fetchAgent: new HttpsAgent(tls),
    options: http,
  })
  const bare: BareSocket = {
    sock,
    http,
    listened: [],
    emitted: [],
    stanzas: [],
    order: [],
    messages: () =>
      bare.listened.flatMap(([name, data]) =>
        name === 'messages.upsert' ? (data as { messages: WAMessage[] }).messages : [],
      ),
    end: () => sock.end(undefined),
  }
  for (const name of LISTENED) sock.ev.on(name, data => bare.listened.push([name, data] as never))
  for (const tag of STANZAS) sock.ws.on(`CB:${tag}`, (stanza: BinaryNode) => bare.stanzas.push(stanza))
  const emit = sock.ev.emit.bind(sock.ev)
  sock.ev.emit = (name, data) => {
    bare.emitted.push([name, data])
    if (name === 'messages.upsert') bare.order.push('message')
    return emit(name, data)
  }
  const raw = (sock.ws as unknown as { socket: { send(...words: unknown[]): void } }).socket
  const send = raw.send.bind(raw)
  raw.send = (...words) => {
    bare.order.push('frame')
    send(...words)
  }
  await sock.waitForConnectionUpdate(async ({ connection }) => connection === 'open')
  return bare
}

function memoryKeys(device: LinkedDevice): SignalKeyStore {
  const values = new Map<string, unknown>()
  for (const { category, id, value } of device.keys)
    if (value) values.set(`${category}/${id}`, decodeKey(category, value))
  const store = {
    get: async (category: string, ids: string[]) =>
      Object.fromEntries(
        ids.map(id => [id, values.get(`${category}/${id}`)]).filter(([, value]) => value !== undefined),
      ),
    set: async (data: SignalDataSet) => {
      for (const [category, entries] of Object.entries(data))
        for (const [id, value] of Object.entries(entries ?? {})) {
          if (value === null || value === undefined) values.delete(`${category}/${id}`)
          else values.set(`${category}/${id}`, value)
        }
    },
  }
  return store as unknown as SignalKeyStore
}
