import type { BinaryNode } from 'baileys'
import { isConstant, isId, isName, isTime } from './known-words.ts'
import type { Placeholders } from './placeholders.ts'

/** A stanza without content and without names of people. */
export interface Shape {
  tag: string
  attrs?: Record<string, string>
  children?: Shape[]
  /** How many equal elements follow each other. */
  times?: number
  /** The length of the content, by its type. */
  bytes?: number
  text?: number
}

const MAX_DEPTH = 16
const MAX_CHILDREN = 2_000

export function shapeOf(stanza: BinaryNode, placeholders: Placeholders, depth = 0): Shape {
  const shape: Shape = { tag: nameOf(stanza.tag) }
  const attrs = Object.entries(stanza.attrs ?? {}).filter(([, value]) => typeof value === 'string')
  if (attrs.length > 0)
    shape.attrs = Object.fromEntries(
      attrs.map(([name, value]) => [nameOf(name), valueOf(stanza.tag, name, value, placeholders)]),
    )
  const { content } = stanza
  if (typeof content === 'string') shape.text = content.length
  else if (content instanceof Uint8Array) shape.bytes = content.length
  else if (Array.isArray(content) && depth < MAX_DEPTH)
    shape.children = withoutRepeats(
      content.slice(0, MAX_CHILDREN).map(child => shapeOf(child, placeholders, depth + 1)),
    )
  return shape
}

/** A thousand equal elements become one with a count. */
function withoutRepeats(shapes: Shape[]): Shape[] {
  const distinct: Shape[] = []
  let last = ''
  for (const shape of shapes) {
    const text = JSON.stringify(shape)
    if (text === last) distinct.at(-1)!.times = (distinct.at(-1)!.times ?? 1) + 1
    else distinct.push(shape)
    last = text
  }
  return distinct
}

const nameOf = (name: string): string => (isName(name) ? name : `name(${name.length})`)

function valueOf(tag: string, name: string, value: string, placeholders: Placeholders): string {
  if (isConstant(tag, name, value)) return value
  if (isTime(name, value)) return `time(${value.length})`
  return placeholders.jid(value) ?? (isId(name) ? placeholders.id(value) : `other(${value.length})`)
}
