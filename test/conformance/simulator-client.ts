import { Agent as HttpsAgent } from 'node:https'
import type { Simulator } from '@postern/simulator'
import {
  type AuthenticationState,
  type BinaryNode,
  Browsers,
  DisconnectReason,
  type GroupMetadata,
  initAuthCreds,
  makeWASocket,
  type SignalDataTypeMap,
  WA_CERT_DETAILS,
  type WAMessage,
  type WASocket,
} from 'baileys'
import { replaceCurve } from '../../src/platform/whatsapp/engine/curve.ts'
import { Agent } from 'undici'
import { Deferred } from '../../src/runtime/deferred.ts'
import { requestCode } from '../../src/platform/whatsapp/pairing/code-request.ts'

/**
 * The engine answers `true` for every signature; the conformance suite must not. libsignal also prints sessions with
 * their private keys, which must not reach the output.
 */
export function prepareEngine(): void {
  replaceCurve()
  for (const method of ['info', 'warn', 'error', 'log'] as const) console[method] = () => {}
}

/** Sets the server root that the engine trusts from now on. */
export function trust(simulator: Simulator): void {
  WA_CERT_DETAILS.PUBLIC_KEY = Buffer.from(simulator.rootKey)
}

const silent = {
  level: 'silent',
  child: () => silent,
  trace: () => {},
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
}

function createAuth(): AuthenticationState {
  const stored = new Map<string, unknown>()
  return {
    creds: initAuthCreds(),
    keys: {
      get: async <T extends keyof SignalDataTypeMap>(type: T, ids: string[]) => {
        const found: Record<string, SignalDataTypeMap[T]> = {}
        for (const id of ids) {
          const value = stored.get(`${type}/${id}`)
          if (value !== undefined) found[id] = value as SignalDataTypeMap[T]
        }
        return found
      },
      set: async data => {
        for (const [type, entries] of Object.entries(data)) {
          for (const [id, value] of Object.entries(entries ?? {})) {
            if (value === null || value === undefined) stored.delete(`${type}/${id}`)
            else stored.set(`${type}/${id}`, value)
          }
        }
      },
    },
  }
}

export interface Client {
  readonly socket: WASocket
  readonly auth: AuthenticationState
  /** Everything that the engine emitted as messages, before its buffer. */
  readonly messages: WAMessage[]
  /** What the engine emitted as history. */
  readonly history: { readonly messages: WAMessage[] }[]
  /** Raw stanzas by tag. */
  readonly stanzas: BinaryNode[]
  /** Resolves with the status code of the end of the link. */
  readonly closed: Promise<number>
  waitFor<T>(check: () => T | undefined | false): Promise<T>
  end(): Promise<void>
}

export interface ClientOptions {
  readonly sent?: Map<string, object>
  readonly keepAliveIntervalMs?: number
  /** The newest one when absent. */
  readonly version?: [number, number, number]
}

interface Connecting {
  readonly client: Client
  readonly opened: Promise<void>
}

const STANZAS = ['message', 'receipt', 'ack', 'notification', 'call', 'presence', 'chatstate', 'ib']

/**
 * If members are addressed by hidden identifiers, the engine would name itself among the recipients: its phone is given
 * instead.
 */
async function withoutSelf(socket: WASocket, jid: string): Promise<GroupMetadata> {
  const group = await socket.groupMetadata(jid)
  const own = socket.authState.creds.me?.lid?.replace(/:.*/, '')
  const named = (id: string): string => (id === `${own}@lid` ? `${own}:0@lid` : id)
  return { ...group, participants: group.participants.map(member => ({ ...member, id: named(member.id) })) }
}

