import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, PACKAGES } from './build.mjs'

/** What `npm pack` needs: everything built, and nothing of what is gone from the sources. */
const root = dirname(dirname(fileURLToPath(import.meta.url)))

await build({ quiet: false })
removeStale('src', 'dist')
for (const folder of ['simulator', 'sdk', ...PACKAGES.map(name => `packages/${name}`)])
  removeStale(`${folder}/src`, `${folder}/dist`)
nameBundled()

/** The compiler leaves what it once made of a source that has been removed since. */
function removeStale(sources, output) {
  for (const entry of readdirSync(join(root, output), { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith('.js')) continue
    const compiled = join(entry.parentPath, entry.name)
    if (compiled.startsWith(join(root, 'dist/docs/'))) continue
    const source = compiled.replace(join(root, output), join(root, sources)).replace(/\.js$/, '.ts')
    if (!existsSync(source)) for (const path of [compiled, `${compiled}.map`]) rmSync(path, { force: true })
  }
}

/**
 * Overrides count for nobody who installs the package: what is bundled has to ask for what it is bundled with, else the
 * installer gets that anew, in a version that may not run on its Node.
 */
function nameBundled() {
  const { overrides } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  for (const [asker, pins] of Object.entries(overrides)) {
    if (typeof pins === 'string') continue
    const path = join(root, 'node_modules', asker, 'package.json')
    const manifest = JSON.parse(readFileSync(path, 'utf8'))
    manifest.dependencies = { ...manifest.dependencies, ...pins }
    rmSync(path)
    writeFileSync(path, `${JSON.stringify(manifest, null, 2)}\n`)
  }
}
