import { describe, expect, it } from 'vitest'
import { inSize } from '../harness/matrix.ts'
import { newPlace, STORES } from '../harness/stores.ts'
import { killUnderLoad } from '../harness/accept-kills.ts'

const KILLS = Number(process.env.KILLS ?? inSize(1, 3))

describe.each(STORES)('kill -9 under load on %s', kind => {
  it(
    `keeps every 202 with its command: ${KILLS} kills, 64 connections, a fresh Idempotency-Key each`,
    async () => {
      const place = await newPlace(kind)
      const report = await killUnderLoad(place, { kills: KILLS, connections: 64, onRound: say })
      expect(report.lost).toEqual([])
      expect(report.doubled).toEqual([])
      expect(report.withoutCommand).toEqual([])
      expect(report.wrongAnswers).toEqual([])
      expect(report.usage).toBe(report.stored)
      expect(report.commands).toBe(report.stored)
      expect(report.unexpected).toEqual([])
      expect(report.acknowledged).toBeGreaterThan(KILLS * 20)
      expect(report.kills).toBe(KILLS)
      console.log(
        `kill -9 on ${kind}:`,
        JSON.stringify({ ...report, lost: 0, doubled: 0, withoutCommand: 0, wrongAnswers: 0, unexpected: 0 }),
      )
      place.remove()
    },
    300_000 + KILLS * 40_000,
  )
})

function say(text: string): void {
  if (process.env.KILLS !== undefined) console.log(text)
}
