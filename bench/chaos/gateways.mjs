import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { later } from '../shared/child.mjs'

export const OPERATOR_TOKEN = 'chaos-operator-token-0123456789'
/** After this time without a new event, missing events count as lost. */
const QUIET_MS = 60_000
/** Generous, for a busy machine. */
export const MOST_QUIET_MS = 600_000

/** The defaults, except for shorter retry delays. */
export function settings(folder) {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('POSTERN_'))
  return {
    ...Object.fromEntries(own),
    POSTERN_DATA_DIR: join(folder, 'data'),
    POSTERN_SECRET_KEY: randomBytes(32).toString('base64'),
    POSTERN_OPERATOR_TOKEN: OPERATOR_TOKEN,
    POSTERN_RETRY_DELAYS: '1s,5s,30s',
    POSTERN_LOG_LEVEL: 'info',
  }
}

/** Waits until all expected events have arrived, or no new one arrives. */
export async function untilQuiet(ledger, log) {
  const began = performance.now()
  ledger.lastEventMs = began
  while (ledger.undelivered().length > 0 && performance.now() - ledger.lastEventMs < QUIET_MS) {
    if (performance.now() - began > MOST_QUIET_MS)
      return log('events keep arriving, but some expected ones are missing')
    await later(500)
  }
  // Duplicates arrive a little later, and phones read after a second.
  await later(3_000)
}

export async function readOverview(client) {
  for (;;) {
    const { status, json } = await client.ask('GET', '/operator/overview', { key: OPERATOR_TOKEN })
    if (status === 200) return json
    await later(250)
  }
}
