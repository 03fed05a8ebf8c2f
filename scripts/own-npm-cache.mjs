import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Environment variables of an npm cache for one trial: it shares downloads with this user's cache, but not what npx has
 * unpacked. npx caches by the package argument, so it would reuse `./postern-0.1.0.tgz` of another folder, packed from
 * another tree.
 */
export function ownNpmCache(folder) {
  const downloads = join(execFileSync('npm', ['config', 'get', 'cache'], { encoding: 'utf8' }).trim(), '_cacache')
  const cache = join(folder, 'npm-cache')
  mkdirSync(downloads, { recursive: true })
  mkdirSync(cache)
  symlinkSync(downloads, join(cache, '_cacache'))
  return { npm_config_cache: cache }
}
