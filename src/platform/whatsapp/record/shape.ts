import type { BinaryNode } from 'baileys'
import { isConstant, isId, isName, isTime } from './known-words.ts'
import type { Placeholders } from './placeholders.ts'

/** A stanza without anything that was said or belongs to somebody. */
export interface Shape {
  tag: string
  attrs?: Record<string, string>
  children?: Shape[]
  /** So many of the same, one after the other. */
  times?: number
  /** The length of its content where that is bytes, or text. */
  bytes?: number
  text?: number
}

const DEEPEST = 16
const MOST_CHILDREN = 2_000

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
  else if (Array.isArray(content) && depth < DEEPEST)
    shape.children = gathered(content.slice(0, MOST_CHILDREN).map(child => shapeOf(child, placeholders, depth + 1)))
  return shape
}

/** A thousand keys in a row are one line. */
function gathered(shapes: Shape[]): Shape[] {
  const different: Shape[] = []
  let last = ''
  for (const shape of shapes) {
    const text = JSON.stringify(shape)
    if (text === last) different.at(-1)!.times = (different.at(-1)!.times ?? 1) + 1
    else different.push(shape)
    last = text
  }
  return different
}

const nameOf = (name: string): string => (isName(name) ? name : `name(${name.length})`)

function valueOf(tag: string, name: string, value: string, placeholders: Placeholders): string {
  if (isConstant(tag, name, value)) return value
  if (isTime(name, value)) return `time(${value.length})`
  return placeholders.jid(value) ?? (isId(name) ? placeholders.id(value) : `other(${value.length})`)
}
