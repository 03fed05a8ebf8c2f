import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import { Deferred } from '../../src/deferred.ts'
import type { PasskeyAssertion } from '../../src/domain/passkey.ts'
import type { LinkedDevice, PairingRequest, PairingStep } from '../../src/platform/platform.ts'
import { createWhatsApp } from '../../src/platform/whatsapp/whatsapp.ts'
import { type Rig, startRig } from '../harness/whatsapp-rig.ts'
import { until } from '../harness/until.ts'

type StepOf<K extends PairingStep['kind']> = Extract<PairingStep, { kind: K }>

/** A clock whose deadlines pass when they are told to. */
function steppedClock() {
  let aheadMs = 0
  const sleeping = new Set<{ ms: number; wake: () => void }>()
  return {
    ...systemClock,
    now: () => new Date(systemClock.now().getTime() + aheadMs),
    monotonicMs: () => systemClock.monotonicMs() + aheadMs,
    sleep: async (ms: number, signal?: AbortSignal): Promise<void> => {
      if (ms < 60_000) return await systemClock.sleep(ms, signal)
      const woken = new Deferred<void>()
      const sleeper = { ms, wake: () => woken.resolve() }
      sleeping.add(sleeper)
      signal?.addEventListener('abort', sleeper.wake, { once: true })
      await woken.promise
      sleeping.delete(sleeper)
    },
    /** Time passes, for those who measure it. */
    pass: (ms: number) => void (aheadMs += ms),
    /** Everybody who sleeps exactly so long wakes up. */
    wake: (ms: number) => [...sleeping].filter(each => each.ms === ms).forEach(each => each.wake()),
    sleeps: (ms: number) => [...sleeping].some(each => each.ms === ms),
  }
}

const clock = steppedClock()
let rig: Rig
beforeAll(async () => {
  rig = await startRig({ platform: { clock } })
})
afterAll(() => rig.close())

/** A pairing of a number, with its steps as they come. */
function begin(digits: string, request: PairingRequest = { method: 'qr' }, platform = rig.platform) {
  const steps: PairingStep[] = []
  const cancel = new AbortController()
  const linked: Promise<LinkedDevice> = platform.pair(
    request,
    step => {
      steps.push(step)
      if (step.kind === 'qr') void rig.simulator.linkByQr(step.qr, digits).catch(() => {})
      if (step.kind === 'code') void rig.simulator.linkByCode(digits, step.code).catch(() => {})
    },
    cancel.signal,
  )
  linked.catch(() => {})
  const last = <K extends PairingStep['kind']>(kind: K): Promise<StepOf<K>> =>
    until(() => {
      const step = steps.at(-1)
      return step?.kind === kind ? (step as StepOf<K>) : undefined
    }, 20_000)
  const passkey = rig.simulator.passkey(digits)
  const sign = ({ options }: StepOf<'passkey'>): PasskeyAssertion => passkey.assertion(options.challenge)
  return { steps, linked, last, passkey, sign, cancel: () => cancel.abort(new Error('cancelled')) }
}

async function connects(device: LinkedDevice): Promise<void> {
  const hosted = rig.host(device)
  await hosted.open()
  await hosted.close()
}

