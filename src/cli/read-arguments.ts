import { parseArgs } from 'node:util'
import { ConfigError } from '../boot/config-error.ts'
import { getOwn } from '../runtime/get-own.ts'
import type { Command, OptionTable } from './command.ts'
import { nearest } from './nearest.ts'

const EVERYWHERE: OptionTable = { help: { type: 'boolean' }, version: { type: 'boolean' } }

export interface Arguments {
  /** `undefined` if the arguments name none. */
  command: Command | undefined
  /** The first word of several commands, if the user wants their help: `keys --help`. */
  group?: string
  words: string[]
  values: Record<string, string | boolean>
}

/** Parses the arguments. Throws a `ConfigError` that says how to correct them. */
export function readArguments(args: string[], commands: readonly Command[]): Arguments {
  const all = Object.assign({}, EVERYWHERE, ...commands.map(each => each.options)) as OptionTable
  const options = { ...all, help: { type: 'boolean', short: 'h' }, version: { type: 'boolean', short: 'v' } } as const
  const { tokens } = parseArgs({ args, options, strict: false, tokens: true, allowPositionals: true })
  const typed = tokens.flatMap(token => (token.kind === 'positional' ? [token.value] : []))
  const isHelp = typed[0] === 'help' || tokens.some(token => token.kind === 'option' && token.name === 'help')
  const words = typed[0] === 'help' ? typed.slice(1) : typed
  if (isHelp && words.length === 1 && isGroup(words[0]!, commands))
    return { command: undefined, group: words[0]!, words: [], values: {} }
  const command = words.length === 0 ? undefined : findCommand(words, commands)
  const known = { ...EVERYWHERE, ...command?.options }
  const values = new Map<string, string | boolean>()
  for (const token of tokens) {
    if (token.kind !== 'option') continue
    values.set(token.name, valueOf(token, known, command))
  }
  const rest = command === undefined ? [] : words.slice(command.name.split(' ').length)
  if (command !== undefined && isHelp) values.set('help', true)
  if (command !== undefined && !isHelp) checkWords(command, rest)
  return { command, words: rest, values: Object.fromEntries(values) }
}

interface OptionToken {
  name: string
  rawName: string
  value?: string | undefined
  inlineValue?: boolean | undefined
}

function valueOf(token: OptionToken, known: OptionTable, command: Command | undefined): string | boolean {
  const { name, rawName, value, inlineValue } = token
  const shape = getOwn(known, name)
  if (shape === undefined) throw new ConfigError(unknownOption(rawName, known, command))
  if (shape.type === 'boolean') {
    if (value !== undefined) throw new ConfigError(`${rawName} takes no value. Write ${rawName} alone.`)
    return true
  }
  if (value === undefined) throw new ConfigError(`${rawName} needs a value.`)
  const isStandardInput = value === '-' && shape.secretIn !== undefined
  if (inlineValue !== true && value.startsWith('-') && !isStandardInput)
    throw new ConfigError(`${rawName} needs a value. Write a value that begins with a dash as ${rawName}=${value}`)
  return value
}

function unknownOption(rawName: string, known: OptionTable, command: Command | undefined): string {
  const names = Object.keys(known).map(name => `--${name}`)
  const meant = nearest(rawName, names)
  const where = command === undefined ? 'postern' : `postern ${command.name}`
  return `Unknown option '${rawName}'.${meant === undefined ? '' : ` Did you mean ${meant}?`} Run \`${where} --help\` for its options.`
}

const isGroup = (word: string, commands: readonly Command[]): boolean =>
  commands.some(each => each.name.startsWith(`${word} `)) && commands.every(each => each.name !== word)

function findCommand(words: string[], commands: readonly Command[]): Command | undefined {
  const [first, second] = words
  const found = commands.find(each => each.name === `${first} ${second}`) ?? commands.find(each => each.name === first)
  if (found !== undefined) return found
  const family = commands.filter(each => each.name.startsWith(`${first} `)).map(each => each.name.split(' ')[1]!)
  if (family.length > 0) {
    const said = second === undefined ? `${first} needs one more word` : `there is no command "${first} ${second}"`
    const meant = second === undefined ? undefined : nearest(second, family)
    const guess = meant === undefined ? '' : ` Did you mean ${first} ${meant}?`
    throw new ConfigError(`${said}: ${family.join(', ')}.${guess}`)
  }
  const meant =
    nearest(
      words.join(' '),
      commands.map(each => each.name),
    ) ??
    nearest(
      first!,
      commands.map(each => each.name),
    )
  throw new ConfigError(
    `there is no command "${words.join(' ')}". Run \`postern --help\` for the list.${meant === undefined ? '' : ` Did you mean "${meant}"?`}`,
  )
}

function checkWords({ name, words = [] }: Command, given: string[]): void {
  const missing = words.slice(given.length).find(word => word.startsWith('<'))
  if (missing !== undefined)
    throw new ConfigError(`${missing} is missing. Write \`postern ${name} ${words.join(' ')}\`.`)
  const extra = given[words.length]
  if (extra !== undefined) throw new ConfigError(`"${extra}" is one argument too many. See \`postern ${name} --help\`.`)
}
