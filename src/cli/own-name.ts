import { realpathSync } from 'node:fs'
import { delimiter, join, sep } from 'node:path'

/** How the user runs this program from the current folder. */
export const ownName = (): string => nameOf(process.argv[1] ?? '', process.cwd(), process.env['PATH'] ?? '')

/**
 * The command that runs this program in another terminal: a name if it resolves to this program, otherwise its path. In a
 * folder without the package, `npx postern` would download any package of that name.
 */
export function nameOf(program: string, folder: string, path: string): string {
  const isThis = (candidate: string): boolean => same(candidate, program)
  const isForNpm = (each: string): boolean => each.includes(`${sep}node_modules${sep}`)
  const folders = path.split(delimiter).filter(each => each !== '' && !isForNpm(each))
  if (folders.some(each => isThis(join(each, 'postern')))) return 'postern'
  if (isThis(join(folder, 'node_modules', '.bin', 'postern')) || isThis(join(folder, 'bin', 'postern.mjs')))
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
