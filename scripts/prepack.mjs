import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, PACKAGES } from './build.mjs'
import { writeInstallLock } from './install-lock.mjs'

/** Prepares `npm pack`: builds everything, deletes compiled files whose source was removed, and writes the lock file. */
const root = dirname(dirname(fileURLToPath(import.meta.url)))

await build({ quiet: false })
for (const folder of ['sdk', ...PACKAGES.map(name => `packages/${name}`)])
  removeStale(`${folder}/src`, `${folder}/dist`)
nameBundled()
writeInstallLock(root)

/** The compiler does not delete its output of a removed source. */
function removeStale(sources, output) {
  for (const entry of readdirSync(join(root, output), { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith('.js')) continue
    const compiled = join(entry.parentPath, entry.name)
    const source = compiled.replace(join(root, output), join(root, sources)).replace(/\.js$/, '.ts')
    if (!existsSync(source)) for (const path of [compiled, `${compiled}.map`]) rmSync(path, { force: true })
  }
}

/**
 * Overrides do not apply when the package is installed: bundled packages must declare the bundled versions, or else the
 * installer downloads others, which may not run on its Node.
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
