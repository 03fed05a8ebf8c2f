import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** Runs the ledger for some time; see bench/ledger/ledger.mjs for what it counts. */
export async function runLedger(
  load: { seconds: number; rate: number; kills: number },
  ...args: string[]
): Promise<Record<string, number | boolean>> {
  const sizes = Object.entries(load).flatMap(([name, value]) => [`--${name}`, `${value}`])
  const { stdout } = await promisify(execFile)(process.execPath, [
    'bench/ledger/ledger.mjs',
    '--events',
    '1',
    ...sizes,
    ...args,
  ]).catch((error: { stdout?: string; stderr?: string }) => ({ stdout: error.stdout || JSON.stringify(error.stderr) }))
  return JSON.parse(stdout) as Record<string, number | boolean>
}

export const NOTHING_WRONG = {
  lost: 0,
  unexpected: 0,
  altered: 0,
  wrongSignature: 0,
  wrongEndpoint: 0,
  wronglyDead: 0,
  pulledTwice: 0,
  crashes: 0,
  maxAttempts: 4,
  passed: true,
}
