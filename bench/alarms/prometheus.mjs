import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { later } from '../shared/child.mjs'
import { killOnExit } from '../shared/kill-on-exit.mjs'
import { freePort } from '../../scripts/shared/free-port.mjs'

const DEPLOY = fileURLToPath(new URL('../../deploy/prometheus', import.meta.url))
/** How long a condition must last in the run, and how far back a rule looks. */
export const FOR = '3s'
export const RANGE = '40s'

/** The shipped rules with each `for`, range and offset shortened. Nothing else changes. */
export const quicken = rules =>
  rules
    .replaceAll(/^( +for: ).*$/gm, `$1${FOR}`)
    .replaceAll(/\[\d+[mh]\]/g, `[${RANGE}]`)
    .replaceAll(/offset \d+[mh]/g, `offset ${RANGE}`)

/** Checks the shipped files with promtool; returns its output. */
export function judgeRules() {
  if (spawnSync('promtool', ['--version']).error) {
    console.error('promtool is missing. Install the package "prometheus" of Debian, and run this again.')
    process.exit(1)
  }
  const run = (...args) => execFileSync('promtool', args, { cwd: DEPLOY, encoding: 'utf8' }).trim()
  return [run('check', 'rules', 'alerts.yml'), run('test', 'rules', 'alerts.test.yml')]
}

export const shippedRules = () => readFileSync(join(DEPLOY, 'alerts.yml'), 'utf8')

/** A Prometheus on loopback with these rules, which scrapes its targets every three seconds. */
export async function startPrometheus(token) {
  const folder = mkdtempSync(join(tmpdir(), 'postern-alarms-'))
  const file = name => join(folder, name)
  const port = await freePort()
  writeFileSync(file('alerts.yml'), quicken(shippedRules()))
  writeFileSync(file('token'), token)
  writeFileSync(file('targets.json'), '[]')
  writeFileSync(file('prometheus.yml'), configOf(file))
  const args = [
    `--config.file=${file('prometheus.yml')}`,
    `--storage.tsdb.path=${file('data')}`,
    `--web.listen-address=127.0.0.1:${port}`,
    '--log.level=error',
  ]
  const child = killOnExit(spawn('prometheus', args, { stdio: ['ignore', 'inherit', 'inherit'] }))
  const ask = async path => (await fetch(`http://127.0.0.1:${port}/api/v1/${path}`)).json()
  for (let left = 200; left > 0 && !(await ask('alerts').catch(() => undefined)); left--) await later(100)
  return {
    watch: targets => {
      writeFileSync(file('next.json'), JSON.stringify([{ targets }]))
      renameSync(file('next.json'), file('targets.json'))
    },
    query: async expr => await ask(`query?query=${encodeURIComponent(expr)}`),
    /** The alarms that fire now, with their labels. */
    firing: async () => (await ask('alerts')).data.alerts.filter(({ state }) => state === 'firing'),
    stop: async () => {
      const ended = new Promise(resolve => child.once('exit', resolve))
      child.kill('SIGTERM')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const configOf = file => `global: { scrape_interval: 3s, scrape_timeout: 3s, evaluation_interval: 1s }
rule_files: [${file('alerts.yml')}]
scrape_configs:
  - job_name: postern
    authorization: { credentials_file: ${file('token')} }
    file_sd_configs: [{ files: [${file('targets.json')}], refresh_interval: 1s }]
`
