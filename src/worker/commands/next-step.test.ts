import { expect, it } from 'vitest'
import type { DueCommand, DueFollowUp } from '../../domain/command.ts'
import { nextStep, type Situation, strangerWaitMs } from './next-step.ts'

const ADA = '15550001111@s.whatsapp.net'
const GROUP = '120363000000000000@g.us'
const NOW = 10_000_000
const MINUTE = 60_000

const due = (change: Partial<DueCommand> = {}) =>
  ({ kind: 'send', queue: ADA, accountId: 'acc', dueAt: NOW, ...change }) as DueCommand

type Change = Partial<Omit<Situation, 'number'>> & { number?: Partial<Situation['number']> }

const situation = ({ number, ...change }: Change = {}): Situation => ({
  nowMs: NOW,
  monotonicMs: 500,
  pace: { nextMs: 0 },
  inFlight: { hasRoom: true },
  ...change,
  number: { accountId: 'acc', isLinkOpen: true, downSince: null, restrictedUntil: null, ...number },
})

const SEND = { kind: 'send' }
const STRANGER = { kind: 'send_unless_stranger' }
const wait = (untilMs = Number.POSITIVE_INFINITY) => ({ kind: 'wait', untilMs })
const fail = (reason: string, detail: string) => ({ kind: 'fail', reason, detail })
const MOVED = fail('SEND_FAILED', 'the number was moved to another account')
const UNKEPT = due({ kind: 'edit', accountId: null }) as DueFollowUp
const TARGET_OVER = { kind: 'target_over', due: UNKEPT }
const DOWN = fail('RETRIES_EXHAUSTED', 'the number had no connection for 10 minutes')
const closed = (minutes: number) => ({ number: { isLinkOpen: false, downSince: NOW - minutes * MINUTE } })

it.each([
  ['is sent', due(), 0, {}, SEND],
  ['of another account fails, whatever else holds', due({ accountId: 'old' }), 900, closed(20), MOVED],
  ['whose message is no longer kept ends as one whose target is over', UNKEPT, 900, closed(20), TARGET_OVER],
  ['that edits a message of another account fails', due({ kind: 'edit', accountId: 'old' }), 0, {}, MOVED],
  ['that is to be tried again later waits for its time', due(), 900, {}, wait(900)],
  ['that is to be tried again now is sent', due(), 500, {}, SEND],
  ['waits for a link that is down', due({ dueAt: 0 }), 0, closed(9), wait()],
  ['that was due all the while fails after 10 minutes without a link', due({ dueAt: 0 }), 0, closed(10), DOWN],
  ['that has just become due waits for a link that is down for long', due(), 0, closed(20), wait()],
  ['waits where the link was never up', due({ dueAt: 0 }), 0, { number: { isLinkOpen: false } }, wait()],
  ['waits while enough are in flight', due(), 0, { inFlight: { hasRoom: false } }, wait()],
  ['waits for the pause between messages', due(), 0, { pace: { nextMs: 700 } }, wait(700)],
  ['waits for one that is about to leave', due(), 0, { pace: { nextMs: Number.POSITIVE_INFINITY } }, wait()],
  [
    'to a person is sent unless a stranger under a restriction',
    due(),
    0,
    { number: { restrictedUntil: NOW + 1 } },
    STRANGER,
  ],
  ['to a group is sent under a restriction', due({ queue: GROUP }), 0, { number: { restrictedUntil: NOW + 1 } }, SEND],
  ['is sent when the restriction is over', due(), 0, { number: { restrictedUntil: NOW } }, SEND],
])('a command %s', (_, command, notBeforeMs, change: Change, step) => {
  expect(nextStep(command, notBeforeMs, situation(change))).toEqual(step)
})

it.each([
  [NOW + MINUTE, 5_000],
  [NOW + 2_000, 2_000],
  [NOW + 10, 200],
  [null, 200],
])('a stranger that may be written to at %s is looked at again after %s ms', (restrictedUntil, ms) => {
  expect(strangerWaitMs(restrictedUntil, NOW)).toBe(ms)
})