function connect(
  simulator: Simulator,
  auth: AuthenticationState,
  onQr: (qr: string, socket: WASocket) => void,
  options: ClientOptions,
): Connecting {
  const tls = { ca: simulator.mediaCa }
  const socket = makeWASocket({
    auth,
    logger: silent as never,
    waWebSocketUrl: simulator.url,
    version: options.version ?? simulator.clientVersion,
    markOnlineOnConnect: false,
    emitOwnEvents: false,
    // The engine would fetch parts that are files from the servers of the real platform.
    shouldSyncHistoryMessage: ({ directPath }) => !directPath,
    keepAliveIntervalMs: options.keepAliveIntervalMs ?? 600_000,
    fetchAgent: new HttpsAgent(tls) as never,
    options: { dispatcher: new Agent({ connect: tls }) } as never,
    getMessage: async key => options.sent?.get(key.id ?? '') as never,
    cachedGroupMetadata: jid => withoutSelf(socket, jid),
  })
  const messages: WAMessage[] = []
  const stanzas: BinaryNode[] = []
  const history: { readonly messages: WAMessage[] }[] = []
  const watchers = new Set<() => void>()
  const changed = (): void => {
    for (const watcher of watchers) watcher()
  }
  const emit = socket.ev.emit.bind(socket.ev)
  socket.ev.emit = (event, data) => {
    if (event === 'messages.upsert') messages.push(...(data as { messages: WAMessage[] }).messages)
    if (event === 'messaging-history.set') history.push(data as { messages: WAMessage[] })
    const result = emit(event, data)
    changed()
    return result
  }
  for (const tag of STANZAS) {
    socket.ws.on(`CB:${tag}`, (stanza: BinaryNode) => {
      stanzas.push(stanza)
      changed()
    })
  }
  socket.ev.on('creds.update', update => Object.assign(auth.creds, update))
  let close: (code: number) => void = () => {}
  const closed = new Promise<number>(resolve => {
    close = resolve
  })
  const opened = new Promise<void>((resolve, reject) => {
    socket.ev.on('connection.update', update => {
      if (update.qr) onQr(update.qr, socket)
      if (update.connection === 'open') resolve()
      if (update.connection !== 'close') return
      const error = update.lastDisconnect?.error as { output?: { statusCode?: number } } | undefined
      close(error?.output?.statusCode ?? 0)
      reject(update.lastDisconnect?.error ?? new Error('closed'))
    })
  })
  opened.catch(() => {})
  const waitFor: Client['waitFor'] = check =>
    new Promise(resolve => {
      const watcher = (): void => {
        const found = check()
        if (!found) return
        watchers.delete(watcher)
        resolve(found)
      }
      watchers.add(watcher)
      watcher()
    })
  const end = async (): Promise<void> => {
    await socket.end(undefined)
  }
  return { client: { socket, auth, messages, history, stanzas, closed, waitFor, end }, opened }
}

/** Links a new client to a number by QR and logs it in. */
export async function linkClient(simulator: Simulator, digits: string, options: ClientOptions = {}): Promise<Client> {
  const auth = createAuth()
  let linked: Promise<unknown> | undefined
  const { client } = connect(
    simulator,
    auth,
    qr => {
      linked ??= simulator.linkByQr(qr, digits)
    },
    options,
  )
  const code = await client.closed
  await linked
  if (code !== DisconnectReason.restartRequired) throw new Error(`pairing ended with ${code}`)
  return openClient(simulator, auth, options)
}

/** Links a new client to a number by a code that is shown and entered. */
export async function linkClientByCode(
  simulator: Simulator,
  digits: string,
  typed: (code: string) => string = code => code,
  leaves = false,
): Promise<Client> {
  const auth = createAuth()
  let linked: Promise<unknown> | undefined
  const { client } = connect(
    simulator,
    auth,
    (_qr, socket) => {
      linked ??= askForCode(socket, auth, digits).then(code => simulator.linkByCode(digits, typed(code)))
      linked.catch(() => socket.end(undefined))
      if (leaves) socket.ws.on('CB:notification,type:link_code_companion_reg', () => void socket.end(undefined))
    },
    {},
  )
  await client.closed
  await linked
  return openClient(simulator, auth)
}

/** The engine's own request would be refused: its nonce is not the platform's. */
async function askForCode(socket: WASocket, { creds }: AuthenticationState, digits: string): Promise<string> {
  const answer = await requestCode({ sock: socket, creds, browser: Browsers.macOS('Chrome') }, digits)
  if (answer.kind === 'refused') throw new Error(`no code: ${answer.status}`)
  return answer.code
}

/** A new client that shows a code without a scan. */
export function showCode(simulator: Simulator, options: ClientOptions = {}): { client: Client; qr: Promise<string> } {
  const shown = new Deferred<string>()
  const { client } = connect(simulator, createAuth(), qr => shown.resolve(qr), options)
  return { client, qr: shown.promise }
}

/** Logs a linked client in and waits until it is open. */
export async function openClient(
  simulator: Simulator,
  auth: AuthenticationState,
  options: ClientOptions = {},
): Promise<Client> {
  const { client, opened } = connect(simulator, auth, () => {}, options)
  await opened
  return client
}

/** From now on received messages count as delivered; the engine itself does not go online without a name. */
export function goOnline({ socket }: Client): void {
  socket.ev.emit('connection.update', { isOnline: true })
}

/** Logs a linked client in without waiting. */
export function startClient(simulator: Simulator, auth: AuthenticationState, options: ClientOptions = {}): Client {
  return connect(simulator, auth, () => {}, options).client
}

/** The address of a contact for a client: the platform accepts no number. */
export const hidden = (simulator: Simulator, digits: string): string => simulator.phone(digits).lid
