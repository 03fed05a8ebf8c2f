import { spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * Runs the complete suite: types, lint, imports and format while it builds, then all tests on real components. After
 * the runner's summary it prints the processor time. Arguments go to the runner: `npm test -- test/spec/errors.test.ts`.
 * With `TEST_LONG=1` (`npm run test:long`) it runs only the long tests.
 */
const root = dirname(dirname(fileURLToPath(import.meta.url)))
const only = process.argv.slice(2)
const build = ['build', 'scripts/build.mjs']

if (only.length === 0 && process.env.TEST_LONG !== '1') {
  const projects = ['tsconfig.json', ...['simulator', 'sdk', 'portal', 'portal/e2e', 'site/browser'].map(tsconfigOf)]
  const types = projects.map(file => [`types (${file})`, 'node_modules/typescript/bin/tsc', '-p', file, '--noEmit'])
  await Promise.all([
    inOrder(types),
    inOrder([
      build,
      ['lint', 'node_modules/oxlint/bin/oxlint', '--type-aware', '--deny-warnings'],
      ['imports', 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs', 'src', 'simulator/src', 'packages'],
      ['format', 'node_modules/@biomejs/biome/bin/biome', 'format', '.'],
    ]),
  ])
} else {
  await inOrder([build])
}
const began = performance.now()
const { status } = spawnSync(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...only], {
  cwd: root,
  stdio: 'inherit',
})
finish('tests', status, began)
const spent = processorSeconds()
if (spent !== undefined) console.log(`${(spent / 60).toFixed(1)} minutes of processor time (user and system)`)

function tsconfigOf(folder) {
  return `${folder}/tsconfig.json`
}

async function inOrder(steps) {
  for (const step of steps) await run(step)
}

/** Runs a step, and prints all that it wrote when it ends: another one runs beside it. */
async function run([name, ...command]) {
  const began = performance.now()
  const child = spawn(process.execPath, command, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
  // A step that fails ends the others.
  const end = () => child.kill()
  process.once('exit', end)
  const output = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', bytes => output.push(bytes))
  const status = await new Promise(resolve => child.once('close', resolve))
  process.off('exit', end)
  process.stderr.write(Buffer.concat(output))
  finish(name, status, began)
}

function finish(name, status, began) {
  if (status !== 0) {
    console.error(`${name}: failed`)
    process.exit(status ?? 1)
  }
  console.log(`${name}: passed in ${((performance.now() - began) / 1000).toFixed(1)} s`)
}

/** The processor time of all ended processes, if the system counts it in hundredths of a second. */
function processorSeconds() {
  if (process.platform !== 'linux') return undefined
  const stat = readFileSync('/proc/self/stat', 'utf8')
  const [childUser, childSystem] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(13, 15)
  return (Number(childUser) + Number(childSystem)) / 100
}
