import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

export interface FieldShape {
  readonly name: string
  readonly number: number
  readonly repeated: boolean
  /** A scalar's name, `enum`, or the full name of a message. */
  readonly type: string
}

export type Schema = ReadonlyMap<string, readonly FieldShape[]>

const SCALARS = new Set(
  'bool bytes double fixed32 fixed64 float int32 int64 sfixed32 sfixed64 sint32 sint64 string uint32 uint64'.split(' '),
)
const OPENING = /^(message|enum|oneof)\s+(\w+)\s*\{/
const FIELD = /^(?:(optional|repeated|required)\s+)?([\w.]+)\s+(\w+)\s*=\s*(\d+)/

/** Every message of the protocol, read from the description that the library was generated from. */
export function readSchema(): Schema {
  const library = dirname(createRequire(import.meta.url).resolve('baileys'))
  const lines = readFileSync(join(library, '../WAProto/WAProto.proto'), 'utf8').split('\n')
  const messages = new Map<string, FieldShape[]>()
  const open: Array<{ kind: string; name: string }> = []
  const scope = (): string =>
    open
      .filter(({ kind }) => kind === 'message')
      .map(({ name }) => name)
      .join('.')
  for (const line of lines.map(each => each.trim())) {
    const opening = OPENING.exec(line)
    if (opening) {
      open.push({ kind: opening[1]!, name: opening[2]! })
      if (opening[1] === 'message') messages.set(scope(), [])
    }
    const field = open.at(-1)?.kind === 'enum' ? null : FIELD.exec(line)
    if (field) {
      const [, label, type, name, number] = field
      messages.get(scope())?.push({ name: name!, number: Number(number), repeated: label === 'repeated', type: type! })
    }
    if (line.endsWith('}')) open.pop()
  }
  return new Map([...messages].map(([name, fields]) => [name, fields.map(field => resolve(messages, name, field))]))
}

/**
 * A type is resolved from the inner scope outwards, as the language says; a name that is neither scalar nor message is
 * an enum.
 */
function resolve(messages: ReadonlyMap<string, unknown>, scope: string, field: FieldShape): FieldShape {
  if (SCALARS.has(field.type)) return field
  const parts = scope.split('.')
  for (let depth = parts.length; depth >= 0; depth--) {
    const full = [...parts.slice(0, depth), field.type].join('.')
    if (messages.has(full)) return { ...field, type: full }
  }
  return { ...field, type: 'enum' }
}
