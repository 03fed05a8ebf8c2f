import { relative } from 'node:path'
import type { Reporter, TestModule } from 'vitest/node'

const SHOWN = 10

/** Prints the slowest files, with the time of their imports. */
export default class SlowestFiles implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const files = modules
      .map(module => ({ path: relative(process.cwd(), module.moduleId), ...module.diagnostic() }))
      .map(({ path, duration, collectDuration }) => ({ path, seconds: (duration + collectDuration) / 1_000 }))
      .sort((a, b) => b.seconds - a.seconds)
    if (files.length <= SHOWN) return
    console.log(`\nSlowest of ${files.length} files:`)
    for (const { path, seconds } of files.slice(0, SHOWN)) console.log(`${seconds.toFixed(1).padStart(8)} s  ${path}`)
  }
}
