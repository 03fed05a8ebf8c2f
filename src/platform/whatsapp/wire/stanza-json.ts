import type { BinaryNode } from 'baileys'

interface Written {
  tag: string
  attrs: BinaryNode['attrs']
  content?: string | Written[] | { type: 'Buffer'; data: string }
}

/**
 * A stanza as JSON. Bytes are told from the rest by their place: whatever names and values others give to attributes,
 * they stay attributes.
 */
export const writeStanza = (stanza: BinaryNode): string => JSON.stringify(written(stanza))

export const readStanzaJson = (json: string): BinaryNode => read(JSON.parse(json) as Written)

function written({ tag, attrs, content }: BinaryNode): Written {
  if (content === undefined || content === null) return { tag, attrs }
  if (typeof content === 'string') return { tag, attrs, content }
  if (Array.isArray(content)) return { tag, attrs, content: content.map(written) }
  return { tag, attrs, content: { type: 'Buffer', data: Buffer.from(content).toString('base64') } }
}

function read({ tag, attrs, content }: Written): BinaryNode {
  if (content === undefined) return { tag, attrs }
  if (typeof content === 'string') return { tag, attrs, content }
  if (Array.isArray(content)) return { tag, attrs, content: content.map(read) }
  return { tag, attrs, content: Buffer.from(content.data, 'base64') }
}
