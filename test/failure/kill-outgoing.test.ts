import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inSize } from '../harness/matrix.ts'
import { type KillSandbox, openKillSandbox } from '../harness/kill-sandbox.ts'
import { sendThroughKills } from '../harness/outgoing-kills.ts'

const KILLS = Number(process.env.KILLS ?? inSize(2, 3))
const NUMBERS = Number(process.env.NUMBERS ?? 3)
const RECIPIENTS = Number(process.env.RECIPIENTS ?? 4)
const MESSAGES = Number(process.env.MESSAGES ?? inSize(90, 180))
const ACK_DELAY_MS = Number(process.env.ACK_DELAY_MS ?? 20)

describe('kill -9 while messages are sent', () => {
  let sandbox: KillSandbox
  beforeAll(
    async () => {
      const timing = { ackDelayMs: ACK_DELAY_MS, readDelayMs: Number.POSITIVE_INFINITY }
      sandbox = await openKillSandbox(NUMBERS, { timing, heldMessages: 1_000_000 })
    },
    300_000 + NUMBERS * 10_000,
  )
  afterAll(() => sandbox?.close())

  it(
    `delivers every accepted message to its phone once and in order: ${KILLS} kills, ${MESSAGES} messages of ${NUMBERS} numbers`,
    async () => {
      const load = { messages: MESSAGES, kills: KILLS, recipients: RECIPIENTS, ackDelayMs: ACK_DELAY_MS, onKill: say }
      const report = await sendThroughKills(sandbox, load)
      console.log('outgoing:', JSON.stringify(report))
      expect(report.wrongAnswers).toEqual([])
      expect(report.accepted).toBeGreaterThanOrEqual(MESSAGES)
      expect(report.lost).toEqual([])
      expect(report.doubled).toEqual([])
      expect(report.distinct).toBe(report.accepted)
      expect(report.outOfOrder).toEqual([])
      expect(report.needlesslyRepeated).toEqual([])
      expect(report.repeats).toBeLessThanOrEqual(report.awaitingAck.reduce((sum, count) => sum + count, 0))
      expect(report.unread).toEqual([])
      expect(report.notPublishedOnce).toEqual([])
    },
    300_000 + KILLS * 20_000 + MESSAGES * 50,
  )
})

function say(text: string): void {
  if (process.env.KILLS !== undefined) console.log(text)
}
