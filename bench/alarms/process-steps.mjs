import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { later } from '../shared/child.mjs'
import { SCRAPE_MS } from './extra-process.mjs'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const SHIFTED = fileURLToPath(new URL('../../test/harness/shifted-date.cjs', import.meta.url))

/** Faults of processes. */
export const processSteps = (other, nodes, watch) => [
  {
    alarms: ['PosternClockSkewed'],
    how: 'a process whose clock is 5 s ahead',
    provoke: () => other.start('api', { execArgv: ['--require', SHIFTED], env: { SHIFT_CLOCK_MS: '5000' } }),
    mend: () => other.end(),
  },
  {
    alarms: ['PosternNodeDown'],
    how: 'a process is killed (SIGKILL) and stays down; repaired by starting it at the same port',
    provoke: async () => {
      await other.start('api')
      await later(2 * SCRAPE_MS)
      await other.kill()
    },
    mend: () => other.startAgain('api'),
    after: () => other.end(),
  },
  {
    alarms: ['PosternRestarting'],
    how: 'a process is killed and started at the same port, five times',
    provoke: async () => {
      await other.start('api')
      for (let n = 0; n < 5; n++) {
        await later(SCRAPE_MS)
        await other.kill()
        await other.startAgain('api')
      }
    },
    mend: () => other.end(),
  },
  {
    alarms: ['PosternEventLoopLate'],
    how: 'the API process is stopped (SIGSTOP) for 400 ms, twice in each second',
    provoke: async () => {
      for (let n = 0; n < 40; n++) {
        nodes.api.signal('SIGSTOP')
        await later(400)
        nodes.api.signal('SIGCONT')
        await later(100)
      }
    },
  },
  versionsMixed(other),
  {
    alarms: ['PosternUnwatched'],
    how: 'Prometheus has no target',
    provoke: () => watch(null),
    mend: () => watch([]),
  },
]

/** A process of another version: the same program with another version number. */
function versionsMixed(other) {
  let folder
  return {
    alarms: ['PosternVersionsMixed'],
    how: 'a process that reports version 0.0.9',
    provoke: async () => {
      folder = mkdtempSync(join(tmpdir(), 'postern-alarms-version-'))
      cpSync(join(ROOT, 'dist'), join(folder, 'dist'), { recursive: true })
      for (const name of ['node_modules', 'simulator', 'portal', 'package.json', 'openapi.json', 'docs'])
        symlinkSync(join(ROOT, name), join(folder, name))
      const bundled = join(folder, 'dist/bundled')
      const file = join(
        bundled,
        readdirSync(bundled).find(name => /^version-.*\.js$/.test(name)),
      )
      writeFileSync(file, readFileSync(file, 'utf8').replace(/\bVERSION = "[^"]+"/, 'VERSION = "0.0.9"'))
      await other.start('dispatcher', { root: folder })
    },
    mend: async () => {
      await other.end()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
