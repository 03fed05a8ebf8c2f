import { expect, it } from 'vitest'
import type { MessageState } from '../../domain/message.ts'
import { advance, allowedSteps, firstOfEach, type KnownMessage, type ProgressStep } from './progress-steps.ts'

type Step = ProgressStep['state']
const ADA = '15550001111@s.whatsapp.net'

const step = (state: Step, change: Partial<ProgressStep> = {}): ProgressStep =>
  ({
    messageId: 'm',
    state,
    recipient: state === 'sent' || state === 'failed' ? '' : ADA,
    serverId: null,
    reason: null,
    detail: null,
    ...change,
  }) as ProgressStep

it.each<[MessageState | undefined, Step[], Step[]]>([
  ['queued', ['sent'], ['sent']],
  ['scheduled', ['sent'], ['sent']],
  ['queued', ['failed'], ['failed']],
  ['queued', ['sent', 'delivered', 'read'], ['sent', 'delivered', 'read']],
  ['queued', ['sent', 'failed'], ['sent']],
  ['queued', ['failed', 'delivered'], ['failed']],
  ['delivered', ['sent'], ['sent']],
  ['read', ['failed'], []],
  ['failed', ['sent', 'delivered'], []],
  ['cancelled', ['sent'], []],
  [undefined, ['sent'], []],
])('a message that is %s allows of %j these: %j', (state, states, allowed) => {
  const steps = states.map(each => step(each))
  const found = allowedSteps(steps, new Map(state === undefined ? [] : [['m', { state }]]))
  expect(steps.filter(each => found.has(each)).map(each => each.state)).toEqual(allowed)
})

const known = (state: MessageState): KnownMessage => ({
  state,
  receipts: 0,
  changed: false,
  serverId: null,
  reason: null,
  detail: null,
})

it.each<[MessageState, ProgressStep, Partial<KnownMessage>]>([
  ['queued', step('sent', { serverId: 7 }), { state: 'sent', serverId: 7, receipts: 0 }],
  [
    'queued',
    step('failed', { reason: 'SEND_FAILED', detail: 'no' }),
    { state: 'failed', reason: 'SEND_FAILED', detail: 'no' },
  ],
  ['sent', step('delivered'), { state: 'delivered', receipts: 1 }],
  ['read', step('delivered'), { state: 'read', receipts: 1 }],
  ['delivered', step('sent', { serverId: 7 }), { state: 'delivered', serverId: 7, receipts: 0 }],
])('a message that is %s and takes a step', (state, taken, after) => {
  const message = known(state)
  advance(message, taken)
  expect(message).toMatchObject({ ...after, changed: true })
})

it('of steps with the same message, state and recipient the first is kept', () => {
  const steps = [step('read', { atMs: 1 }), step('read', { atMs: 2 }), step('read', { recipient: 'another', atMs: 3 })]
  expect([...firstOfEach(steps).values()].map(each => each.atMs)).toEqual([1, 3])
})
