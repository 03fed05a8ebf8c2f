import { spawnSync } from 'node:child_process'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * Runs the tests of the specification on a cluster: each gateway is three processes (api; worker; dispatcher and simulator)
 * on PostgreSQL behind a real PgBouncer in transaction mode. Arguments go to the runner.
 */
const root = dirname(dirname(fileURLToPath(import.meta.url)))
const only = process.argv.slice(2)
const files = only.length === 0 ? ['test/spec'] : only
const command = ['node_modules/vitest/vitest.mjs', 'run', ...files]
const env = { ...process.env, TEST_CLUSTER: '1' }
process.exit(spawnSync(process.execPath, command, { cwd: root, stdio: 'inherit', env }).status ?? 1)
