import { lstatSync, mkdirSync } from 'node:fs'

/** Creates a folder that only this user can access; throws if it belongs to another user or others can access it. */
export function ownFolder(path) {
  mkdirSync(path, { recursive: true, mode: 0o700 })
  const found = lstatSync(path)
  const isOwn = found.isDirectory() && found.uid === process.getuid() && (found.mode & 0o077) === 0
  if (!isOwn) throw new Error(`${path} is not a folder that only this user can access. Check and remove it.`)
  return path
}
