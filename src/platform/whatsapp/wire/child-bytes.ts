import { type BinaryNode, getBinaryNodeChild } from 'baileys'

/** The bytes of a stanza's child; `undefined` if it contains stanzas or nothing. */
export function bytesIn(stanza: BinaryNode | undefined, tag: string): Buffer | undefined {
  const content = getBinaryNodeChild(stanza, tag)?.content
  return content === undefined || Array.isArray(content) ? undefined : Buffer.from(content)
}
