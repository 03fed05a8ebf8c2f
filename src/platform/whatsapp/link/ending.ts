import { describeMissed, missedConfirmation } from '../received/owed.ts'

/** Why a connection came to its end, and what is to follow. */
export type Ending =
  /** The platform asks to log in again at once: no trouble. */
  | { kind: 'restart'; reason: string }
  /** Trouble that passes. */
  | { kind: 'lost'; reason: string }
  /** Trouble that passes, of a platform that asks for patience. */
  | { kind: 'busy'; reason: string }
  /** Another process has logged in as this device. */
  | { kind: 'replaced'; reason: string }
  /** The platform lets nobody in until then; whoever comes earlier waits longer. */
  | { kind: 'paused'; reason: string; untilMs: number }
  /**
   * Trying again changes nothing until the gateway is upgraded or the number is paired again; or, of one that is
   * outdated, until a newer version of the web client is known.
   */
  | { kind: 'refused'; reason: string; isOutdated?: true }
  | { kind: 'logged_out'; reason: string }

const UNLINKED: Ending = { kind: 'logged_out', reason: 'the device was unlinked' }
const OUTDATED: Ending = {
  kind: 'refused',
  reason: 'the platform no longer accepts this version of its web client',
  isOutdated: true,
}

/** By the reason of a login that failed. */
const FAILURES: ReadonlyMap<number, Ending> = new Map<number, Ending>([
  [400, { kind: 'refused', reason: 'the platform refused the login (400); trying again changes nothing' }],
  [401, UNLINKED],
  [403, { kind: 'logged_out', reason: 'the platform has locked or banned the number' }],
  [405, OUTDATED],
  [406, { kind: 'logged_out', reason: 'the platform has banned the number' }],
  [409, { kind: 'refused', reason: 'the platform refuses this kind of client (409)' }],
  [411, { kind: 'refused', reason: 'the phone has to update before it can link devices' }],
  [415, { kind: 'refused', reason: 'the platform does not know this device (415); pair the number again' }],
  [418, { kind: 'refused', reason: 'the platform does not know this device (418); pair the number again' }],
  [501, { kind: 'refused', reason: 'the platform refused the login (501); trying again changes nothing' }],
])

/** By the code of a stream that was ended. */
const STREAM_ERRORS: ReadonlyMap<number, Ending> = new Map<number, Ending>([
  [401, UNLINKED],
  [409, { kind: 'replaced', reason: 'another process has taken over the connection of this device' }],
  [411, { kind: 'refused', reason: 'the phone has to update before it can link devices' }],
  [429, { kind: 'busy', reason: 'the platform asks for patience (429)' }],
  [440, { kind: 'replaced', reason: 'another process has taken over the connection of this device' }],
  [515, { kind: 'restart', reason: 'the platform asked for a new login' }],
  [516, UNLINKED],
])

/** What the library says by itself: everything else of its own, such as a handshake that failed, passes. */
const OWN: ReadonlyMap<number, Ending> = new Map<number, Ending>([
  [401, UNLINKED],
  [411, { kind: 'refused', reason: 'the phone has to update before it can link devices' }],
])

/** Why the platform has banned a number for a while, by the code that it gives. */
const BANS: ReadonlyMap<string, string> = new Map([
  ['101', 'it wrote to too many people who do not have it among their contacts'],
  ['102', 'too many people have blocked it'],
  ['103', 'it made too many groups with people who do not have it among their contacts'],
  ['104', 'it sent the same message to too many people'],
  ['106', 'it sent too much to broadcast lists'],
])

const TEMPORARY_BAN = 402
const UNTOLD_BAN_S = 3_600
const LONGEST_BAN_S = 366 * 86_400

interface Word {
  tag?: string
  attrs?: Record<string, string>
}

export const isOutdated = (ending: Ending): boolean => ending.kind === 'refused' && ending.isOutdated === true

/** Reads the library's error; nothing of its text is passed on that could hold data. */
export function endingOf(error: unknown, nowMs: number): Ending {
  const { output, data } = (error ?? {}) as { output?: { statusCode?: number }; data?: Word & Record<string, string> }
  const status = output?.statusCode ?? 0
  const missed = missedConfirmation(error)
  if (missed !== undefined) return { kind: 'lost', reason: describeMissed(missed) }
  if (data?.tag === 'conflict') return conflict(data.attrs ?? {})
  // Of a login that failed there are the attributes alone, of a stream that was ended its whole last word.
  const isLogin = data?.tag === undefined && data?.reason !== undefined
  if (isLogin && status === TEMPORARY_BAN) return temporaryBan(data, nowMs)
  const known = isLogin ? FAILURES.get(status) : data?.tag === undefined ? OWN.get(status) : STREAM_ERRORS.get(status)
  return known ?? { kind: 'lost', reason: `the connection was lost (${status})` }
}

/** Another connection of the same device, or the end of the device: its reason is a word of the platform. */
function conflict({ type, reason }: Record<string, string>): Ending {
  // Who says neither may mean either: of a device that is gone the next login tells.
  if (type === 'replaced' || (type === undefined && reason === undefined)) return STREAM_ERRORS.get(440)!
  const why = [reason, type].find(
    word => word !== undefined && /^[a-z_]{1,40}$/.test(word) && word !== 'device_removed',
  )
  return why === undefined ? UNLINKED : { kind: 'logged_out', reason: `${UNLINKED.reason} (${why})` }
}

function temporaryBan({ expire, code }: Record<string, string | undefined>, nowMs: number): Ending {
  const told = Number(expire)
  const seconds = Number.isFinite(told) && told > 0 ? Math.min(told, LONGEST_BAN_S) : UNTOLD_BAN_S
  const why = BANS.get(code ?? '')
  const reason = `the platform has banned the number for a while${why === undefined ? '' : `: ${why}`}`
  return { kind: 'paused', reason, untilMs: nowMs + seconds * 1_000 }
}
