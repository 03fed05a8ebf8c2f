import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { MOST_QUIET_MS } from './gateways.mjs'

const SET_UP_MS = 900_000

/** A run with a temporary folder: logs its progress and always cleans up. */
export function openRun({ name, lengthMs, logs }) {
  const startedMs = performance.now()
  const folder = mkdtempSync(join(tmpdir(), `postern-${name}-`))
  const toEnd = [async () => rmSync(folder, { recursive: true, force: true })]
  const ownLogs = logs === undefined ? folder : resolve(logs)
  mkdirSync(ownLogs, { recursive: true })

  const log = text => console.error(`${((performance.now() - startedMs) / 1000).toFixed(0).padStart(4)} s  ${text}`)
  const most = SET_UP_MS + 2 * lengthMs + 2 * MOST_QUIET_MS
  const deadline = setTimeout(() => void end(2, 'the run does not end'), most)

  async function end(code, why) {
    clearTimeout(deadline)
    if (why !== undefined) log(why)
    for (const each of toEnd.splice(0).reverse()) await each().catch(() => {})
    process.exit(code)
  }
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void end(130, `ended by ${signal}`))
  process.once('uncaughtException', error => void end(2, error.stack))
  return { folder, logs: ownLogs, log, toEnd, end }
}
