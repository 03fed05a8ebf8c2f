import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'

/** Runs the chaos test briefly; see bench/chaos/chaos.mjs for what it counts. */
async function runChaos(...args: string[]): Promise<Record<string, unknown>> {
  const run = promisify(execFile)
  const { stdout } = await run(process.execPath, ['bench/chaos/chaos.mjs', '--json', ...args]).catch(
    (error: { stdout?: string; stderr?: string }) => ({ stdout: error.stdout || JSON.stringify(error.stderr) }),
  )
  return JSON.parse(stdout) as Record<string, unknown>
}

describe('Nine processes under faults of every kind', () => {
  it('lose nothing, duplicate nothing, deliver nothing to another account, and fail no valid recipient', async () => {
    const result = await runChaos(
      '--seed',
      '13',
      '--minutes',
      '0.4',
      '--numbers',
      '8',
      '--rate',
      '4',
      '--every',
      '1200',
    )
    expect(result).toMatchObject({
      lost: 0,
      doubled: 0,
      outOfOrder: 0,
      wrongAccount: 0,
      failed: 0,
      refused: 0,
      givenUp: 0,
      faultsOf: { promotion: 1 },
      passed: true,
    })
  })
})
