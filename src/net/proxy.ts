import { request } from 'node:http'
import { isIP, type Socket } from 'node:net'
import { createSecureContext, type SecureContext } from 'node:tls'
import ipaddr from 'ipaddr.js'
import { type Proxy, proxyName } from '../domain/proxy.ts'
import { getOwn } from '../runtime/get-own.ts'
import type { Clock } from '../runtime/clock.ts'
import type { TargetPolicy } from './address-guard.ts'
import { handshake, openSocket } from './connect.ts'
import { failureOfExchange, TargetError } from './failure.ts'
import { MAX_HEADER_BYTES } from './origin.ts'
import { createLookup } from './resolve.ts'

/** A connection through a proxy could not be opened. The message names the proxy without its credentials. */
export class ProxyError extends Error {
  override name = 'ProxyError'
  /** Whether the proxy is at fault, or what is behind it. */
  readonly at: 'proxy' | 'target'

  constructor(proxy: Proxy, at: 'proxy' | 'target', why: string) {
    const name = proxyName(proxy)
    super(
      at === 'proxy' ? `the proxy ${name} ${why}` : `the platform cannot be reached through the proxy ${name}: ${why}`,
    )
    this.at = at
  }
}

export interface TunnelTarget {
  readonly host: string
  readonly port: number
  /** With what the connection is secured; `undefined` for a plain one. */
  readonly secureContext: SecureContext | undefined
}

/** Opens a connection to the target through the proxy, and never without it. Rejects only with ProxyError. */
export type OpenTunnel = (proxy: Proxy, target: TunnelTarget, signal: AbortSignal) => Promise<Socket>

/** How long it may take to reach the proxy, and then the target. Both are less than a link waits for its first frame. */
const DIAL_MS = 8_000
const TUNNEL_MS = 10_000
const DNS_BUDGET_MS = 5_000

export function createTunnels(policy: TargetPolicy, clock: Pick<Clock, 'monotonicMs'>): OpenTunnel {
  const lookup = createLookup({ clock, budgetMs: DNS_BUDGET_MS })
  const secureContext = createSecureContext({ minVersion: 'TLSv1.2' })
  const dial = { policy, lookup, secureContext, timeoutMs: DIAL_MS }
  return async (proxy, target, signal) => {
    const socket = await reachProxy(proxy, dial)
    // Reads and writes notice that it is closed.
    socket.on('error', () => {})
    const limit = AbortSignal.any([signal, AbortSignal.timeout(TUNNEL_MS)])
    const cut = (): void => void socket.destroy()
    limit.addEventListener('abort', cut, { once: true })
    try {
      limit.throwIfAborted()
      const tunnel = await (isSocks(proxy) ? askSocks : askHttp)(socket, proxy, target)
      return await secured(tunnel, proxy, target, limit)
    } catch (error) {
      socket.destroy()
      if (error instanceof ProxyError) throw error
      throw new ProxyError(proxy, 'proxy', limit.aborted ? 'does not answer in time' : 'closes the connection')
    } finally {
      limit.removeEventListener('abort', cut)
    }
  }
}

const isSocks = ({ scheme }: Proxy): boolean => scheme === 'socks5' || scheme === 'socks5h'

async function reachProxy(proxy: Proxy, dial: Parameters<typeof openSocket>[1]): Promise<Socket> {
  const protocol = proxy.scheme === 'https' ? 'https:' : 'http:'
  try {
    return await openSocket({ protocol, hostname: proxy.host, port: String(proxy.port) }, dial)
  } catch (error) {
    const why = error instanceof TargetError ? error.failure.text : 'the connection could not be opened'
    throw new ProxyError(proxy, 'proxy', `cannot be reached: ${why}`)
  }
}

async function secured(socket: Socket, proxy: Proxy, target: TunnelTarget, signal: AbortSignal): Promise<Socket> {
  if (target.secureContext === undefined) return socket
  try {
    return await handshake(socket, target.host, target.secureContext, signal)
  } catch (error) {
    throw new ProxyError(
      proxy,
      'target',
      error instanceof TargetError ? error.failure.text : 'the TLS handshake failed',
    )
  }
}

const [SOCKS, AUTH_VERSION, CONNECT] = [5, 1, 1]
const [NO_AUTH, PASSWORD] = [0, 2]
const [IPV4, NAME, IPV6] = [1, 3, 4]

const SOCKS_REPLIES: Record<string, string> = {
  2: 'the proxy does not allow it',
  3: 'the network is unreachable',
  4: 'the host is unreachable',
  5: 'the connection is refused',
  6: 'the connection takes too long',
}

