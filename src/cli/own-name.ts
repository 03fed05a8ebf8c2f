import { realpathSync } from 'node:fs'
import { delimiter, join, sep } from 'node:path'

/**
 * What to type for this very program in another terminal: a name that leads here, or else its path. `npx postern` where
 * the folder does not have it would fetch whatever bears that name.
 */
export function ownName(program: string, folder: string, path: string): string {
  const isUs = (candidate: string): boolean => same(candidate, program)
  const isForNpm = (each: string): boolean => each.includes(`${sep}node_modules${sep}`)
  const folders = path.split(delimiter).filter(each => each !== '' && !isForNpm(each))
  if (folders.some(each => isUs(join(each, 'postern')))) return 'postern'
  if (isUs(join(folder, 'node_modules', '.bin', 'postern')) || isUs(join(folder, 'bin', 'postern.mjs')))
    return 'npx postern'
  return `node ${realPath(program) ?? program}`
}

function same(a: string, b: string): boolean {
  const found = realPath(a)
  return found !== undefined && found === realPath(b)
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}
