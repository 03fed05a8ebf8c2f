import { refreshSecret } from '@postern/simulator/server/secret-refresh'
import type { Pairing } from '@postern/simulator/world/pairing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { LinkedDevice, PairingStep } from '../../src/platform/platform.ts'
import { type Rig, startRig } from '../harness/whatsapp-rig.ts'
import { until } from '../harness/until.ts'

/** Numbers that are linked by a QR code, as the platform does it today. */

let rig: Rig
let last = 999_550_000_000

beforeAll(async () => void (rig = await startRig()))
afterAll(() => rig.close())

type Qr = Extract<PairingStep, { kind: 'qr' }>

class Attempt {
  readonly digits = String((last += 1))
  readonly steps: PairingStep[] = []
  readonly #cancel = new AbortController()
  readonly linked: Promise<LinkedDevice>

  constructor() {
    this.linked = rig.platform.pair({ method: 'qr' }, step => void this.steps.push(step), this.#cancel.signal)
    this.linked.catch(() => {})
  }

  get codes(): Qr[] {
    return this.steps.filter(step => step.kind === 'qr')
  }

  /** The code that is on show when there have been so many. */
  async code(nth = 1): Promise<Qr> {
    return await until(() => this.codes[nth - 1])
  }

  /** What the server knows of the client that shows this code. */
  async pairing(): Promise<Pairing> {
    const [ref] = fieldsOf(await this.code())
    return [...rig.simulator.network.pairings].find(({ refs }) => refs.includes(ref!))!
  }

  scan(code: Qr): Promise<unknown> {
    return rig.simulator.linkByQr(code.qr, this.digits)
  }

  async end(): Promise<void> {
    this.#cancel.abort(new Error('cancelled'))
    await this.linked.catch(() => {})
  }
}

const fieldsOf = ({ qr }: Qr): string[] => qr.split('#').pop()!.split(',')

test('a scan that the platform swallowed is followed by a code that can be scanned: the secret is new, the reference stays', async () => {
  const attempt = new Attempt()
  rig.simulator.faults.pairing.swallowScans(attempt.digits)
  const first = await attempt.code()
  await expect(attempt.scan(first)).rejects.toThrow('scan the code that is shown now')
  const second = await attempt.code(2)
  const [before, after] = [fieldsOf(first), fieldsOf(second)]
  expect(after.filter((field, index) => field !== before[index])).toEqual([after[3]])
  expect(second.expiresAtMs).toBe(first.expiresAtMs)
  await expect(attempt.scan(first)).rejects.toThrow('scan the code that is shown now')
  await attempt.scan(second)
  expect(await attempt.linked).toMatchObject({ phone: attempt.digits })
})

test('a request for new secrets that comes before any scan is confirmed, and draws the code again', async () => {
  const attempt = new Attempt()
  const pairing = await attempt.pairing()
  refreshSecret(rig.simulator.network, pairing, 'pair-device-rotate-qr')
  const again = await attempt.code(2)
  await rig.simulator.until(() => pairing.refresh?.isConfirmed)
  await attempt.scan(again)
  expect(await attempt.linked).toMatchObject({ phone: attempt.digits })
})

test('a request of that kind that asks for nothing is confirmed, and the code stays', async () => {
  const attempt = new Attempt()
  const first = await attempt.code()
  const pairing = await attempt.pairing()
  refreshSecret(rig.simulator.network, pairing, 'something_else')
  await rig.simulator.until(() => pairing.refresh?.isConfirmed)
  expect(attempt.codes).toHaveLength(1)
  await attempt.scan(first)
  expect(await attempt.linked).toMatchObject({ phone: attempt.digits })
})
