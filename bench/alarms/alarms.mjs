import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { build } from '../../scripts/build.mjs'
import { later } from '../shared/child.mjs'
import { startCluster } from './cluster.mjs'
import { clusterSteps } from './cluster-steps.mjs'
import { startNumbers } from './numbers.mjs'
import { numberSteps } from './number-steps.mjs'
import { judgeRules, shippedRules, startPrometheus } from './prometheus.mjs'
import { startReceiver } from './receiver.mjs'
import { writeTranscript } from './transcript.mjs'
import { helpIfAsked } from '../../scripts/shared/help.mjs'

/**
 * Provokes every alarm of deploy/prometheus/alerts.yml on real processes, a real PostgreSQL and a real
 * Prometheus, and waits until each fires and resolves. Also runs every query of the dashboard. Writes
 * docs/transcripts/alarms.md. Exits with 1 if a provoked alarm did not fire.
 *
 *   npm run alarms                 ALARMS=PosternDiskFull,… runs only these and writes nothing
 *                                  ALARMS_MINUTES (60): skips and reports steps that would start later
 *
 * Needs Debian's packages prometheus and postgresql, and root for a small disk and a memory cgroup.
 */
helpIfAsked(import.meta.url)
const TOKEN = 'operator-token-of-the-alarms'
const PATIENCE_MS = 90_000
const ONLY = process.env.ALARMS?.split(',')
const root = new URL('../../', import.meta.url)

const beganMs = Date.now()
const endMs = beganMs + Number(process.env.ALARMS_MINUTES ?? 60) * 60_000
const judged = judgeRules()
console.log(judged.join('\n'))
await build({ quiet: true })
const [ofNumbers, ofCluster] = await Promise.all([tryNumbers(), tryCluster()])
const results = [...ofNumbers.results, ...ofCluster.results]
const queries = ofNumbers.queries.map((query, n) => ({ ...query, series: query.series + ofCluster.queries[n].series }))
console.log(
  `${queries.filter(({ series }) => series > 0).length} of ${queries.length} queries of the dashboard returned series`,
)

if (ONLY === undefined) {
  mkdirSync(new URL('docs/transcripts/', root), { recursive: true })
  const page = writeTranscript({ beganMs, judged, results, queries, rules: shippedRules() })
  writeFileSync(new URL('docs/transcripts/alarms.md', root), page)
}
const missed = results.filter(({ firedMs }) => firedMs === null).map(({ alarm }) => alarm)
const broken = queries.filter(({ error }) => error !== undefined)
console.log(missed.length === 0 ? 'every provoked alarm fired' : `did not fire: ${missed.join(', ')}`)
process.exit(missed.length + broken.length > 0 ? 1 : 0)

/** Alarms about numbers: one process, with a separate Prometheus. */
async function tryNumbers() {
  const [prometheus, receiver] = [await startPrometheus(TOKEN), await startReceiver()]
  const numbers = await startNumbers(TOKEN, receiver)
  prometheus.watch([numbers.target])
  await until(async () => (await prometheus.query('postern_ready')).data.result.length > 0, PATIENCE_MS)
  const results = await goThrough(prometheus, numberSteps({ numbers, receiver }))
  const queries = await askDashboard(prometheus)
  await numbers.stop()
  receiver.stop()
  await prometheus.stop()
  return { results, queries }
}

/** Alarms about processes and PostgreSQL, with another Prometheus. */
async function tryCluster() {
  const [prometheus, receiver] = [await startPrometheus(TOKEN), await startReceiver()]
  const cluster = await startCluster(TOKEN, receiver)
  const watch = others =>
    prometheus.watch(others === null ? [] : [...Object.values(cluster.nodes), ...others].map(({ target }) => target))
  watch([])
  await until(async () => (await prometheus.query('postern_ready == 1')).data.result.length >= 7, PATIENCE_MS)
  await until(async () => (await firingIn(prometheus)).size === 0, PATIENCE_MS)
  const results = await goThrough(prometheus, clusterSteps({ cluster, watch, receiver }))
  const queries = await askDashboard(prometheus)
  await cluster.stop(Object.values(cluster.nodes))
  receiver.stop()
  await prometheus.stop()
  return { results, queries }
}

async function firingIn(prometheus) {
  return new Set((await prometheus.firing()).map(({ labels }) => labels.alertname))
}

async function goThrough(prometheus, steps) {
  const results = []
  const wanted = steps.filter(({ alarms }) => ONLY === undefined || alarms.some(alarm => ONLY.includes(alarm)))
  for (const step of wanted) if (Date.now() < endMs) results.push(...(await go(prometheus, step)))
  return results
}

/** Provokes the alarms of one step, waits until each fires, repairs the cause, and waits until each resolves. */
async function go(prometheus, { alarms, how, provoke, mend = () => {}, after = () => {}, patienceMs = PATIENCE_MS }) {
  const note = (rows, name, isFiring) => async () => {
    const names = await firingIn(prometheus)
    for (const row of rows) if (row[name] === null && names.has(row.alarm) === isFiring) row[name] = Date.now()
    return rows.every(row => row[name] !== null)
  }
  const blank = () => alarms.map(alarm => ({ alarm, silentMs: null }))
  await until(note(blank(), 'silentMs', false), PATIENCE_MS)
  const begunMs = Date.now()
  const rows = alarms.map(alarm => ({ alarm, how, begunMs, firedMs: null, mendedMs: null, silentMs: null }))
  const provoking = reportErrors(how, provoke)
  await until(note(rows, 'firedMs', true), patienceMs)
  await provoking
  await reportErrors(`mending: ${how}`, mend)
  for (const row of rows) row.mendedMs = Date.now()
  await until(note(rows, 'silentMs', false), patienceMs)
  await reportErrors(`after: ${how}`, after)
  for (const row of rows) console.log(formatRow(row))
  return rows
}

/** Prints an error in a provocation; the alarm then does not fire. */
async function reportErrors(what, work) {
  try {
    await work()
  } catch (error) {
    console.log(`${what}: ${error.stack}`)
  }
}

function formatRow({ alarm, begunMs, firedMs, mendedMs, silentMs }) {
  const seconds = (from, to) => `${((to - from) / 1_000).toFixed(0)} s`
  const sounded = firedMs === null ? 'DID NOT FIRE' : `fired after ${seconds(begunMs, firedMs)}`
  return `${alarm}: ${sounded}, ${silentMs === null ? 'still firing' : `resolved ${seconds(mendedMs, silentMs)} after the repair`}`
}

async function until(isSo, patienceMs) {
  for (const endMs = Date.now() + patienceMs; Date.now() < endMs; await later(250)) if (await isSo()) return
}

async function askDashboard(prometheus) {
  const dashboard = JSON.parse(readFileSync(new URL('deploy/grafana/dashboard.json', root), 'utf8'))
  const exprs = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
  const queries = []
  for (const expr of exprs) {
    // The range covers the run: an empty result means that there never was a series.
    const expanded = expr.replaceAll('$__rate_interval', '10m').replaceAll('$instance', '.*')
    const { status, data, error } = await prometheus.query(expanded)
    queries.push({ expr, series: data?.result.length ?? 0, ...(status !== 'success' && { error }) })
  }
  return queries
}