/** RFC 1928 and 1929. The proxy gets names as they are, so that no name of the platform is looked up here. */
async function askSocks(socket: Socket, proxy: Proxy, { host, port }: TunnelTarget): Promise<Socket> {
  const { credentials } = proxy
  const methods = credentials === null ? [NO_AUTH] : [NO_AUTH, PASSWORD]
  socket.write(Buffer.from([SOCKS, methods.length, ...methods]))
  const [version, method] = await read(socket, 2)
  if (version !== SOCKS) throw new ProxyError(proxy, 'proxy', 'does not speak SOCKS5')
  if (method === PASSWORD && credentials !== null) {
    const [user, password] = [Buffer.from(credentials.username), Buffer.from(credentials.password)]
    const lengthOf = (bytes: Buffer): Buffer => Buffer.from([bytes.length])
    socket.write(Buffer.concat([Buffer.from([AUTH_VERSION]), lengthOf(user), user, lengthOf(password), password]))
    if ((await read(socket, 2))[1] !== 0) throw new ProxyError(proxy, 'proxy', 'rejects the user name or the password')
  } else if (method !== NO_AUTH) {
    throw new ProxyError(
      proxy,
      'proxy',
      credentials === null ? 'needs a user name and a password' : 'accepts no user name and password',
    )
  }
  socket.write(
    Buffer.concat([Buffer.from([SOCKS, CONNECT, 0]), addressOf(host), Buffer.from([port >> 8, port & 0xff])]),
  )
  const [, reply = 0, , addressType] = await read(socket, 4)
  if (reply !== 0) {
    const why = getOwn(SOCKS_REPLIES, String(reply)) ?? `the proxy reports failure ${reply}`
    throw new ProxyError(proxy, 'target', why)
  }
  const addressBytes = addressType === IPV4 ? 4 : addressType === IPV6 ? 16 : (await read(socket, 1))[0]!
  await read(socket, addressBytes + 2)
  return socket
}

function addressOf(host: string): Buffer {
  if (isIP(host) === 0) return Buffer.concat([Buffer.from([NAME, Buffer.byteLength(host)]), Buffer.from(host)])
  return Buffer.from([isIP(host) === 4 ? IPV4 : IPV6, ...ipaddr.parse(host).toByteArray()])
}

/** Exactly this many bytes; what follows stays in the socket. */
async function read(socket: Socket, bytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  for (let missing = bytes; missing > 0; ) {
    // A socket with fewer bytes than are read would emit `readable` over and over.
    const chunk = socket.read(Math.min(missing, Math.max(1, socket.readableLength))) as Buffer | null
    if (chunk !== null) {
      chunks.push(chunk)
      missing -= chunk.length
    } else if (socket.readableEnded || socket.destroyed) throw new Error('the connection was closed')
    else await nextChange(socket)
  }
  return Buffer.concat(chunks)
}

const nextChange = (socket: Socket): Promise<void> =>
  new Promise(resolve => {
    const changed = (): void => {
      for (const event of ['readable', 'end', 'close']) socket.off(event, changed)
      resolve()
    }
    for (const event of ['readable', 'end', 'close']) socket.on(event, changed)
  })

function askHttp(socket: Socket, proxy: Proxy, { host, port }: TunnelTarget): Promise<Socket> {
  const { credentials } = proxy
  const authority = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`
  const basic = credentials && Buffer.from(`${credentials.username}:${credentials.password}`).toString('base64')
  return new Promise((resolve, reject) => {
    const client = request({
      createConnection: () => socket,
      method: 'CONNECT',
      path: authority,
      headers: { host: authority, ...(basic !== null && { 'proxy-authorization': `Basic ${basic}` }) },
      maxHeaderSize: MAX_HEADER_BYTES,
    })
    client.on('error', error => {
      const isMalformed = failureOfExchange(error).kind === 'invalid_response'
      reject(isMalformed ? new ProxyError(proxy, 'proxy', 'does not answer as an HTTP proxy') : error)
    })
    client.once('close', () => reject(new Error('the connection was closed')))
    client.once('connect', ({ statusCode = 0 }, _socket, head) => {
      if (statusCode >= 200 && statusCode < 300) {
        if (head.length > 0) socket.unshift(head)
        return resolve(socket)
      }
      const needed = credentials === null ? 'needs a user name and a password' : 'rejects the user name or the password'
      reject(
        statusCode === 407
          ? new ProxyError(proxy, 'proxy', needed)
          : new ProxyError(proxy, 'target', `the proxy answers ${statusCode}`),
      )
    })
    client.end()
  })
}
