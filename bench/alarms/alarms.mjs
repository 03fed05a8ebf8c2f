import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { build } from '../../scripts/build.mjs'
import { later } from '../shared/child.mjs'
import { startCluster } from './cluster.mjs'
import { clusterSteps } from './cluster-steps.mjs'
import { startNumbers } from './numbers.mjs'
import { numberSteps } from './number-steps.mjs'
import { judgeRules, shippedRules, startPrometheus } from './prometheus.mjs'
import { startReceiver } from './receiver.mjs'
import { NOT_PROVOKED, writeTranscript } from './transcript.mjs'

/**
 * Provokes every alarm of deploy/prometheus/alerts.yml that can be provoked, on real processes, a real PostgreSQL and a real
 * Prometheus, and waits until each sounds and is silent again. Asks every query of the dashboard meanwhile. Writes
 * docs/transcripts/alarms.md, and ends with 1 where an alarm did not sound that should have.
 *
 *   npm run alarms                 ALARMS=PosternDiskFull,… for some alone; nothing is written then
 *
 * Needs Debian's packages prometheus and postgresql, and root for a small disk of its own.
 */
const TOKEN = 'operator-token-of-the-alarms'
const PATIENCE_MS = 90_000
const ONLY = process.env.ALARMS?.split(',')
const root = new URL('../../', import.meta.url)

const beganMs = Date.now()
const judged = judgeRules()
console.log(judged.join('\n'))
await build({ quiet: true })
const prometheus = await startPrometheus(TOKEN)
const receiver = await startReceiver()
const results = []
const queries = []

async function until(isSo, patienceMs) {
  for (const endMs = Date.now() + patienceMs; Date.now() < endMs; await later(250)) if (await isSo()) return Date.now()
  return null
}

const sounding = async () => new Set((await prometheus.firing()).map(({ labels }) => labels.alertname))

async function go(step) {
  const { alarms, how, provoke, mend = () => {}, after = () => {}, patienceMs = PATIENCE_MS } = step
  if (ONLY !== undefined && !alarms.some(alarm => ONLY.includes(alarm))) return
  await until(async () => {
    const names = await sounding()
    return alarms.every(alarm => !names.has(alarm))
  }, PATIENCE_MS)
  const begunMs = Date.now()
  const rows = alarms.map(alarm => ({ alarm, how, begunMs, firedMs: null, mendedMs: null, silentMs: null }))
  const hear = async () => {
    const names = await sounding()
    for (const row of rows) if (row.firedMs === null && names.has(row.alarm)) row.firedMs = Date.now()
    return rows.every(({ firedMs }) => firedMs !== null)
  }
  const provoking = Promise.resolve(provoke()).catch(error => console.log(`  ${how}: ${error.stack}`))
  await until(hear, patienceMs)
  await provoking
  await hear()
  await Promise.resolve(mend()).catch(error => console.log(`  mending ${how}: ${error.stack}`))
  const mendedMs = Date.now()
  await until(async () => {
    const names = await sounding()
    for (const row of rows) if (row.silentMs === null && !names.has(row.alarm)) row.silentMs = Date.now()
    return rows.every(({ silentMs }) => silentMs !== null)
  }, patienceMs)
  await after()
  for (const row of rows) {
    row.mendedMs = mendedMs
    const said =
      row.firedMs === null ? 'DID NOT SOUND' : `sounded after ${((row.firedMs - begunMs) / 1_000).toFixed(0)} s`
    const over =
      row.silentMs === null
        ? 'and sounds on'
        : `silent ${((row.silentMs - mendedMs) / 1_000).toFixed(0)} s after it was mended`
    console.log(`${row.alarm}: ${said}, ${over}`)
  }
  results.push(...rows)
}

async function askDashboard() {
  const dashboard = JSON.parse(readFileSync(new URL('deploy/grafana/dashboard.json', root), 'utf8'))
  for (const { targets = [] } of dashboard.panels) {
    for (const { expr } of targets) {
      const answer = await prometheus.query(expr.replaceAll('$__rate_interval', '30s').replaceAll('$instance', '.*'))
      const series = answer.data?.result.length ?? 0
      queries.push({ expr, series, ...(answer.status !== 'success' && { error: answer.error }) })
    }
  }
  console.log(
    `${queries.filter(({ series }) => series > 0).length} of ${queries.length} queries of the dashboard gave series`,
  )
}

const numbers = await startNumbers(TOKEN, receiver)
prometheus.watch([numbers.target])
await until(async () => (await prometheus.query('postern_ready')).data.result.length > 0, PATIENCE_MS)
for (const step of numberSteps({ numbers, receiver })) await go(step)
await askDashboard()
prometheus.watch([])
await numbers.stop()

const cluster = await startCluster(TOKEN, receiver)
const watch = others =>
  prometheus.watch(others === null ? [] : [...Object.values(cluster.nodes), ...others].map(({ target }) => target))
watch([])
await until(async () => (await prometheus.query('postern_ready == 1')).data.result.length >= 7, PATIENCE_MS)
await until(async () => (await sounding()).size === 0, PATIENCE_MS)
for (const step of clusterSteps({ cluster, watch, receiver })) await go(step)
await cluster.stop(Object.values(cluster.nodes))
receiver.stop()
await prometheus.stop()

if (ONLY === undefined) {
  mkdirSync(new URL('docs/transcripts/', root), { recursive: true })
  const page = writeTranscript({ beganMs, judged, results, queries, rules: shippedRules() })
  writeFileSync(new URL('docs/transcripts/alarms.md', root), page)
}
const missed = results
  .filter(({ alarm, firedMs }) => firedMs === null && !(alarm in NOT_PROVOKED))
  .map(({ alarm }) => alarm)
const broken = queries.filter(({ error }) => error !== undefined)
console.log(missed.length === 0 ? 'every alarm that was provoked has sounded' : `did not sound: ${missed.join(', ')}`)
process.exit(missed.length + broken.length > 0 ? 1 : 0)
