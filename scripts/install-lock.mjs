import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { inOrder, readJson } from './packages.mjs'

/**
 * Writes a folder in which `npm ci --omit=dev --ignore-scripts` installs exactly the packages with which Postern was tested: a
 * package itself cannot bring a lock file, and npm would resolve everything below the direct dependencies by range.
 */
export function writeInstallLock(root, folder = join(root, 'dist/lock')) {
  const { name, version, dependencies, overrides } = readJson(join(root, 'package.json'))
  const lock = readJson(join(root, 'package-lock.json')).packages
  const own = { name: `${name}-packages`, version, private: true, dependencies }
  const packages = Object.fromEntries(
    closure(lock, Object.keys(dependencies)).map(place => [place, entryOf(lock[place])]),
  )
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const write = (file, content) => writeFileSync(join(folder, file), `${JSON.stringify(content, null, 2)}\n`)
  write('package.json', { ...own, overrides })
  // npm packs a file of this name, but never a package-lock.json.
  write('npm-shrinkwrap.json', {
    name: own.name,
    version,
    lockfileVersion: 3,
    requires: true,
    packages: { '': { name: own.name, version, dependencies }, ...packages },
  })
}

/** The paths of all packages that these need, for every system: npm installs those of its own. */
function closure(lock, names) {
  const found = new Set()
  const add = (from, name) => {
    const place = placeOf(lock, from, name)
    if (place === undefined || found.has(place)) return
    found.add(place)
    const {
      dependencies = {},
      optionalDependencies = {},
      peerDependencies = {},
      peerDependenciesMeta = {},
    } = lock[place]
    const peers = Object.keys(peerDependencies).filter(peer => peerDependenciesMeta[peer]?.optional !== true)
    for (const each of [...Object.keys(dependencies), ...Object.keys(optionalDependencies), ...peers]) add(place, each)
  }
  for (const name of names) add('', name)
  return [...found].sort(inOrder)
}

/** The nearest `node_modules` that has the package, as Node looks for it. */
function placeOf(lock, from, name) {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    const place = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`
    if (place in lock) return place
    if (folder === '') return undefined
  }
}

/** Here no package is for development, and none is part of another one's archive. */
function entryOf({ dev: _dev, devOptional, inBundle: _inBundle, peer: _peer, ...entry }) {
  return devOptional === true ? { ...entry, optional: true } : entry
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  writeInstallLock(dirname(dirname(fileURLToPath(import.meta.url))), process.argv[2])
