import { existsSync, readdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from './build.mjs'

/** What `npm pack` needs: everything built, and nothing of what is gone from the sources. */
const root = dirname(dirname(fileURLToPath(import.meta.url)))

await build({ quiet: false })
sweep('src', 'dist')
sweep('simulator/src', 'simulator/dist')

/** The compiler leaves what it once made of a source that has been removed since. */
function sweep(sources, output) {
  for (const entry of readdirSync(join(root, output), { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith('.js')) continue
    const compiled = join(entry.parentPath, entry.name)
    if (compiled.startsWith(join(root, 'dist/docs/'))) continue
    const source = compiled.replace(join(root, output), join(root, sources)).replace(/\.js$/, '.ts')
    if (!existsSync(source)) for (const path of [compiled, `${compiled}.map`]) rmSync(path, { force: true })
  }
}
