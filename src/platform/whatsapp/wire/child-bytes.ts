import { type BinaryNode, getBinaryNodeChild } from 'baileys'

/** What a child of a stanza holds, where that is no further stanzas. */
export function bytesIn(stanza: BinaryNode | undefined, tag: string): Buffer | undefined {
  const content = getBinaryNodeChild(stanza, tag)?.content
  return content === undefined || Array.isArray(content) ? undefined : Buffer.from(content)
}
