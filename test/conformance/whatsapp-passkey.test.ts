import type { OwnPasskey } from '@postern/simulator/passkey/own-passkey'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { PasskeyAssertion } from '../../src/domain/passkey.ts'
import type { LinkedDevice, PairingRequest, Platform } from '../../src/platform/platform.ts'
import { createWhatsApp } from '../../src/platform/whatsapp/whatsapp.ts'
import { steppedClock } from '../harness/clocks.ts'
import { PairingAttempt, type StepOf } from '../harness/pairing-attempt.ts'
import { type Rig, startRig } from '../harness/whatsapp-rig.ts'
import { until } from '../harness/until.ts'

const clock = steppedClock()
let rig: Rig
beforeAll(async () => {
  rig = await startRig({ platform: { clock } })
})
afterAll(() => rig.close())

/** A pairing of a number whose phone scans or types whatever is shown. */
class Attempt extends PairingAttempt {
  readonly passkey: OwnPasskey

  constructor(digits: string, request: PairingRequest, platform: Platform) {
    super(platform, request, step => {
      if (step.kind === 'qr') void rig.simulator.linkByQr(step.qr, digits).catch(() => {})
      if (step.kind === 'code') void rig.simulator.linkByCode(digits, step.code).catch(() => {})
    })
    this.passkey = rig.simulator.passkey(digits)
  }

  sign({ options }: StepOf<'passkey'>): PasskeyAssertion {
    return this.passkey.assertion(options.challenge)
  }
}

const begin = (digits: string, request: PairingRequest = { method: 'qr' }, platform = rig.platform) =>
  new Attempt(digits, request, platform)

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
    expect(pairing.kinds).not.toContain('confirm')
    expect(new Set(pairing.kinds)).toEqual(new Set(['qr', 'passkey', 'scanned']))
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
  test('where the passkey is refused for the fifth time', async () => {
    const pairing = begin('999207277539')
    const stranger = rig.simulator.passkey('999100000303')
    for (let refusals = 1; refusals <= 5; refusals += 1) {
      const { answer, options } = await pairing.last('passkey')
      const text = refusals < 5 ? 'use it once more' : 'did not take the passkey five times'
      await expect(answer(stranger.assertion(options.challenge), false)).rejects.toMatchObject({
        failure: { kind: 'permanent', detail: expect.stringContaining(text) },
      })
    }
    await expect(pairing.linked).rejects.toThrow('did not take the passkey five times')
    expect(pairing.steps.filter(({ kind }) => kind === 'passkey')).toHaveLength(5)
  })

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
    expect(pairing.kinds).toEqual(['qr'])
  })

  test('where nobody uses the passkey in ten minutes', async () => {
    const pairing = begin('999157277539')
    await pairing.last('passkey')
    clock.wake(600_000)
    await expect(pairing.linked).rejects.toThrow('the passkey was not used in time: start again')
  })

  test('where the platform takes the passkey and then says nothing more', async () => {
    const pairing = begin('999157277530')
    const step = await pairing.last('passkey')
    await step.answer(pairing.sign(step), false)
    await until(() => clock.sleeps(60_000))
    clock.wake(60_000)
    await expect(pairing.linked).rejects.toThrow(/took the passkey.*did not go on.*start again/)
  })

  test('where nobody says that the codes are the same', async () => {
    const pairing = begin('999167277539')
    const step = await pairing.last('passkey')
    await step.answer(pairing.sign(step), true)
    await pairing.last('confirm')
    clock.wake(180_000)
    await expect(pairing.linked).rejects.toThrow(/both codes are the same: start again/)
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
