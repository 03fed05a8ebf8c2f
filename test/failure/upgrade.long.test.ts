import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

/** Runs two versions side by side for some time; see bench/upgrade/upgrade.mjs for what it does. */
async function runTrial(...args: string[]): Promise<Record<string, unknown>> {
  const run = promisify(execFile)
  const { stdout } = await run(process.execPath, ['bench/upgrade/upgrade.mjs', '--json', ...args]).catch(
    (error: { stdout?: string; stderr?: string }) => ({ stdout: error.stdout || JSON.stringify(error.stderr) }),
  )
  return JSON.parse(stdout) as Record<string, unknown>
}

it('an old and a new version on one database lose nothing and duplicate nothing, during the upgrade and back', async () => {
  const result = await runTrial('--minutes', '1.5', '--numbers', '6', '--rate', '3', '--passes', '2')
  expect(result).toMatchObject({
    lost: 0,
    doubled: 0,
    outOfOrder: 0,
    wrongAccount: 0,
    failed: 0,
    refused: 0,
    givenUp: 0,
    exchanges: { new: 9, old: 9 },
    endedByThemselves: [],
    passed: true,
  })
})
