import { setTimeout as sleep } from 'node:timers/promises'
import type { LinkChange } from '../../platform.ts'
import { type Connection, connect, type Surroundings } from './connection.ts'
import { type DeviceState, type DeviceStateHooks, MissingCredentials } from '../device/device-state.ts'
import type { Ending } from './ending.ts'

/** Keeps a device connected for as long as the platform takes it. */
export interface Link {
  /** The connection that is open now. */
  current(): Connection | undefined
  /** There will never be a connection: nobody need wait for one. */
  isOver?(): boolean
  state(): DeviceState | undefined
  /** Ends for good; nothing is written after it resolves. */
  close(): Promise<void>
}

export interface LinkOptions {
  around: Omit<Surroundings, 'onOpen'>
  load(hooks: DeviceStateHooks): Promise<DeviceState>
  onLink(change: LinkChange): void
  onOpen(connection: Connection): void
  backoff: Backoff
}

/** Waits in milliseconds: the first one doubles with every failure in a row, up to the last. */
export interface Backoff {
  lost: readonly [first: number, last: number]
  replaced: readonly [first: number, last: number]
}

// A platform that asks for logins on and on is in trouble like any other.
const MAX_RESTARTS = 5

export function keepLinked(options: LinkOptions): Link {
  const closing = new AbortController()
  let state: DeviceState | undefined
  let connection: Connection | undefined
  let failures = 0
  let restarts = 0

  const loadState = async (): Promise<DeviceState> => {
    if (state && !state.journal.hasEnded()) return state
    // What is being written still may be there afterwards.
    await state?.journal.settled()
    const loaded = await options.load({
      onCommitted: () => connection?.release(),
      onFailure: () => connection?.end({ kind: 'lost', reason: 'the state of the device could not be written' }),
    })
    state = loaded
    return loaded
  }
  const attempt = async (): Promise<Ending> => {
    try {
      const loaded = await loadState()
      if (closing.signal.aborted) return { kind: 'lost', reason: 'closed' }
      connection = connect(loaded, { ...options.around, onOpen: opened })
      return await connection.ended
    } catch (error) {
      if (error instanceof MissingCredentials) return { kind: 'logged_out', reason: error.message }
      return { kind: 'lost', reason: 'the state of the device could not be read' }
    }
  }
  const opened = (connected: Connection): void => {
    failures = 0
    restarts = 0
    options.onLink({ state: 'open' })
    options.onOpen(connected)
  }
  const pause = async (ending: Ending): Promise<void> => {
    const waitMs = waitAfter(ending, failures, options.backoff)
    failures += 1
    await sleep(waitMs, undefined, { signal: closing.signal }).catch(() => {})
  }
  const run = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      const ending = await attempt()
      connection = undefined
      if (closing.signal.aborted) return
      if (ending.kind === 'restart' && restarts++ < MAX_RESTARTS) continue
      const { reason } = ending
      options.onLink(ending.kind === 'logged_out' ? { state: 'logged_out', reason } : { state: 'closed', reason })
      if (ending.kind === 'logged_out') return
      await pause(ending)
    }
  }

  const running = run()
  return {
    current: () => (connection?.isOpen() ? connection : undefined),
    state: () => state,
    async close() {
      closing.abort()
      connection?.end({ kind: 'lost', reason: 'closed' })
      await running
      await state?.journal.settled()
      state?.journal.abandon()
    },
  }
}

function waitAfter(ending: Ending, failures: number, backoff: Backoff): number {
  // Nothing changes by itself after a refusal: only a new session, which a restart opens, is tried again.
  if (ending.kind === 'refused') return 2 ** 31 - 1
  const [first, last] = ending.kind === 'replaced' ? backoff.replaced : backoff.lost
  const waitMs = Math.min(last, first * 2 ** Math.min(failures, 20))
  return waitMs * (0.5 + Math.random() / 2)
}
