import { resolve } from 'node:path'
import { defineConfig } from 'vitest/config'
import LongestFirst from './test/harness/longest-first.ts'

const SIMULATOR = resolve(import.meta.dirname, 'simulator/src')

/** What takes minutes is a command of its own, `npm run test:long`. */
const isLong = process.env.TEST_LONG === '1'

export default defineConfig({
  resolve: {
    // The simulator's sources, as they are. A condition would be handed on to threads, which run the compiled ones.
    alias: [
      { find: /^@postern\/simulator$/, replacement: `${SIMULATOR}/simulator.ts` },
      { find: /^@postern\/simulator\/(.*)$/, replacement: `${SIMULATOR}/$1.ts` },
    ],
  },
  test: {
    include: [isLong ? 'test/**/*.long.test.ts' : '{src,simulator/src,test,sdk,portal/e2e}/**/*.test.ts'],
    exclude: isLong ? [] : ['**/*.long.test.ts'],
    globalSetup: ['test/harness/global-setup.ts'],
    setupFiles: ['test/harness/fail-on-warnings.ts'],
    // Threads inherit it.
    execArgv: ['--require', resolve(import.meta.dirname, 'test/harness/record-warnings.cjs')],
    pool: 'forks',
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // A condition is waited for as long as a busy machine may need.
    expect: { poll: { timeout: 15_000 } },
    reporters: ['default'],
  },
})
