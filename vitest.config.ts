import { resolve } from 'node:path'
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'
import LongestFirst from './test/harness/longest-first.ts'

const SIMULATOR = resolve(import.meta.dirname, 'simulator/src')

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

const alias = [
  // The simulator's sources, as they are. A condition would be handed on to threads, which run the compiled ones.
  { find: /^(?:#|@postern\/)simulator$/, replacement: `${SIMULATOR}/simulator.ts` },
  { find: /^(?:#|@postern\/)simulator\/(.*)$/, replacement: `${SIMULATOR}/$1.ts` },
]

const filesOf = (name: string, include: string[], isolate: boolean): TestProjectInlineConfiguration => ({
  resolve: { alias },
  test: {
    name,
    include,
    exclude: isLong ? [] : ['**/*.long.test.ts'],
    isolate,
    setupFiles: ['test/harness/fail-on-warnings.ts'],
    // Threads inherit it.
    execArgv: ['--require', resolve(import.meta.dirname, 'test/harness/record-warnings.cjs')],
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
    reporters: ['default'],
    projects: isLong
      ? [filesOf('long', ['{test,portal/e2e}/**/*.long.test.ts'], true)]
      : [filesOf('alone', ON_THEIR_OWN, true), filesOf('together', LOADED_ONCE, false)],
  },
})
