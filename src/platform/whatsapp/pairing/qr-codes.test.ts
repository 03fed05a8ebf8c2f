import { initAuthCreds } from 'baileys'
import { expect, it } from 'vitest'
import type { Clock } from '../../../runtime/clock.ts'
import type { PairingStep } from '../../platform.ts'
import { QrCodes } from './qr-codes.ts'
import type { UnpairedConnection } from './unpaired-connection.ts'

/** A clock whose sleeps end only on request. */
function openCodes() {
  const over = new AbortController()
  const steps: PairingStep[] = []
  let [nowMs, isUsedUp] = [0, false]
  let pass = async (): Promise<void> => {}
  const clock: Clock = {
    now: () => new Date(nowMs),
    monotonicMs: () => nowMs,
    sleep: (ms, signal) =>
      new Promise(resolve => {
        signal?.addEventListener('abort', () => resolve(), { once: true })
        pass = async () => {
          nowMs += ms
          resolve()
          await new Promise(setImmediate)
        }
      }),
  }
  const connection = {
    clock,
    creds: initAuthCreds(),
    browser: ['Mac OS', 'Chrome', '1'],
    over: over.signal,
    onStep: step => void steps.push(step),
    usedUp: () => {
      isUsedUp = true
    },
    refuse: () => {},
  } satisfies Omit<UnpairedConnection, 'sock'> as unknown as UnpairedConnection
  const codes = new QrCodes(connection)
  const shown = () =>
    steps.map(step => {
      const [ref, , , secret] = step.kind === 'qr' ? step.qr.split('#')[1]!.split(',') : []
      return { ref, secret, expiresAtMs: step.kind === 'qr' ? step.expiresAtMs : 0 }
    })
  const refresh = (tag: string) =>
    codes.notifications.companion_reg_refresh!({
      tag: 'notification',
      attrs: { type: 'companion_reg_refresh' },
      content: [{ tag, attrs: {} }],
    })
  return { codes, shown, refresh, over, pass: () => pass(), isUsedUp: () => isUsedUp }
}

it('the first reference is shown for a minute and the others for 20 seconds each, then the connection is used up', async () => {
  const { codes, shown, pass, isUsedUp } = openCodes()
  codes.onRefs(['a', 'b', 'c'])
  for (let turn = 0; turn < 3; turn += 1) {
    expect(isUsedUp()).toBe(false)
    await pass()
  }
  expect(shown().map(({ ref, expiresAtMs }) => [ref, expiresAtMs / 1_000])).toEqual([
    ['a', 60],
    ['b', 80],
    ['c', 100],
  ])
  expect(isUsedUp()).toBe(true)
})

it.each([
  ['companion_reg_refresh', true],
  ['pair-device-rotate-qr', true],
  ['anything_else', false],
])('a refresh with %s in it draws the same reference with a new secret: %s', async (tag, isDrawn) => {
  const { codes, shown, refresh, pass } = openCodes()
  codes.onRefs(['a', 'b'])
  expect(refresh(tag)).toBe('ours')
  await pass()
  expect(shown().map(({ ref }) => ref)).toEqual(isDrawn ? ['a', 'a', 'b'] : ['a', 'b'])
  const [first, second, third] = shown()
  expect(second!.secret === first!.secret).toBe(!isDrawn)
  // What is shown later has the secret that is good now.
  if (isDrawn) expect([second!.secret, second!.expiresAtMs]).toEqual([third!.secret, first!.expiresAtMs])
})

it('newer references replace those that are shown, and nothing is shown after a phone has accepted', async () => {
  const { codes, shown, over, pass, isUsedUp } = openCodes()
  codes.onRefs(['a', 'b'])
  codes.onRefs(['c', 'd'])
  await pass()
  over.abort()
  await new Promise(setImmediate)
  expect(shown().map(({ ref, expiresAtMs }) => [ref, expiresAtMs / 1_000])).toEqual([
    ['a', 60],
    ['c', 60],
    ['d', 80],
  ])
  expect(isUsedUp()).toBe(false)
})
