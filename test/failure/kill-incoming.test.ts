import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addEveryEndpoint, type EveryEndpoint, NOTHING_MISSING } from '../harness/every-endpoint.ts'
import { stormAndKill, type StormReport } from '../harness/incoming-storm.ts'
import { inSize } from '../harness/matrix.ts'
import { type KillSandbox, openKillSandbox } from '../harness/kill-sandbox.ts'

const RUNS = Number(process.env.RUNS ?? inSize(1, 2))
const NUMBERS = Number(process.env.NUMBERS ?? 3)
const MESSAGES = Number(process.env.MESSAGES ?? 120)
const RECEIPTS = Number(process.env.RECEIPTS ?? MESSAGES / 4)
const CALLS = Number(process.env.CALLS ?? Math.ceil(MESSAGES / 40))

describe('kill -9 while phones write, read and call', () => {
  let sandbox: KillSandbox
  let endpoints: EveryEndpoint
  beforeAll(
    async () => {
      sandbox = await openKillSandbox(NUMBERS, { timing: { readDelayMs: Number.POSITIVE_INFINITY } })
      endpoints = await addEveryEndpoint(sandbox)
    },
    300_000 + NUMBERS * 10_000,
  )
  afterAll(async () => {
    await sandbox?.close()
    await endpoints?.close()
  })

  it(
    `makes every stanza one event, for a webhook and five endpoints of every sort, acknowledged within 30 s: ${RUNS} runs of ${MESSAGES} messages over ${NUMBERS} numbers`,
    async () => {
      const reports: StormReport[] = []
      for (let run = 1; run <= RUNS; run++) {
        const report = await stormAndKill(sandbox, endpoints, { messages: MESSAGES, receipts: RECEIPTS, calls: CALLS })
        console.log(`run ${run}:`, JSON.stringify(report))
        reports.push(report)
      }
      for (const report of reports) {
        expect(report.unacknowledgedAtKill).toBeGreaterThanOrEqual(20)
        expect(report.lost).toEqual([])
        expect(report.doubled).toEqual([])
        expect(report.unexpected).toEqual([])
        expect(report.unacknowledged).toBe(0)
        for (const [sort, compared] of Object.entries(report.endpoints)) expect(compared, sort).toEqual(NOTHING_MISSING)
        expect(Object.keys(report.endpoints)).toHaveLength(5)
        expect(report.events + report.counted).toBe(MESSAGES + RECEIPTS + CALLS)
        expect(report.mediaDownloaded).toBe(Math.ceil(MESSAGES / 10))
      }
    },
    RUNS * (300_000 + MESSAGES * 50),
  )
})
