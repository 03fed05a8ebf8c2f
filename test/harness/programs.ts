import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** A program on the path. */
export function findProgram(name: string): string | undefined {
  return (process.env.PATH ?? '')
    .split(delimiter)
    .map(folder => join(folder, name))
    .find(path => existsSync(path))
}

/** Installs Debian packages where that can be done; answers whether it could. */
export function installPackages(...names: string[]): boolean {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return false
  execFileSync('apt-get', ['update', '-qq'], { stdio: 'ignore' })
  execFileSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...names], {
    stdio: 'ignore',
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  })
  return true
}

/** A program that a test needs; installs its package where that can be done, else says what to install. */
export function needProgram(name: string, packageName: string): string {
  const found = findProgram(name) ?? (installPackages(packageName) ? findProgram(name) : undefined)
  if (found !== undefined) return found
  throw new Error(`${name} is needed for the tests: install the package "${packageName}".`)
}
