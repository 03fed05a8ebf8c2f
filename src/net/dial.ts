import { connect as connectTcp, type Socket } from 'node:net'
import { failureOfConnecting, TargetError } from './failure.ts'

// All addresses of a name are checked, but only this many are dialled.
const MAX_ADDRESSES_TRIED = 4
const STAGGER_MS = 250

/** Tries the addresses in turn, the next after a failure or a quarter of a second; the first to connect wins. */
export function dialFirst(addresses: readonly string[], port: number, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    new Dialling(addresses.slice(0, MAX_ADDRESSES_TRIED), port, signal, { resolve, reject }).begin()
  })
}

interface Outcome {
  resolve(socket: Socket): void
  reject(error: unknown): void
}

class Dialling {
  readonly #waiting: string[]
  readonly #port: number
  readonly #signal: AbortSignal
  readonly #outcome: Outcome
  readonly #sockets = new Set<Socket>()
  #stagger: NodeJS.Timeout | undefined

  constructor(addresses: string[], port: number, signal: AbortSignal, outcome: Outcome) {
    this.#waiting = addresses
    this.#port = port
    this.#signal = signal
    this.#outcome = outcome
  }

  begin(): void {
    if (this.#signal.aborted) return this.#giveUp()
    this.#signal.addEventListener('abort', this.#giveUp)
    this.#dialNext()
  }

  #dialNext(): void {
    clearTimeout(this.#stagger)
    const host = this.#waiting.shift()
    if (host === undefined) return
    const socket = connectTcp({
      host,
      port: this.#port,
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: 15_000,
    })
    this.#sockets.add(socket)
    socket.once('connect', () => this.#connected(socket))
    socket.once('error', error => this.#failed(socket, error))
    if (this.#waiting.length > 0) this.#stagger = setTimeout(() => this.#dialNext(), STAGGER_MS)
  }

  #connected(socket: Socket): void {
    this.#sockets.delete(socket)
    socket.removeAllListeners('error')
    this.#finish()
    this.#outcome.resolve(socket)
  }

  #failed(socket: Socket, error: Error): void {
    this.#sockets.delete(socket)
    if (this.#waiting.length > 0) return this.#dialNext()
    if (this.#sockets.size > 0) return
    this.#finish()
    this.#outcome.reject(new TargetError(failureOfConnecting(error, 'connect')))
  }

  readonly #giveUp = (): void => {
    this.#finish()
    this.#outcome.reject(this.#signal.reason)
  }

  #finish(): void {
    clearTimeout(this.#stagger)
    this.#signal.removeEventListener('abort', this.#giveUp)
    for (const socket of this.#sockets) socket.destroy()
  }
}
