import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The packages of this repository. The product consists of the packages that the gateway, its packages, the simulator and
 * the client library depend on, and those that the portal is bundled from. All others are for building and testing.
 */
export function readPackages(root) {
  const lock = readJson(join(root, 'package-lock.json')).packages
  const packages = Object.keys(lock).filter(place => /^packages\/[^/]+$/.test(place))
  const nameIn = folder => `package ${folder.slice('packages/'.length)}`
  const starts = [
    ['gateway', '', namesOf(lock[''], 'dependencies', 'optionalDependencies')],
    ['simulator', 'simulator', namesOf(lock['simulator'], 'dependencies', 'optionalDependencies')],
    ['client library', 'sdk', namesOf(lock['sdk'], 'dependencies', 'optionalDependencies')],
    ...packages.map(folder => [nameIn(folder), folder, namesOf(lock[folder], 'dependencies', 'optionalDependencies')]),
    ['portal', 'portal', bundledBy(join(root, 'portal/src'))],
  ]
  const parts = starts.map(([part, folder, names]) => {
    const direct = names.map(name => placeOf(lock, folder, name)).filter(place => isThere(root, lock, place))
    return { part, folder, direct, places: closure(root, lock, direct) }
  })
  return {
    lock,
    parts,
    installed: ['', 'simulator/', 'sdk/', 'portal/', ...packages.map(folder => `${folder}/`)].flatMap(folder =>
      walk(root, `${folder}node_modules`),
    ),
  }
}

/** The paths of a package's installed dependencies, including peers but not types. */
export function dependenciesOf(root, lock, place) {
  return namesOf(lock[place], 'dependencies', 'optionalDependencies', 'peerDependencies')
    .filter(name => !name.startsWith('@types/'))
    .map(name => placeOf(lock, place, name))
    .filter(found => isThere(root, lock, found))
}

export const nameAt = place => place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length)

/** A sort order that does not depend on the locale. */
export const inOrder = (a, b) => (a < b ? -1 : a > b ? 1 : 0)

export const readJson = path => JSON.parse(readFileSync(path, 'utf8'))

/** The SPDX expression that the package declares, if any. */
export function licenceOf(manifest) {
  const { license, licenses } = manifest
  const said = [license, ...(Array.isArray(licenses) ? licenses : [])].filter(Boolean)
  const ids = said.map(one => (typeof one === 'string' ? one : one.type)).filter(one => typeof one === 'string')
  return ids.join(' OR ')
}

const namesOf = (entry, ...fields) => [...new Set(fields.flatMap(field => Object.keys(entry?.[field] ?? {})))]

/** Resolves like Node: in the package first, then in the folders above it. */
function placeOf(lock, from, name) {
  for (let folder = from; ; ) {
    const place = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`
    if (lock[place] !== undefined) return place
    if (folder === '') return undefined
    const above = folder.lastIndexOf('/node_modules/')
    folder = above === -1 ? '' : folder.slice(0, above)
  }
}

/** Packages for other operating systems are not installed. */
const isThere = (root, lock, place) =>
  place !== undefined && lock[place].link !== true && (!lock[place].optional || existsSync(join(root, place)))

function closure(root, lock, direct) {
  const places = new Set(direct)
  for (const place of places) for (const found of dependenciesOf(root, lock, place)) places.add(found)
  return [...places].sort(inOrder)
}

/** The packages that the portal's sources import, in code and in styles. */
function bundledBy(folder) {
  const names = new Set()
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !/\.(ts|tsx|css)$/.test(entry.name) || entry.name.endsWith('.d.ts')) continue
    const text = readFileSync(join(entry.parentPath, entry.name), 'utf8')
    for (const [, , specifier] of text.matchAll(/(from |import |import\(|@import |url\()['"]([^'"]+)['"]/g)) {
      const name = /^(@[a-z0-9-]+\/)?[a-z0-9][a-z0-9._-]*/.exec(specifier)?.[0]
      if (name !== undefined && !specifier.includes(':')) names.add(name)
    }
  }
  return [...names].sort(inOrder)
}

/** Every package in the folder, whether or not the lock file has it. */
function walk(root, folder) {
  if (!existsSync(join(root, folder))) return []
  const entries = readdirSync(join(root, folder), { withFileTypes: true })
  return entries.flatMap(entry => {
    const place = `${folder}/${entry.name}`
    if (!entry.isDirectory() || entry.name.startsWith('.')) return []
    if (entry.name.startsWith('@')) return walk(root, place)
    return [place, ...walk(root, `${place}/node_modules`)]
  })
}
