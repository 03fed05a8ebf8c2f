import { afterAll, beforeAll, expect, test } from 'vitest'
import { inSize } from '../harness/matrix.ts'
import { type FuzzRig, openFuzzRig } from '../harness/wire-fuzz/fuzz-rig.ts'
import { fuzz } from '../harness/wire-fuzz/run.ts'

/** Contacts that send arbitrary stanzas on the wire. `npm run fuzz` does the same at full size. */

const SEED = process.env.FUZZ_SEED ?? 'suite'
const MESSAGES = Number(process.env.FUZZ_MESSAGES ?? inSize(300, 2_000))

let rig: FuzzRig
beforeAll(async () => {
  rig = await openFuzzRig(4)
})
afterAll(() => rig.close())

test('whatever contacts send on the wire, messages of others are published once, and no link ends because of it', async () => {
  const { simulator, receiver, numbers, write, follow } = rig
  const report = await fuzz({
    simulator,
    receiver,
    numbers: numbers.map(({ phone }) => phone),
    seed: SEED,
    messages: MESSAGES,
    write,
    follow,
  })
  // If it fails, the seed and the names of the stanzas reproduce it: FUZZ_SEED, FUZZ_ONLY of `npm run fuzz`.
  expect({ seed: SEED, ...report }).toMatchObject({
    innocent: { sent: Math.ceil(MESSAGES / 6), lost: [], doubled: [], misplaced: [] },
    linksDropped: [],
    unconfirmed: [],
    wrong: [],
  })
  expect(Object.values(report.hostile).reduce((sum, count) => sum + count)).toBe(MESSAGES)
})
