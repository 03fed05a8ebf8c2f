import { writeFileSync } from 'node:fs'
import { repositories } from '../../dist/store/repositories.js'
import { openEngine } from './engines.mjs'
import { fill } from './fill.mjs'
import { INPUTS } from './inputs.mjs'

/**
 * Measures every transaction and query of the store with a million rows (`--rows`) and the worst
 * input: the slowest statement with its plan, and the whole transaction. `--postgres` uses a separate PostgreSQL instead of
 * the embedded database. `--write <file>` saves the table. Exits with 1 if a limit is exceeded.
 */
const option = (name, fallback) => {
  const at = process.argv.indexOf(`--${name}`)
  return at === -1 ? fallback : process.argv[at + 1]
}
const ROWS = Number(option('rows', 1_000_000))
const ONLY = option('only', '')
const MOST_MS = { statement: 20, transaction: 50 }
/** Takes the shortest processor time of several attempts, to exclude other load on the machine. */
const TRIES = Number(option('tries', 3))

const engine = await openEngine(process.argv.includes('--postgres') ? 'postgres' : 'sqlite')
await fill({ dialect: engine.dialect, run: engine.run, rows: ROWS, log: line => console.error(line) })
await engine.settle()
const measured = []
for (const [repository, { reads, writes, batches }] of Object.entries(repositories))
  for (const name of Object.keys({ ...reads, ...writes, ...batches }).sort())
    if (`${repository}.${name}`.includes(ONLY)) measured.push(await measure(repository, name))
/** These run once, before the gateway starts: no request waits for them. */
const BEFOREHAND = ['moving.listTables', 'leases.freeAllLeases']
const over = measured.filter(
  each => !BEFOREHAND.includes(each.transaction) && (each.error !== undefined || isOver(each)),
)
const table = report(measured)
for (const { transaction, slowest } of over) console.error(`${transaction}: ${slowest?.sql}`)
console.log(table)
console.log(
  `${measured.length} transactions, ${over.length} over the limits: ${over.map(each => each.transaction).join(', ')}`,
)
const file = option('write')
if (file !== undefined) writeFileSync(file, `${table}\n`)
await engine.close()
process.exit(over.length > 0 ? 1 : 0)

async function measure(repository, name) {
  const transaction = `${repository}.${name}`
  const inputs = INPUTS[repository]?.[name]
  if (inputs === undefined) return { transaction, error: 'has no input in bench/queries/inputs.mjs' }
  try {
    const all = []
    for (const mode of engine.modes) {
      await engine.setMode(mode)
      for (const [label, input] of Object.entries(inputs))
        all.push(await measureInput(transaction, label, repository, name, input))
    }
    return all.reduce((worst, each) => (each.ms + each.slowest.ms > worst.ms + worst.slowest.ms ? each : worst))
  } catch (error) {
    return { transaction, error: error.stack }
  }
}

async function measureInput(transaction, label, repository, name, input) {
  let best
  for (let i = 0; i < TRIES; i++) {
    const given = typeof input === 'function' ? input() : input
    const beganMs = engine.spentMs()
    const statements = await engine.perform(repository, name, given)
    const ms = engine.spentMs() - beganMs
    const slowest = statements.reduce((most, each) => (each.ms > most.ms ? each : most), statements[0] ?? { ms: 0 })
    if (best === undefined || ms < best.ms) best = { ms, slowest, count: statements.length }
  }
  const plan = best.count === 0 ? [] : await engine.explain(best.slowest)
  return { transaction: label === '' ? transaction : `${transaction} (${label})`, ...best, plan: briefly(plan) }
}

function isOver({ ms, slowest }) {
  return ms > MOST_MS.transaction || slowest.ms > MOST_MS.statement
}

/** The access path of each index, in the order of the plan. */
function briefly(plan) {
  const steps = plan
    .map(line => line.replace(/^[\s>-]*/, '').trim())
    .filter(
      line =>
        / (Scan|on) |^(SCAN|SEARCH|USE|Sort$|HashAggregate|Limit|insert)/.test(line) && !/^(Limit|Sort Key)/.test(line),
    )
    .map(line => line.replace(/\s+/g, ' ').slice(0, 110))
  return [...new Set(steps)].join('; ')
}

function report(rows) {
  const lines = rows.map(each =>
    each.error === undefined
      ? `| ${each.transaction} | ${each.count} | ${each.slowest.ms.toFixed(1)} | ${each.ms.toFixed(1)} | ${isOver(each) ? '**over** ' : ''}${each.plan} |`
      : `| ${each.transaction} | | | | **failed**: ${each.error} |`,
  )
  return [
    '| Transaction or query | Statements | Slowest, ms | Total, ms | Plan of the slowest |',
    '|---|---|---|---|---|',
    ...lines,
  ].join('\n')
}
