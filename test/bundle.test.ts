import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const FOLDER = join(import.meta.dirname, '../dist/bundled')
const names = readdirSync(FOLDER).filter(name => name.endsWith('.js'))
const files = new Map(names.map(name => [name, readFileSync(join(FOLDER, name), 'utf8')]))

/** The file that contains this source. */
const fileOf = (source: string): string =>
  names.find(name => files.get(name)!.includes(`//#region dist/${source}.js\n`))!

/** The files that are loaded together with this one. */
function loadedWith(file: string, known = new Set<string>()): Set<string> {
  if (known.has(file)) return known
  known.add(file)
  for (const [, next] of files.get(file)!.matchAll(/\b(?:from|import)\s*"\.\/([^"]+)"/g)) loadedWith(next!, known)
  return known
}

describe('The bundled program', () => {
  it('loads the engine, which takes 40 MB, only in threads that need it', () => {
    const engine = names.find(name => name.startsWith('baileys-'))!
    const loads = (source: string): boolean => loadedWith(fileOf(source)).has(engine)
    expect(['platform/whatsapp/create-platform', 'sandbox/sandbox-thread'].every(loads)).toBe(true)
    const threads = ['store/sqlite/writer-thread', 'store/sqlite/checkpoint-thread', 'worker/host-thread']
    expect(['cli/main', 'cli/start', 'gateway', ...threads].filter(loads)).toEqual([])
  })
})
