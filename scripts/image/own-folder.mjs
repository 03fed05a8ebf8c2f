import { lstatSync, mkdirSync } from 'node:fs'

/** A folder that nobody but the own user can write or look into; one that somebody else has made or opened is refused. */
export function ownFolder(path) {
  mkdirSync(path, { recursive: true, mode: 0o700 })
  const found = lstatSync(path)
  const isOwn = found.isDirectory() && found.uid === process.getuid() && (found.mode & 0o077) === 0
  if (!isOwn) throw new Error(`${path} is not a folder of this user alone. Look at what it is, and remove it.`)
  return path
}
