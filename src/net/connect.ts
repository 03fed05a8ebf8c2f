import type { Socket } from 'node:net'
import { connect as connectTls, type SecureContext } from 'node:tls'
import type { buildConnector } from 'undici'
import type { TargetPolicy } from './address-guard.ts'
import { hostAddress, isAllowedAddress, isOwnAddress, withoutFinalDot } from './address-guard.ts'
import { dialFirst } from './dial.ts'
import type { Phase } from '../domain/exchange-failure.ts'
import { failed, failureOfConnecting, TargetError, timedOut } from './failure.ts'
import type { Lookup } from './resolve.ts'

export interface ConnectOptions {
  readonly policy: TargetPolicy
  readonly lookup: Lookup
  readonly timeoutMs: number
  readonly secureContext: SecureContext
  /** The bytes that a response may have, with headers and framing, before the socket is destroyed. */
  readonly maxAnswerBytes: number
}

/** The requests that use the connection. */
export interface ConnectionUser {
  /** Whether a request is waiting for a connection. */
  isWanted(): boolean
  onPhase(phase: Phase): void
}

/** Opens the sockets of one origin for undici. */
export function createConnector(options: ConnectOptions, user: ConnectionUser): buildConnector.connector {
  return (target, callback) => {
    const { protocol, hostname, port } = target
    // After a request was cancelled, undici would connect again for it.
    const opening = user.isWanted()
      ? openSocket({ protocol, hostname, port }, options, user.onPhase)
      : Promise.reject(new TargetError(failed('reset')))
    opening.then(
      socket => {
        limitAnswers(socket, options.maxAnswerBytes)
        callback(null, socket)
      },
      (error: unknown) => callback(error as Error, null),
    )
  }
}

export interface SocketTarget {
  readonly protocol: string
  /** A name or an address, without brackets. */
  readonly hostname: string
  /** Empty for the default port of the protocol. */
  readonly port: string
}

/**
 * Resolves the name, rejects it if any of its addresses is forbidden, and dials the checked addresses themselves, so that
 * a name that changes in between gains nothing. Rejects with TargetError and nothing else.
 */
export async function openSocket(
  target: SocketTarget,
  options: Omit<ConnectOptions, 'maxAnswerBytes'>,
  onPhase: (phase: Phase) => void = () => {},
): Promise<Socket> {
  let phase: Phase = 'dns'
  const enter = (next: Phase) => onPhase((phase = next))
  const abort = new AbortController()
  const timer = setTimeout(() => abort.abort(new TargetError(timedOut(phase))), options.timeoutMs)
  const secure = target.protocol === 'https:'
  const port = target.port === '' ? (secure ? 443 : 80) : Number(target.port)
  try {
    enter('dns')
    const addresses = await unlessAborted(vettedAddresses(target.hostname, port, options), abort.signal)
    enter('connect')
    const socket = await dialFirst(addresses, port, abort.signal)
    if (!secure) return socket
    enter('tls')
    return await handshake(socket, target.hostname, options.secureContext, abort.signal)
  } finally {
    clearTimeout(timer)
  }
}

async function vettedAddresses(
  hostname: string,
  port: number,
  options: Pick<ConnectOptions, 'lookup' | 'policy'>,
): Promise<string[]> {
  const literal = hostAddress(hostname)
  const addresses = literal === undefined ? await options.lookup(hostname) : [literal]
  const allowed = (ip: string) => isAllowedAddress(ip, options.policy) && !isOwnAddress(ip, port, options.policy)
  if (!addresses.every(allowed)) throw new TargetError(failed('address_not_allowed'))
  return addresses
}

/** Secures an open connection; rejects with TargetError. */
export function handshake(
  socket: Socket,
  hostname: string,
  secureContext: SecureContext,
  signal: AbortSignal,
): Promise<Socket> {
  const host = withoutFinalDot(hostname)
  const servername = hostAddress(host) === undefined ? host : ''
  return new Promise((resolve, reject) => {
    const secured = connectTls({ socket, host, servername, secureContext, ALPNProtocols: ['http/1.1'] })
    const fail = (error: unknown) => {
      signal.removeEventListener('abort', giveUp)
      secured.destroy()
      socket.destroy()
      reject(new TargetError(failureOfConnecting(error, 'tls')))
    }
    const giveUp = () => fail(signal.reason)
    signal.addEventListener('abort', giveUp)
    secured.on('error', fail)
    secured.once('secureConnect', () => {
      signal.removeEventListener('abort', giveUp)
      secured.off('error', fail)
      resolve(secured)
    })
  })
}

/**
 * Destroys a socket that receives more than it may for one request, in whatever form: body, headers, interim responses,
 * chunk extensions. Each outgoing request resets the count.
 */
function limitAnswers(socket: Socket, maxBytes: number): void {
  let written = 0
  let seen = 0
  let base = 0
  socket.on('readable', () => {
    if (socket.bytesWritten !== written) base = seen
    written = socket.bytesWritten
    seen = socket.bytesRead
    if (seen - base > maxBytes) socket.destroy(new TargetError(failed('invalid_response')))
  })
}

function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    work.then(resolve, reject)
  })
}
