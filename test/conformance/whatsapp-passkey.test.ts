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

/** A pairing of a number whose phone scans or enters every code that is shown. */
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

describe('A number with a passkey', () => {
  test('is linked with it: the challenge is shown, and with the proof of the scanned code no codes are compared', async () => {
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

  test('is linked with it also by a code that is entered on the phone', async () => {
    const digits = '999117277539'
    const pairing = begin(digits, { method: 'code', phone: digits })
    const step = await pairing.last('passkey')
    await step.answer(pairing.sign(step), false)
    await connects(await pairing.linked)
  })

  test('shows the code of its phone if nothing is proven, and sends its keys only after a confirmation', async () => {
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

  test('is linked by comparing codes if the passkey comes after five minutes, because the proof is too old then', async () => {
    const pairing = begin('999137277539')
    const asked = await pairing.last('passkey')
    clock.pass(301_000)
    await asked.answer(pairing.sign(asked), false)
    const step = await pairing.last('confirm')
    expect(step.code).toBe(pairing.passkey.code())
    await step.confirm()
    await connects(await pairing.linked)
  })

  test('is asked for its passkey even if the platform requires it only in a response', async () => {
    rig.simulator.faults.passkey('999100000301', 'no_options')
    const pairing = begin('999100000301')
    const step = await pairing.last('passkey')
    await step.answer(pairing.sign(step), false)
    await connects(await pairing.linked)
  })

  test('gets another challenge after its passkey is refused, and is linked in the end', async () => {
    const pairing = begin('999147277539')
    const first = await pairing.last('passkey')
    const wrong = rig.simulator.passkey('999100000302').assertion(first.options.challenge)
    await expect(first.answer(wrong, false)).rejects.toMatchObject({
      failure: { kind: 'permanent', detail: expect.stringContaining('refused the passkey (403)') },
    })
    const second = await pairing.last('passkey')
    expect(second.options.challenge).not.toBe(first.options.challenge)
    await Promise.all([second.answer(pairing.sign(second), false), second.answer(pairing.sign(second), false)])
    await connects(await pairing.linked)
  })
})

describe('A pairing with a passkey fails with the reason and the remedy', () => {
  test('if the passkey is refused for the fifth time', async () => {
    const pairing = begin('999207277539')
    const stranger = rig.simulator.passkey('999100000303')
    for (let refusals = 1; refusals <= 5; refusals += 1) {
      const { answer, options } = await pairing.last('passkey')
      const text = refusals < 5 ? 'use it again' : 'refused the passkey five times'
      await expect(answer(stranger.assertion(options.challenge), false)).rejects.toMatchObject({
        failure: { kind: 'permanent', detail: expect.stringContaining(text) },
      })
    }
    await expect(pairing.linked).rejects.toThrow('refused the passkey five times')
    expect(pairing.steps.filter(({ kind }) => kind === 'passkey')).toHaveLength(5)
  })

  test('if the gateway does not support passkeys, instead of showing codes forever', async () => {
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

  test('if the passkey is not used within ten minutes', async () => {
    const pairing = begin('999157277539')
    await pairing.last('passkey')
    clock.wake(600_000)
    await expect(pairing.linked).rejects.toThrow('the passkey was not used in time: start again')
  })

  test('if the platform accepts the passkey and then does not respond', async () => {
    const pairing = begin('999157277530')
    const step = await pairing.last('passkey')
    await step.answer(pairing.sign(step), false)
    await until(() => clock.sleeps(60_000))
    clock.wake(60_000)
    await expect(pairing.linked).rejects.toThrow(/accepted the passkey.*did not continue.*start again/)
  })

  test('if the codes are never confirmed to be the same', async () => {
    const pairing = begin('999167277539')
    const step = await pairing.last('passkey')
    await step.answer(pairing.sign(step), true)
    await pairing.last('confirm')
    clock.wake(180_000)
    await expect(pairing.linked).rejects.toThrow(/the codes were not confirmed in time: start again/)
  })

  test('and the next attempt links the same number', async () => {
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
