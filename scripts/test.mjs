import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * Runs the complete suite: types, lint, format, then all tests on real components. After the runner's summary it prints
 * how many stanzas were compared with the grammar of WhatsApp Web, and the processor time. Arguments go to the runner:
 * `npm test -- test/spec/errors.test.ts`. With `TEST_LONG=1` (`npm run test:long`) it runs only the long tests.
 */
const root = dirname(dirname(fileURLToPath(import.meta.url)))
const only = process.argv.slice(2)

const isWhole = only.length === 0 && process.env.TEST_LONG !== '1'

if (isWhole) {
  const lint = ['node_modules/oxlint/bin/oxlint', '--type-aware', '--deny-warnings']
  // The same compiler as `npm run typecheck`, which reads each project once for both.
  // What the examples and the n8n nodes import is not built or not installed.
  const untyped = ['examples', 'integrations']
  step('types and lint', ...lint, '--type-check', ...untyped.flatMap(folder => ['--ignore-pattern', folder]))
  step('lint', ...lint, ...untyped)
  step('imports', 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs', 'src', 'simulator/src', 'packages')
  step('format', 'node_modules/@biomejs/biome/bin/biome', 'format', '.')
}
step('build', 'scripts/build.mjs')
const temporary = mkdtempSync(join(memoryFolder() ?? tmpdir(), 'postern-tests-'))
// As open as the system's: database servers run as another user.
chmodSync(temporary, 0o1777)
process.on('exit', () => rmSync(temporary, { recursive: true, force: true }))
process.env.TMPDIR = temporary
const judged = mkdtempSync(join(temporary, 'judged-'))
process.env.TEST_JUDGED = judged
step('tests', 'node_modules/vitest/vitest.mjs', 'run', ...only)
step('stanzas', 'scripts/judged-stanzas.mjs', judged, ...(isWhole ? ['--check'] : []))
const spent = processorSeconds()
if (spent !== undefined) console.log(`${(spent / 60).toFixed(1)} minutes of processor time (user and system)`)

function step(name, ...command) {
  const began = performance.now()
  const { status } = spawnSync(process.execPath, command, { cwd: root, stdio: 'inherit' })
  if (status !== 0) {
    console.error(`${name}: failed`)
    process.exit(status ?? 1)
  }
  console.log(`${name}: passed in ${((performance.now() - began) / 1000).toFixed(1)} s`)
}

/**
 * A folder in memory, for the data of the tests: their databases would wait for the disk at each commit. Killed processes
 * lose nothing that they have written there.
 */
function memoryFolder() {
  const folder = '/dev/shm'
  const enough = 2 * 1024 ** 3
  try {
    const { bavail, bsize } = statfsSync(folder)
    return process.env.TEST_LONG !== '1' && bavail * bsize > enough ? folder : undefined
  } catch {
    return undefined
  }
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
