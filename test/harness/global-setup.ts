import { spawnSync } from 'node:child_process'

/**
 * Threads and child processes run the compiled program, so the suite builds it once before the first test.
 * Type errors are the business of `npm run typecheck`, which `npm test` runs first.
 */
export default function setup(): void {
  spawnSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json'], { stdio: 'ignore' })
}
