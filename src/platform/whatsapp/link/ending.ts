import { ProxyError } from '../../../net/proxy.ts'
import { describeMissed, missedConfirmation } from '../received/owed.ts'

/** Why a connection ended, which determines what follows. */
export type Ending =
  /** The platform requests an immediate new login; this is no failure. */
  | { kind: 'restart'; reason: string }
  /** A temporary failure. */
  | { kind: 'lost'; reason: string }
  /** A temporary failure: the platform is overloaded and asks clients to wait. */
  | { kind: 'busy'; reason: string }
  /** A temporary failure: the number's proxy cannot be reached, or does not reach the platform. */
  | { kind: 'proxy'; reason: string }
  /** Another process has logged in as this device. */
  | { kind: 'replaced'; reason: string }
  /** The platform rejects logins until then, and an earlier attempt prolongs the wait. */
  | { kind: 'paused'; reason: string; untilMs: number; isBan?: true }
  /**
   * A retry does not help until the gateway is upgraded or the number is paired again; with `isOutdated`, until a newer
   * version of the web client is known.
   */
  | { kind: 'refused'; reason: string; isOutdated?: true }
  | { kind: 'logged_out'; reason: string; isBan?: true }

const UNLINKED: Ending = { kind: 'logged_out', reason: 'the device was unlinked' }
const OUTDATED: Ending = {
  kind: 'refused',
  reason: 'the platform no longer accepts this version of its web client',
  isOutdated: true,
}

const refusedWith = (code: number): [number, Ending] => [
  code,
  { kind: 'refused', reason: `the platform refused the login (${code}); a retry does not help` },
]

/**
 * By the reason of a login that failed. The platform's own web client knows 412 to 419 too and does not log in again
 * after them, whatever they mean.
 */
const FAILURES: ReadonlyMap<number, Ending> = new Map<number, Ending>([
  ...[400, 412, 413, 414, 416, 417, 419, 501].map(refusedWith),
  [401, UNLINKED],
  [403, { kind: 'logged_out', reason: 'the platform has locked or banned the number', isBan: true }],
  [405, OUTDATED],
  [406, { kind: 'logged_out', reason: 'the platform has banned the number', isBan: true }],
  [409, { kind: 'refused', reason: 'the platform refuses this kind of client (409)' }],
  [411, { kind: 'refused', reason: 'the phone has to update before it can link devices' }],
  [415, { kind: 'refused', reason: 'the platform does not know this device (415); pair the number again' }],
  [418, { kind: 'refused', reason: 'the platform does not know this device (418); pair the number again' }],
])

/** By the code of a stream that was ended. */
const STREAM_ERRORS: ReadonlyMap<number, Ending> = new Map<number, Ending>([
  [401, UNLINKED],
  [409, { kind: 'replaced', reason: 'another process has taken over the connection of this device' }],
  [411, { kind: 'refused', reason: 'the phone has to update before it can link devices' }],
  [429, { kind: 'busy', reason: 'the platform makes the gateway wait (429)' }],
  [440, { kind: 'replaced', reason: 'another process has taken over the connection of this device' }],
  [515, { kind: 'restart', reason: 'the platform requested a new login' }],
  [516, UNLINKED],
])

/** By the code of an error of the library itself; its other errors, such as a failed handshake, are temporary. */
const LIBRARY_ERRORS: ReadonlyMap<number, Ending> = new Map<number, Ending>([
  [401, UNLINKED],
  [411, { kind: 'refused', reason: 'the phone has to update before it can link devices' }],
])

/** The reason of a temporary ban, by the code that the platform gives. */
const BANS: ReadonlyMap<string, string> = new Map([
  ['101', 'it wrote to too many people who do not have it among their contacts'],
  ['102', 'too many people have blocked it'],
  ['103', 'it made too many groups with people who do not have it among their contacts'],
  ['104', 'it sent the same message to too many people'],
  ['106', 'it sent too much to broadcast lists'],
])

const TEMPORARY_BAN = 402
const DEFAULT_BAN_S = 3_600
const LONGEST_BAN_S = 366 * 86_400

interface StreamError {
  tag?: string
  attrs?: Record<string, string>
}

export const isOutdated = (ending: Ending): boolean => ending.kind === 'refused' && ending.isOutdated === true

/** Reads the library's error. Its text is not passed on, because it may contain user data. */
export function endingOf(error: unknown, nowMs: number): Ending {
  const { output, data } = (error ?? {}) as {
    output?: { statusCode?: number }
    data?: StreamError & Record<string, string>
  }
  if ((data as unknown) instanceof ProxyError) return { kind: 'proxy', reason: (data as unknown as ProxyError).message }
  const status = output?.statusCode ?? 0
  const missed = missedConfirmation(error)
  if (missed !== undefined) return { kind: 'lost', reason: describeMissed(missed) }
  if (data?.tag === 'conflict') return conflict(data.attrs ?? {})
  // A failed login has only attributes, a stream error its whole stanza.
  const isLogin = data?.tag === undefined && data?.reason !== undefined
  if (isLogin && status === TEMPORARY_BAN) return temporaryBan(data, nowMs)
  const known = isLogin
    ? FAILURES.get(status)
    : data?.tag === undefined
      ? LIBRARY_ERRORS.get(status)
      : STREAM_ERRORS.get(status)
  return known ?? { kind: 'lost', reason: `the connection was lost (${status})` }
}

/** Another connection of the same device, or the removal of the device with a reason of the platform. */
function conflict({ type, reason }: Record<string, string>): Ending {
  // Without both it may mean either: if the device was removed, the next login shows it.
  if (type === 'replaced' || (type === undefined && reason === undefined)) return STREAM_ERRORS.get(440)!
  const why = [reason, type].find(
    word => word !== undefined && /^[a-z_]{1,40}$/.test(word) && word !== 'device_removed',
  )
  return why === undefined ? UNLINKED : { kind: 'logged_out', reason: `${UNLINKED.reason} (${why})` }
}

function temporaryBan({ expire, code }: Record<string, string | undefined>, nowMs: number): Ending {
  const given = Number(expire)
  const seconds = Number.isFinite(given) && given > 0 ? Math.min(given, LONGEST_BAN_S) : DEFAULT_BAN_S
  const why = BANS.get(code ?? '')
  const reason = `the platform has temporarily banned the number${why === undefined ? '' : `: ${why}`}`
  return { kind: 'paused', reason, untilMs: nowMs + seconds * 1_000, isBan: true }
}
