import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { inSize } from '../harness/matrix.ts'

/** Runs the ledger for a while; see bench/ledger/ledger.mjs for what it counts. */
async function runLedger(...args: string[]): Promise<Record<string, number | boolean>> {
  const run = promisify(execFile)
  const { stdout } = await run(process.execPath, ['bench/ledger/ledger.mjs', '--events', '1', ...args]).catch(
    (error: { stdout?: string; stderr?: string }) => ({ stdout: error.stdout || JSON.stringify(error.stderr) }),
  )
  return JSON.parse(stdout) as Record<string, number | boolean>
}

const nothingWrong = {
  lost: 0,
  unexpected: 0,
  altered: 0,
  wrongSignature: 0,
  wrongEndpoint: 0,
  wronglyDead: 0,
  crashes: 0,
  maxAttempts: 4,
  passed: true,
}

const size = inSize(
  { seconds: 6, rate: 40, kills: 2, separateKills: 1 },
  { seconds: 40, rate: 150, kills: 4, separateKills: 2 },
)
const load = ['--seconds', `${size.seconds}`, '--rate', `${size.rate}`]

describe('whatever is killed, no committed event is lost', () => {
  test('one process with everything, on SQLite', async () => {
    const result = await runLedger(...load, '--kills', `${size.kills}`)
    expect(result).toMatchObject(nothingWrong)
    expect(result.kills).toBe(size.kills)
    expect(result.messagesAccepted).toBeGreaterThan(10)
    expect(result.duplicates).toBeLessThanOrEqual(result.uncommittedAtKills as number)
    expect(result.eventsOfMessages).toBeGreaterThanOrEqual(result.messagesAccepted as number)
  })

  test('separate processes on PostgreSQL, which is itself restarted', async () => {
    const result = await runLedger(...load, '--kills', `${size.separateKills}`, '--separate', '--postgres')
    expect(result).toMatchObject({ ...nothingWrong, restarts: 1 })
    expect(result.kills).toBe(size.separateKills)
  })
})