describe('a number with a passkey', () => {
  test('is linked with it: what is asked is shown, and with the proof of the scanned code nothing need be compared', async () => {
    const pairing = begin('999107277539')
    const step = await pairing.last('passkey')
    expect(step.options).toMatchObject({ rpId: 'whatsapp.com', userVerification: 'required' })
    expect(step.expiresAtMs).toBeGreaterThan(clock.now().getTime() + 590_000)
    await step.answer(pairing.sign(step), false)
    const device = await pairing.linked
    expect(device.phone).toBe('999107277539')
    expect(pairing.steps.map(({ kind }) => kind)).not.toContain('confirm')
    expect(new Set(pairing.steps.map(({ kind }) => kind))).toEqual(new Set(['qr', 'passkey', 'scanned']))
    await connects(device)
  })

  test('is linked with it also by a code that is typed on the phone', async () => {
    const digits = '999117277539'
    const pairing = begin(digits, { method: 'code', phone: digits })
    const step = await pairing.last('passkey')
    await step.answer(pairing.sign(step), false)
    await connects(await pairing.linked)
  })

  test('shows the code that its phone shows where nothing is proven, and tells its keys only after a yes', async () => {
    const pairing = begin('999127277539')
    const asked = await pairing.last('passkey')
    await asked.answer(pairing.sign(asked), true)
    const step = await pairing.last('confirm')
    expect(step.code).toMatch(/^[1-9A-HJ-NP-TV-Z]{4}-[1-9A-HJ-NP-TV-Z]{4}$/)
    expect(step.code).toBe(pairing.passkey.code())
    expect(pairing.passkey.isProven).toBe(false)
    expect(rig.simulator.numbers().some(({ digits }) => digits === '999127277539')).toBe(false)
    await Promise.all([step.confirm(), step.confirm()])
    await connects(await pairing.linked)
  })

  test('whose passkey comes after five minutes is compared, since the proof is too old by then', async () => {
    const pairing = begin('999137277539')
    const asked = await pairing.last('passkey')
    clock.pass(301_000)
    await asked.answer(pairing.sign(asked), false)
    const step = await pairing.last('confirm')
    expect(step.code).toBe(pairing.passkey.code())
    await step.confirm()
    await connects(await pairing.linked)
  })

  test('is asked for its passkey also where the platform says only when it is asked what it wants', async () => {
    rig.simulator.faults.passkey('999100000301', 'no_options')
    const pairing = begin('999100000301')
    const step = await pairing.last('passkey')
    await step.answer(pairing.sign(step), false)
    await connects(await pairing.linked)
  })

  test('whose passkey is refused is asked anew, with another challenge, and is linked in the end', async () => {
    const pairing = begin('999147277539')
    const first = await pairing.last('passkey')
    const wrong = rig.simulator.passkey('999100000302').assertion(first.options.challenge)
    await expect(first.answer(wrong, false)).rejects.toMatchObject({
      failure: { kind: 'permanent', detail: expect.stringContaining('did not take the passkey (403)') },
    })
    const second = await pairing.last('passkey')
    expect(second.options.challenge).not.toBe(first.options.challenge)
    await Promise.all([second.answer(pairing.sign(second), false), second.answer(pairing.sign(second), false)])
    await connects(await pairing.linked)
  })
})

describe('a pairing with a passkey that leads to nothing says why, and what to do', () => {
  test('where the gateway does not ask for passkeys, instead of showing codes for ever', async () => {
    const { url, rootKey, mediaCa, mediaHost } = rig.simulator
    const off = await createWhatsApp({
      clock,
      network: { kind: 'sandbox', url, rootKey, mediaCa, mediaHost },
      download: async () => Promise.reject(new Error('nothing is fetched here')),
      ackTimeoutMs: 1_000,
      passkey: false,
    })
    const pairing = begin('999187277539', { method: 'qr' }, off)
    await expect(pairing.linked).rejects.toThrow(/only with its passkey.*POSTERN_PASSKEY=on/)
    expect(pairing.steps.map(({ kind }) => kind)).toEqual(['qr'])
  })

  test('where nobody uses the passkey in ten minutes', async () => {
    const pairing = begin('999157277539')
    await pairing.last('passkey')
    clock.wake(600_000)
    await expect(pairing.linked).rejects.toThrow('nobody used the passkey in time: start anew')
  })

  test('where the platform takes the passkey and then says nothing more', async () => {
    const pairing = begin('999157277530')
    const step = await pairing.last('passkey')
    await step.answer(pairing.sign(step), false)
    await until(() => clock.sleeps(60_000))
    clock.wake(60_000)
    await expect(pairing.linked).rejects.toThrow(/took the passkey.*did not go on.*start anew/)
  })

  test('where nobody says that the codes are the same', async () => {
    const pairing = begin('999167277539')
    const step = await pairing.last('passkey')
    await step.answer(pairing.sign(step), true)
    await pairing.last('confirm')
    clock.wake(180_000)
    await expect(pairing.linked).rejects.toThrow(/both codes are the same: start anew/)
  })

  test('and spoils nothing: the same number is linked by the next try', async () => {
    const given = begin('999177277539')
    await given.last('passkey')
    given.cancel()
    await expect(given.linked).rejects.toThrow('cancelled')
    const next = begin('999177277539')
    const step = await next.last('passkey')
    await step.answer(next.sign(step), false)
    await connects(await next.linked)
  })
})
