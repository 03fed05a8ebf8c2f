import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Every file that contains the product's version. All parts share one version. The browser extension
 * has a separate one, because browsers accept only numbers.
 */
export const VERSIONED = [
  'package.json',
  'src/version.ts',
  'openapi.json',
  'portal/openapi.json',
  'sdk/package.json',
  'simulator/package.json',
  'portal/package.json',
  ...readdirSync(new URL('../../packages', import.meta.url)).map(name => `packages/${name}/package.json`),
  'sdk/python/pyproject.toml',
  'sdk/python/build_backend.py',
  'sdk/python/postern_sdk/__init__.py',
]

const PLACES = {
  json: /("version": ")([^"]+)(")/,
  toml: /(^version = ")([^"]+)(")/m,
  py: /(^(?:VERSION|__version__) = ")([^"]+)(")/m,
  ts: /(VERSION = ')([^']+)(')/,
}

export function versionIn(root, file) {
  const found = placeIn(file).exec(readFileSync(join(root, file), 'utf8'))
  if (!found) throw new Error(`${file} contains no version`)
  return found[2]
}

export function withVersion(file, text, version) {
  const changed = text.replace(placeIn(file), `$1${version}$3`)
  // Workspaces name each other by their exact version.
  return file.endsWith('package.json') ? changed.replace(/("@postern\/[\w-]+": ")[^"]+/g, `$1${version}`) : changed
}

function placeIn(file) {
  return PLACES[file.slice(file.lastIndexOf('.') + 1)]
}
