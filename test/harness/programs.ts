import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

const ROOT = join(import.meta.dirname, '../..')

/** Finds a program on the path. */
export function findProgram(name: string): string | undefined {
  return (process.env.PATH ?? '')
    .split(delimiter)
    .map(folder => join(folder, name))
    .find(path => existsSync(path))
}

/** Installs Debian packages if possible; returns whether it could. */
export function installPackages(...names: string[]): boolean {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return false
  const { status, stderr } = spawnSync('scripts/setup-debian.sh', names, { cwd: ROOT, encoding: 'utf8' })
  if (status !== 0) throw new Error(`scripts/setup-debian.sh ${names.join(' ')} failed: ${stderr}`)
  return true
}

/** A program that a test needs; installs its package if possible, else names what to install. */
export function needProgram(name: string, packageName: string): string {
  const found = findProgram(name) ?? (installPackages(packageName) ? findProgram(name) : undefined)
  if (found !== undefined) return found
  throw new Error(`${name} is needed for the tests: install the package "${packageName}".`)
}

/**
 * Unpacks a Debian package into a folder, without installing or starting anything; returns the location of `path` in
 * it.
 */
export function unpackProgram(name: string, folder: string, path: string): string {
  for (const [program, args] of [
    ['apt-get', ['download', '-qq', name]],
    ['sh', ['-c', 'dpkg -x ./*.deb .']],
  ] as const) {
    const { status, stderr } = spawnSync(program, args, { cwd: folder, encoding: 'utf8' })
    if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${stderr}`)
  }
  return join(folder, path)
}
