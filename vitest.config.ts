import { resolve } from 'node:path'
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'
import LongestFirst from './test/harness/longest-first.ts'
import SlowestFiles from './test/harness/slowest-files.ts'

const ROOT = import.meta.dirname

/** What takes minutes is a command of its own, `npm run test:long`. */
const isLong = process.env.TEST_LONG === '1'
/** Each gateway is three processes then. */
const isCluster = process.env.TEST_CLUSTER === '1'

const TIMEOUT_MS = isLong ? 900_000 : 300_000

/**
 * Files that keep nothing behind them and begin one after the other in processes that have loaded the gateway already.
 * The others get a process each: a thread of the engine serves one network for good, and faults leave traces.
 */
const LOADED_ONCE = [
  '{src,simulator/src,sdk}/**/*.test.ts',
  'integrations/test/**/*.test.ts',
  'test/*.test.ts',
  'test/{contract,dispatcher,spec,worker}/**/*.test.ts',
]
const ON_THEIR_OWN = ['test/{conformance,failure,field,security}/**/*.test.ts', 'portal/e2e/**/*.test.ts']

/** The compiled file of a source of the gateway or the simulator. */
function compiledOf(path: string): string | undefined {
  const [, folder, rest] = /^(src|simulator\/src)\/(.*)\.ts$/.exec(path.slice(ROOT.length + 1)) ?? []
  if (rest === undefined || rest.endsWith('.test')) return undefined
  return resolve(ROOT, folder === 'src' ? 'dist' : 'simulator/dist', `${rest}.js`)
}

/**
 * Tests import the sources, and get what was compiled from them: Node loads that in a fraction of the time that it takes
 * to transform some 900 files for each process again.
 */
const compiledSources = {
  name: 'compiled-sources',
  enforce: 'pre' as const,
  async resolveId(this: { resolve: Function }, id: string, importer: string | undefined) {
    const [, simulator] = /^(?:#|@postern\/)simulator(?:\/(.*))?$/.exec(id) ?? []
    if (/^(?:#|@postern\/)simulator(?:\/|$)/.test(id))
      return { id: resolve(ROOT, `simulator/dist/${simulator ?? 'simulator'}.js`), external: true }
    if (importer === undefined || !id.startsWith('.')) return undefined
    const compiled = compiledOf(resolve(importer, '..', id))
    return compiled === undefined ? undefined : { id: compiled, external: true }
  },
}

const filesOf = (name: string, include: string[], isolate: boolean): TestProjectInlineConfiguration => ({
  plugins: [compiledSources],
  test: {
    name,
    include,
    exclude: isLong ? [] : ['**/*.long.test.ts'],
    isolate,
    server: { deps: { external: [/\/(simulator\/)?dist\/.*\.js$/] } },
    setupFiles: ['test/harness/fail-on-warnings.ts'],
    // Threads inherit it.
    execArgv: ['--require', resolve(ROOT, 'test/harness/record-warnings.cjs')],
    pool: 'forks',
    // Only for tests that hang: a machine may be as slow as it likes, and polls end with their test.
    testTimeout: TIMEOUT_MS,
    hookTimeout: TIMEOUT_MS,
    expect: { poll: { timeout: TIMEOUT_MS } },
  },
})

export default defineConfig({
  test: {
    globalSetup: ['test/harness/global-setup.ts'],
    maxWorkers: isCluster ? 2 : 3,
    // How long a process may take to answer that it ends; one that does not is killed.
    teardownTimeout: 60_000,
    sequence: { sequencer: LongestFirst },
    reporters: ['default', new SlowestFiles()],
    projects: isLong
      ? [filesOf('long', ['{test,portal/e2e}/**/*.long.test.ts'], true)]
      : [filesOf('alone', ON_THEIR_OWN, true), filesOf('together', LOADED_ONCE, false)],
  },
})
