import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { later } from '../shared/child.mjs'

export const OPERATOR_TOKEN = 'chaos-operator-token-0123456789'
/** Nothing new for so long: what is missing then is lost. */
const QUIET_MS = 60_000
/** A machine that is busy with other things takes its time. */
export const MOST_QUIET_MS = 600_000

/** As shipped, but that a delivery or a start that failed is tried again sooner. */
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

/** Until all that must come has come, or nothing new comes. */
export async function untilQuiet(ledger, say) {
  const began = performance.now()
  ledger.lastNewsMs = began
  while (ledger.untold().length > 0 && performance.now() - ledger.lastNewsMs < QUIET_MS) {
    if (performance.now() - began > MOST_QUIET_MS) return say('something is told all the time, but not all of it')
    await later(500)
  }
  // What comes twice comes a little later, and phones read after a second.
  await later(3_000)
}

export async function readOverview(client) {
  for (;;) {
    const { status, json } = await client.ask('GET', '/operator/overview', { key: OPERATOR_TOKEN })
    if (status === 200) return json
    await later(250)
  }
}
