import { refreshSecret } from '@postern/simulator/server/secret-refresh'
import type { Pairing } from '@postern/simulator/world/pairing'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { PairingStep } from '../../src/platform/platform.ts'
import { hurriedClock } from '../harness/clocks.ts'
import { PairingAttempt, type StepOf } from '../harness/pairing-attempt.ts'
import { type Rig, startRig } from '../harness/whatsapp-rig.ts'
import { createWhatsApp } from '../../src/platform/whatsapp/whatsapp.ts'

/** Numbers that are linked by a QR code, as the platform does it today. */

let rig: Rig
let last = 999_550_000_000

let aheadMs = 0

beforeAll(async () => {
  rig = await startRig({ clock: { now: () => new Date(Date.now() + aheadMs) } })
})
afterAll(() => rig.close())
afterEach(() => {
  aheadMs = 0
})

/** A new number that is linked by scanning. */
class Attempt extends PairingAttempt {
  readonly digits = String((last += 1))

  constructor() {
    super(rig.platform, { method: 'qr' })
  }

  /** The server's state of the client that shows this code. */
  async pairing(): Promise<Pairing> {
    const [ref] = fieldsOf(await this.step('qr'))
    return [...rig.simulator.network.pairings].find(({ refs }) => refs.includes(ref!))!
  }

  scan(code: StepOf<'qr'>): Promise<unknown> {
    return rig.simulator.linkByQr(code.qr, this.digits)
  }
}

const fieldsOf = ({ qr }: StepOf<'qr'>): string[] => qr.split('#').pop()!.split(',')

test('after a scan that the platform lost, the next code can be scanned: it has a new secret and the same reference', async () => {
  const attempt = new Attempt()
  rig.simulator.faults.pairing.swallowScans(attempt.digits)
  const first = await attempt.step('qr')
  await expect(attempt.scan(first)).rejects.toThrow('scan the code that is shown now')
  const second = await attempt.step('qr', 2)
  const [before, after] = [fieldsOf(first), fieldsOf(second)]
  expect(after.filter((field, index) => field !== before[index])).toEqual([after[3]])
  expect(second.expiresAtMs).toBe(first.expiresAtMs)
  await expect(attempt.scan(first)).rejects.toThrow('scan the code that is shown now')
  await attempt.scan(second)
  expect(await attempt.linked).toMatchObject({ phone: attempt.digits })
})

test('a request for new secrets before any scan is confirmed, and the code is drawn again', async () => {
  const attempt = new Attempt()
  const pairing = await attempt.pairing()
  refreshSecret(rig.simulator.network, pairing, 'pair-device-rotate-qr')
  const again = await attempt.step('qr', 2)
  await rig.simulator.until(() => pairing.refresh?.isConfirmed)
  await attempt.scan(again)
  expect(await attempt.linked).toMatchObject({ phone: attempt.digits })
})

test('an empty request of that kind is confirmed, and the code stays', async () => {
  const attempt = new Attempt()
  const first = await attempt.step('qr')
  const pairing = await attempt.pairing()
  refreshSecret(rig.simulator.network, pairing, 'something_else')
  await rig.simulator.until(() => pairing.refresh?.isConfirmed)
  expect(attempt.all('qr')).toHaveLength(1)
  await attempt.scan(first)
  expect(await attempt.linked).toMatchObject({ phone: attempt.digits })
})

test('new codes follow when those of a connection have run out, and the shown one can be scanned', async () => {
  const { url, rootKey, mediaCa, mediaHost } = rig.simulator
  const clock = hurriedClock()
  const hurried = await createWhatsApp({
    clock,
    network: { kind: 'sandbox', url, rootKey, mediaCa, mediaHost },
    download: () => Promise.reject(new Error('nothing is downloaded here')),
    ackTimeoutMs: 1_000,
  })
  const digits = String((last += 1))
  const steps: PairingStep[] = []
  const onStep = (step: PairingStep): void => {
    steps.push(step)
    if (step.kind !== 'qr' || steps.length <= 7) return
    clock.calmDown()
    rig.simulator.linkByQr(step.qr, digits).catch(() => {})
  }
  const device = await hurried.pair({ method: 'qr' }, onStep, new AbortController().signal)
  expect(device).toMatchObject({ phone: digits })
  expect(steps.slice(0, 8).map(({ kind }) => kind)).toEqual([...Array(6).fill('qr'), 'renewing', 'qr'])
  const codes = steps.filter(step => step.kind === 'qr')
  expect(new Set(codes.map(code => fieldsOf(code)[0])).size).toBe(codes.length)
})

test('a code that is no longer shown links nothing', async () => {
  const attempt = new Attempt()
  const first = await attempt.step('qr')
  aheadMs = 66_000
  await expect(attempt.scan(first)).rejects.toThrow('has expired')
  aheadMs = 0
  await attempt.scan(first)
  expect(await attempt.linked).toMatchObject({ phone: attempt.digits })
})
