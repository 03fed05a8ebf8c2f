/** A value of the reader, which the sample reads from the environment in every language. */
export class Variable {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}

export type Value = string | number | boolean | null | Variable | Value[] | { [name: string]: Value }

/** The request from which the samples of all languages are generated. */
export interface Sample {
  method: string
  /** The path after the gateway's address, in pieces. */
  path: (string | Variable)[]
  headers: Record<string, string>
  /** The reader's credential. */
  token: Variable
  body?: Value
  /** The name of a file to send instead of a JSON body. */
  file?: string
  /** Whether the response is an endless stream. */
  endless: boolean
}

export const GATEWAY = new Variable('POSTERN_URL')

const BEFORE: ReadonlyMap<string, string> = new Map([
  ['sessions', 'POSTERN_SESSION'],
  ['messages', 'MESSAGE_ID'],
  ['keys', 'KEY_ID'],
  ['requests', 'REQUEST_ID'],
  ['pairings', 'PAIRING_ID'],
  ['webhooks', 'WEBHOOK_ID'],
  ['deliveries', 'DELIVERY_ID'],
  ['listeners', 'LISTENER_ID'],
  ['accounts', 'ACCOUNT_ID'],
  ['newsletters', 'CHANNEL'],
  ['groups', 'GROUP'],
  ['chats', 'CONTACT'],
  ['contacts', 'CONTACT'],
  ['blocks', 'CONTACT'],
  ['replay', 'REPLAY_ID'],
])

/** Splits a path into pieces: the parameter of `/v1/messages/{id}` becomes MESSAGE_ID. */
export function piecesOf(path: string): (string | Variable)[] {
  return path
    .split(/(\{\w+\})/)
    .map((piece, index, all) => {
      if (!piece.startsWith('{')) return piece
      const before = /(\w+)\/$/.exec(all[index - 1] ?? '')?.[1] ?? ''
      return new Variable(BEFORE.get(before) ?? 'ID')
    })
    .filter(piece => piece !== '')
}

/** Replaces the sending number and every `$NAME` of a body by variables. */
export function withVariables(value: unknown, field = ''): Value {
  if (Array.isArray(value)) return value.map(each => withVariables(each))
  if (value !== null && typeof value === 'object')
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withVariables(each, name)]))
  if (typeof value !== 'string') return value as Value
  if (field === 'session_id') return new Variable('POSTERN_SESSION')
  return /^\$[A-Z_]+$/.test(value) ? new Variable(value.slice(1)) : value
}

/** The input of a sample. */
export interface RequestOf {
  method: string
  path: string
  query?: Record<string, string>
  headers?: Record<string, string>
  body?: unknown
  endless?: boolean
  /** Whether the body is a file. */
  isFile?: boolean
}

export function sampleOf(request: RequestOf): Sample {
  const query = new URLSearchParams(request.query ?? {}).toString()
  const operator = request.path.startsWith('/operator')
  return {
    method: request.method,
    path: [...piecesOf(request.path), ...(query === '' ? [] : [`?${query}`])],
    headers: request.headers ?? {},
    token: new Variable(operator ? 'POSTERN_OPERATOR_TOKEN' : 'POSTERN_API_KEY'),
    endless: request.endless ?? false,
    ...(request.body === undefined ? {} : { body: withVariables(request.body) }),
    ...(request.isFile ? { file: FILE.name } : {}),
  }
}

const FILE = { name: 'photo.jpg', type: 'image/jpeg' }
const JSON_HEADER = { 'Content-Type': 'application/json' }

/** The headers except Authorization. */
export function headersOf({ headers, body, file }: Sample): Record<string, string> {
  if (file !== undefined) return { ...headers, 'Content-Type': FILE.type }
  return body === undefined ? headers : { ...headers, ...JSON_HEADER }
}

interface Notation {
  text(value: string): string
  variable(name: string): string
  constants: { true: string; false: string; null: string }
  list: [string, string]
  object: [string, string]
  entry(name: string, value: string): string
  /** Whether the last of several lines may end in a comma. */
  lastComma: boolean
}

const ROOM = 60

/** A value in the language's notation, on one line if it fits. */
export function written(value: Value, notation: Notation, indent: string, step: string): string {
  if (value instanceof Variable) return notation.variable(value.name)
  if (typeof value === 'string') return notation.text(value)
  if (typeof value === 'number') return String(value)
  if (value === null || typeof value === 'boolean') return notation.constants[`${value}`]
  const list = Array.isArray(value)
  const [open, close] = list ? notation.list : notation.object
  const inner = (deeper: string): string[] =>
    list
      ? value.map(each => written(each, notation, deeper, step))
      : Object.entries(value).map(([name, each]) => notation.entry(name, written(each, notation, deeper, step)))
  const flat = inner('')
  const line = `${open}${flat.join(', ')}${close}`
  if (flat.length === 0 || (line.length <= ROOM && !line.includes('\n') && indent !== '')) return line
  const lines = inner(indent + step).map(each => `${indent}${step}${each}`)
  return `${open.trimEnd()}\n${lines.join(',\n')}${notation.lastComma ? ',' : ''}\n${indent}${close.trimStart()}`
}

export type { Notation }
