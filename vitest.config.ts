import { defineConfig } from 'vitest/config'
import LongestFirst from './test/harness/longest-first.ts'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'sdk/**/*.test.ts', 'portal/e2e/**/*.test.ts'],
    globalSetup: ['test/harness/global-setup.ts'],
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
