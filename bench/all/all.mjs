import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { FIGURES } from '../figures.mjs'
import { drawFigures } from './draw-figures.mjs'

const FEW_SLICES = { BENCH_SLICES: '5' }

/**
 * Runs the benchmarks one after the other, prints their figures beside the required values, and writes them to
 * `bench/results/` as JSON and SVG. Exits with 1 if a figure misses its value or a benchmark fails. `npm run bench`, or
 * `npm run bench -- all accept deliver` for some of them. `npm run bench -- all --stored` also measures accept and deliver
 * with a million stored messages and parked deliveries, which takes some minutes more.
 */
const RUNS = [
  { bench: 'floor', args: [], quick: FEW_SLICES },
  { bench: 'floor', args: ['--postgres'], quick: FEW_SLICES },
  { bench: 'thin', args: ['send', 'receive', 'start'], quick: FEW_SLICES },
  { bench: 'accept', args: ['--beside', 'api-log'] },
  { bench: 'accept', args: ['--beside', 'api-log', '--postgres'] },
  { bench: 'deliver', args: [] },
  { bench: 'deliver', args: ['--postgres'] },
  { bench: 'send', args: ['send', 'memory', 'api'], quick: { BENCH_ACKS_MS: '0', BENCH_IDLE: '80' } },
  // Most of its time goes into pairing a thousand numbers.
  { bench: 'restart', args: [], quick: { BENCH_ROUNDS: '1' } },
  { bench: 'media', args: [] },
  { bench: 'rivals', args: [] },
]
/** Shorter than each alone, because all of them take long. */
const QUICK = { BENCH_SECONDS: '2', BENCH_ROUNDS: '5' }
const STORED = ['--stored', '1000000']
const HAVE_STORED = ['accept', 'deliver']
const MOST_MS = 8 * 60_000
const MOST_STORED_MS = 15 * 60_000

const bench = fileURLToPath(new URL('..', import.meta.url))
const results = join(bench, 'results')
const folder = mkdtempSync(join(tmpdir(), 'postern-bench-all-'))
const figuresFile = join(folder, 'figures')
const withStored = process.argv.includes('--stored')
const only = process.argv.slice(2).filter(word => word !== '--stored')
const runs = RUNS.filter(run => only.length === 0 || only.includes(run.bench)).map(run =>
  withStored && HAVE_STORED.includes(run.bench) ? { ...run, args: [...run.args, ...STORED] } : run,
)
const begunAt = performance.now()
const failed = []
for (const [nth, run] of runs.entries()) {
  const name = [run.bench, ...run.args].join(' ')
  console.log(`\n[${nth + 1} of ${runs.length}, ${minutes()} min] ${name}`)
  if (!(await runBench(run))) failed.push(name)
}
report()

/** Shows its output live; kills a benchmark that does not end in time. */
function runBench(run) {
  return new Promise(resolve => {
    const child = spawn(process.execPath, [join(bench, run.bench, `${run.bench}.mjs`), ...run.args], {
      env: { ...QUICK, ...run.quick, ...process.env, BENCH_FIGURES_FILE: figuresFile },
      stdio: 'inherit',
    })
    const tooLong = setTimeout(() => child.kill(), withStored ? MOST_STORED_MS : MOST_MS)
    child.once('exit', code => {
      clearTimeout(tooLong)
      resolve(code === 0)
    })
  })
}

function minutes() {
  return ((performance.now() - begunAt) / 60_000).toFixed(1)
}

function report() {
  const figures = readFigures().map(({ name, value, spread }) => ({ name, ...FIGURES[name], value, spread }))
  console.log(`\n${'figure'.padEnd(56)} ${['must', 'aim', 'is'].map(word => word.padStart(7)).join('')}`)
  for (const figure of figures) {
    const row = [figure.must, figure.aim, figure.value].map(value => short(value).padStart(7)).join('')
    console.log(`${figure.what.padEnd(56)} ${row}  ${verdict(figure)}`)
  }
  for (const name of failed) console.log(`${name} failed`)
  save(figures)
  rmSync(folder, { recursive: true })
  console.log(`\nafter ${minutes()} minutes; ${join('bench', 'results')} has the figures as JSON and SVG`)
  process.exit(failed.length === 0 && figures.every(isMet) ? 0 : 1)
}

function readFigures() {
  if (!existsSync(figuresFile)) return []
  const lines = readFileSync(figuresFile, 'utf8').trim().split('\n')
  return lines.map(line => JSON.parse(line))
}

function isMet({ value, must, more }) {
  if (must === undefined) return true
  return more ? value >= must : value <= must
}

function verdict(figure) {
  if (figure.must === undefined) return 'information'
  if (!isMet(figure)) return 'missed'
  return isMet({ ...figure, must: figure.aim }) ? 'as aimed at' : 'met'
}

function short(value) {
  if (value === undefined) return '–'
  return Math.abs(value) < 10 ? value.toFixed(2) : value.toFixed(0)
}

function save(figures) {
  const [processor] = cpus()
  const machine = {
    cores: cpus().length,
    processor: processor?.model ?? '',
    memoryGb: Math.round(totalmem() / 2 ** 30),
  }
  const rows = figures.map(figure => ({ ...figure, verdict: verdict(figure) }))
  mkdirSync(results, { recursive: true })
  const facts = { at: new Date().toISOString(), node: process.version, machine, figures: rows, failed }
  writeFileSync(join(results, 'figures.json'), `${JSON.stringify(facts, null, 2)}\n`)
  writeFileSync(join(results, 'figures.svg'), drawFigures(rows.filter(({ must }) => must !== undefined)))
}
