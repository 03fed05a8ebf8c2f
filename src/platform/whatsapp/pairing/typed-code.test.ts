import { getEventListeners } from 'node:events'
import { type BinaryNode, initAuthCreds } from 'baileys'
import { expect, it } from 'vitest'
import type { Clock } from '../../../runtime/clock.ts'
import type { PairingStep } from '../../platform.ts'
import { CodeBackoff } from './code-backoff.ts'
import { TypedCode } from './typed-code.ts'
import type { UnpairedConnection } from './unpaired-connection.ts'

const REF = Buffer.from('the reference')

/** A platform that accepts every code, and a clock that only `pass` advances. */
function openCode(onShown = () => {}) {
  const over = new AbortController()
  const steps: PairingStep[] = []
  const sleeps = new Set<{ atMs: number; wake: () => void }>()
  let nowMs = 0
  const clock: Clock = {
    now: () => new Date(nowMs),
    monotonicMs: () => nowMs,
    sleep: (ms, signal) =>
      new Promise(resolve => {
        const sleep = { atMs: nowMs + ms, wake: resolve }
        sleeps.add(sleep)
        signal?.addEventListener('abort', () => resolve(), { once: true })
      }),
  }
  const ref = { tag: 'link_code_pairing_ref', attrs: {}, content: REF }
  const answer: BinaryNode = {
    tag: 'iq',
    attrs: { type: 'result' },
    content: [{ tag: 'link_code_companion_reg', attrs: {}, content: [ref] }],
  }
  const sock = { generateMessageTag: () => '1', sendNode: async () => {}, waitForMessage: async () => answer }
  const creds = initAuthCreds()
  const connection = {
    clock,
    sock,
    creds,
    browser: ['Mac OS', 'Chrome', '1'],
    over: over.signal,
    onStep: (step: PairingStep) => {
      steps.push(step)
      if (step.kind === 'code') onShown()
    },
    usedUp: () => {},
    refuse: () => {},
  } as unknown as UnpairedConnection
  const way = new TypedCode(connection, '15551234567', new CodeBackoff())
  way.onRefs()
  const kinds = () => steps.map(({ kind }) => kind)
  return {
    over,
    creds,
    kinds,
    steps,
    async shown(count: number) {
      await expect.poll(() => kinds().filter(kind => kind === 'code').length).toBe(count)
    },
    async pass(ms: number) {
      nowMs += ms
      for (const sleep of sleeps) {
        if (sleep.atMs > nowMs) continue
        sleeps.delete(sleep)
        sleep.wake()
      }
      await new Promise(setImmediate)
    },
    receive: (type: string, stage: string, content: BinaryNode[] = [ref]) =>
      way.notifications[type as 'link_code_companion_reg']!({
        tag: 'notification',
        attrs: { type },
        content: [{ tag: stage === '' ? type : 'link_code_companion_reg', attrs: { stage }, content }],
      }),
  }
}

it('a code is shown for three minutes, then another one', async () => {
  const { steps, kinds, shown, pass } = openCode()
  await shown(1)
  expect(steps[0]).toMatchObject({ expiresAtMs: 180_000 })
  await pass(179_999)
  expect(kinds()).toEqual(['code'])
  await pass(1)
  await shown(2)
  expect(kinds()).toEqual(['code', 'renewing', 'code'])
})

it('a phone that has the code gets time before another one replaces it', async () => {
  const { kinds, shown, pass, receive } = openCode()
  await shown(1)
  await pass(179_000)
  expect(receive('link_code_companion_reg', 'primary_hello')).toBe('library')
  await pass(2_000)
  expect(kinds()).toEqual(['code'])
  await pass(28_000)
  await shown(2)
})

it('the secret is refreshed until a phone has the code, and not after that', async () => {
  const { creds, shown, receive } = openCode()
  await shown(1)
  const secrets = [creds.advSecretKey]
  receive('companion_reg_refresh', '')
  secrets.push(creds.advSecretKey)
  receive('link_code_companion_reg', 'primary_hello')
  receive('companion_reg_refresh', '')
  secrets.push(creds.advSecretKey)
  expect(new Set(secrets.slice(0, 2)).size).toBe(2)
  expect(secrets[2]).toBe(secrets[1])
})

it.each([
  ['primary_hello of another code', 'primary_hello', Buffer.from('another')],
  ['refresh_code of another code', 'refresh_code', Buffer.from('another')],
  ['an unknown stage', 'something', REF],
])('%s is ignored, and the code stays', async (_, stage, content) => {
  const { kinds, shown, receive } = openCode()
  await shown(1)
  expect(receive('link_code_companion_reg', stage, [{ tag: 'link_code_pairing_ref', attrs: {}, content }])).toBe('ours')
  await new Promise(setImmediate)
  expect(kinds()).toEqual(['code'])
})

it('another code can be requested after a few seconds', async () => {
  const { steps, kinds, shown, pass } = openCode()
  await shown(1)
  const renew = () => (steps[0] as Extract<PairingStep, { kind: 'code' }>).renew()
  await expect(renew()).rejects.toMatchObject({
    failure: { detail: expect.stringContaining('wait before you request') },
  })
  await pass(5_000)
  await renew()
  expect(kinds()).toEqual(['code', 'renewing', 'code'])
})

it('nothing is shown after the connection is over', async () => {
  const { over, kinds, shown, pass } = openCode()
  await shown(1)
  over.abort()
  await pass(200_000)
  expect(kinds()).toEqual(['code'])
})

it('any number of codes adds only one listener for the end', async () => {
  const { over, shown, pass } = openCode()
  for (let count = 1; count <= 3; count += 1) {
    await shown(count)
    expect(getEventListeners(over.signal, 'abort')).toHaveLength(1)
    await pass(180_000)
  }
})

it('a request for another code resolves when the connection is over', async () => {
  const { over, steps, shown, pass } = openCode()
  await shown(1)
  await pass(5_000)
  const renew = () => (steps[0] as Extract<PairingStep, { kind: 'code' }>).renew()
  const renewed = renew()
  over.abort()
  await renewed
  await renew()
})

it('a request for another code resolves even if the report of the code ended the connection', async () => {
  const { over, steps, shown, pass } = openCode(() => over.abort())
  await shown(1)
  await pass(5_000)
  await (steps[0] as Extract<PairingStep, { kind: 'code' }>).renew()
})
