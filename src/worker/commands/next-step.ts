import { jidKind } from '../../domain/jid.ts'
import type { FailureReason } from '../../domain/message.ts'
import { hasWaitedOut } from '../../domain/send-retry.ts'
import type { DueCommand, DueFollowUp } from '../../domain/command.ts'
import type { NumberState } from '../number-state.ts'

/** The state that decides on the first command of a queue. */
export interface Situation {
  nowMs: number
  monotonicMs: number
  number: Omit<NumberState, 'pace' | 'isHidden'>
  pace: { readonly nextMs: number }
  inFlight: { readonly hasRoom: boolean }
}

export type NextStep =
  | { kind: 'send' }
  /** The platform forbids the number to write to strangers for some time. */
  | { kind: 'send_unless_stranger' }
  /** `Infinity`: until the link opens or another command ends. */
  | { kind: 'wait'; untilMs: number }
  | { kind: 'fail'; reason: FailureReason; detail: string }
  /** The message that it changes is deleted. */
  | { kind: 'target_over'; due: DueFollowUp }

const SEND: NextStep = { kind: 'send' }
const SEND_UNLESS_STRANGER: NextStep = { kind: 'send_unless_stranger' }
const WAIT: NextStep = { kind: 'wait', untilMs: Number.POSITIVE_INFINITY }
const MOVED: NextStep = { kind: 'fail', reason: 'SEND_FAILED', detail: 'the number was moved to another account' }
const WAITED_OUT: NextStep = {
  kind: 'fail',
  reason: 'RETRIES_EXHAUSTED',
  detail: 'the number had no connection for 10 minutes',
}

/** Decides on the first command of a queue that may continue at `notBeforeMs`. */
export function nextStep(due: DueCommand, notBeforeMs: number, situation: Situation): NextStep {
  const { nowMs, monotonicMs, number, pace, inFlight } = situation
  if (due.kind !== 'send' && due.accountId === null) return { kind: 'target_over', due }
  if (due.accountId !== number.accountId) return MOVED
  if (notBeforeMs > monotonicMs) return { kind: 'wait', untilMs: notBeforeMs }
  if (!number.isLinkOpen) return hasWaitedOut(due.dueAt, number.downSince, nowMs) ? WAITED_OUT : WAIT
  if (!inFlight.hasRoom) return WAIT
  if (pace.nextMs > monotonicMs) return { kind: 'wait', untilMs: pace.nextMs }
  return isRestricted(number, nowMs) && isPersonal(due.queue) ? SEND_UNLESS_STRANGER : SEND
}

const isRestricted = ({ restrictedUntil }: Situation['number'], nowMs: number): boolean =>
  (restrictedUntil ?? 0) > nowMs

function isPersonal(chatJid: string): boolean {
  const kind = jidKind(chatJid)
  return kind === 'user' || kind === 'lid'
}

const STRANGER_RECHECK_MS = 5_000
const SHORTEST_RECHECK_MS = 200

/** A stranger may write first, or the restriction may end early, so the command is checked again before its end. */
export function strangerWaitMs(restrictedUntil: number | null, nowMs: number): number {
  const leftMs = (restrictedUntil ?? 0) - nowMs
  return Math.min(STRANGER_RECHECK_MS, Math.max(leftMs, SHORTEST_RECHECK_MS))
}
