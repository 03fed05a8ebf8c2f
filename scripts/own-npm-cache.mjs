import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'

/**
 * A cache of npm for one trial, as settings of the environment: what was downloaded is this user's, what npx has unpacked
 * is not. npx keeps that under the words it was asked by, so `./postern-0.1.0.tgz` of another folder, packed from another
 * tree, would be what it builds upon.
 */
export function ownNpmCache(folder) {
  const downloads = join(execFileSync('npm', ['config', 'get', 'cache'], { encoding: 'utf8' }).trim(), '_cacache')
  const cache = join(folder, 'npm-cache')
  mkdirSync(downloads, { recursive: true })
  mkdirSync(cache)
  symlinkSync(downloads, join(cache, '_cacache'))
  return { npm_config_cache: cache }
}
