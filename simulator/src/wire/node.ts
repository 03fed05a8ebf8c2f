import type { BinaryNode } from 'baileys'
import { getBinaryNodeChild, getBinaryNodeChildren } from 'baileys'

export type { BinaryNode } from 'baileys'

type Attributes = Record<string, string | undefined>

/** A stanza or a part of one. Omits attributes without a value. */
export function node(tag: string, attributes: Attributes = {}, content?: BinaryNode['content']): BinaryNode {
  const given = Object.entries(attributes).filter(([, value]) => value !== undefined)
  const attrs = Object.fromEntries(given) as Record<string, string>
  return content === undefined ? { tag, attrs } : { tag, attrs, content }
}

export function child(parent: BinaryNode | undefined, tag: string): BinaryNode | undefined {
  return getBinaryNodeChild(parent, tag)
}

export function children(parent: BinaryNode | undefined, tag?: string): BinaryNode[] {
  if (tag !== undefined) return getBinaryNodeChildren(parent, tag)
  return Array.isArray(parent?.content) ? parent.content : []
}

/** The bytes inside a part; empty if there are none. */
export function bytesOf(part: BinaryNode | undefined): Buffer {
  const content = part?.content
  if (content === undefined || Array.isArray(content)) return Buffer.alloc(0)
  return typeof content === 'string' ? Buffer.from(content) : Buffer.from(content)
}

export function textOf(part: BinaryNode | undefined): string {
  return bytesOf(part).toString('utf8')
}

export function integerOf(part: BinaryNode | undefined): number {
  const bytes = bytesOf(part)
  return bytes.length === 0 ? 0 : bytes.readUIntBE(0, bytes.length)
}

export function integerBytes(value: number, length: number): Buffer {
  const bytes = Buffer.alloc(length)
  bytes.writeUIntBE(value, 0, length)
  return bytes
}
