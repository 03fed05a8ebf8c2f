import { execFileSync } from 'node:child_process'
import { FOR, RANGE } from './prometheus.mjs'

const clock = ms => new Date(ms).toISOString().slice(11, 19)
const seconds = (from, to) => (to === null ? '' : `${((to - from) / 1_000).toFixed(0)} s`)

/** The page that shows which alarm fired when. */
export function writeTranscript({ beganMs, judged, results, queries, rules }) {
  const version = execFileSync('prometheus', ['--version'], { encoding: 'utf8' }).split(' ').slice(0, 3).join(' ')
  const names = [...new Set([...rules.matchAll(/- alert: (\w+)/g)].map(match => match[1]))]
  const fired = new Set(results.filter(({ firedMs }) => firedMs !== null).map(({ alarm }) => alarm))
  return `# The alarms, one by one

Written by \`npm run alarms\` on ${new Date(beganMs).toISOString().slice(0, 10)}; ${version}, Node ${process.version}, on one machine with other work
on it. Two real Prometheus servers, one for numbers and one for processes and their database, scrape real processes every three seconds; the rules are those of
[\`deploy/prometheus/alerts.yml\`](../../deploy/prometheus/alerts.yml) with one change: every
\`for\` is ${FOR}, every range and offset ${RANGE}, so that the run is short. Thresholds are as shipped. Times are UTC.

\`\`\`
${judged.join('\n')}
\`\`\`

${fired.size} of ${names.length} alarms fired.

| Alarm | Provoked by | Begun | Fired | after | Resolved | after |
|---|---|---|---|---|---|---|
${results.map(row).join('\n')}

${silentOnes(
  names.filter(name => !fired.has(name)),
  results,
)}## The dashboard

Every query of [\`deploy/grafana/dashboard.json\`](../../deploy/grafana/dashboard.json) ran on both after the last
alarm: ${queries.filter(({ series }) => series > 0).length} of ${queries.length} returned series.

${
  queries
    .filter(({ series }) => !(series > 0))
    .map(({ expr, error, why }) => `- \`${expr}\`: ${error ?? why ?? 'no series'}`)
    .join('\n') || 'None was empty.'
}
`
}

function silentOnes(names, results) {
  const tried = new Set(results.map(({ alarm }) => alarm))
  const lines = names.map(name => `- ${name}: ${tried.has(name) ? 'was provoked but did not fire' : 'was skipped'}\n`)
  return lines.length === 0 ? '' : `## Did not fire in this run\n\n${lines.join('')}\n`
}

const row = ({ alarm, how, begunMs, firedMs, mendedMs, silentMs }) => {
  if (firedMs === null) return `| ${alarm} | ${how} | ${clock(begunMs)} | no |  |  |  |`
  const silent = silentMs === null ? 'not within the run' : clock(silentMs)
  return `| ${alarm} | ${how} | ${clock(begunMs)} | ${clock(firedMs)} | ${seconds(begunMs, firedMs)} | ${silent} | ${seconds(mendedMs, silentMs)} |`
}
