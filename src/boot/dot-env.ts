import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigError } from './config-error.ts'
import { getOwn } from '../runtime/get-own.ts'

/** The environment of the process, extended by the settings of `.env` in the working folder that it does not have. */
export function withDotEnv(env: NodeJS.ProcessEnv, folder: string): NodeJS.ProcessEnv {
  const text = readDotEnv(join(folder, '.env'))
  if (text === undefined) return env
  const ours = parseDotEnv(text).filter(([name]) => /^(POSTERN|OTEL|CHATWOOT)_/.test(name))
  const settings = { ...Object.fromEntries(ours), ...env }
  taken.set(settings, new Set(ours.map(([name]) => name).filter(name => getOwn(env, name) === undefined)))
  return settings
}

/** By environment: the names whose value comes from `.env`. */
const taken = new WeakMap<NodeJS.ProcessEnv, ReadonlySet<string>>()

export const isOfDotEnv = (env: NodeJS.ProcessEnv, name: string): boolean => taken.get(env)?.has(name) === true

function readDotEnv(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    throw new ConfigError(
      `.env cannot be read (${code}). Make it readable, or remove it and set the variables in the environment.`,
    )
  }
}

const ASSIGNMENT = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=(.*)$/s
const QUOTED = /^\s*(["'])(.*?)\1\s*(?:#.*)?$/s

/**
 * Names and values, in order. A quoted value may have several lines; without quotes a comment begins at a `#` after a
 * space. The parser expands nothing. An error names only the number of a line, because the line may hold a secret.
 */
export function parseDotEnv(text: string): Array<[name: string, value: string]> {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/)
  const found: Array<[string, string]> = []
  for (let at = 0; at < lines.length; at++) {
    const first = lines[at]!
    if (/^\s*(#|$)/.test(first)) continue
    const match = ASSIGNMENT.exec(first)
    if (match === null) throw new ConfigError(`.env: line ${at + 1} is not NAME=value. Correct it, or begin it with #.`)
    const began = at
    let rest = match[2]!
    const quote = /^\s*(["'])/.exec(rest)?.[1]
    while (quote !== undefined && !QUOTED.test(rest)) {
      at++
      if (at === lines.length)
        throw new ConfigError(`.env: the quote that line ${began + 1} begins has no end. Close it.`)
      rest += `\n${lines[at]!}`
    }
    found.push([match[1]!, quote === undefined ? bare(rest) : QUOTED.exec(rest)![2]!])
  }
  return found
}

const bare = (value: string): string => value.replace(/(^|\s)#.*$/, '').trim()
