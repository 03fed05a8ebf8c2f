import type { BinaryNode, WASocket } from 'baileys'
import { ackOf, given, receiptOf } from './confirmation.ts'

/** What the answer to a stanza repeats of it. */
const REPEATED = ['id', 'from', 'participant', 'recipient', 'type'] as const
/** A device is written as one byte. */
const PLAIN_JID = /^[A-Za-z0-9.-]*(?::(?:\d{1,2}|1\d\d|2[0-4]\d|25[0-5]))?@[a-z.]+$/

/**
 * Whether the library can write the answer to a stanza. It takes every word with an `@` for a JID and looks words up in
 * a table that inherits: from some words it makes others, and from some a frame at which the server ends the link.
 */
export function isAnswerable({ attrs }: BinaryNode): boolean {
  // The library answers a status to its author.
  if (attrs.from === 'status@broadcast' && !attrs.participant) return false
  return REPEATED.every(name => attrs[name] === undefined || isWritable(attrs[name]))
}

/** Whether the library writes this word as it is. */
export function isWritable(text: string): boolean {
  return text.includes('@') ? PLAIN_JID.test(text) : !(text in Object.prototype)
}

/** Confirms a stanza that the library cannot answer for, letter by letter. */
export async function confirmByHand(sock: Pick<WASocket, 'sendRawMessage'>, stanza: BinaryNode): Promise<void> {
  await sayPlainly(sock, ackOf(stanza))
}

/** The same for a copy of what another device of the number has sent: an ack would not do. */
export async function confirmCopyByHand(sock: Pick<WASocket, 'sendRawMessage'>, stanza: BinaryNode): Promise<void> {
  await sayPlainly(sock, receiptOf(stanza, true))
}

/** Tells the server that asks so that somebody is there; the library leaves it without an answer. */
export async function answerPing(sock: Pick<WASocket, 'sendRawMessage'>, { attrs }: BinaryNode): Promise<void> {
  await sayPlainly(sock, { tag: 'iq', attrs: given({ type: 'result', id: attrs.id, to: attrs.from }) })
}

async function sayPlainly(sock: Pick<WASocket, 'sendRawMessage'>, { tag, attrs }: BinaryNode): Promise<void> {
  const said = Object.entries(attrs).filter(([, word]) => word !== '')
  await sock.sendRawMessage(encodePlainly(tag, said))
}

const LIST_8 = 248
const BINARY_8 = 252
const BINARY_20 = 253

/** A stanza without content in the binary form of the protocol, with every word spelled out. */
function encodePlainly(tag: string, attrs: ReadonlyArray<[string, string]>): Buffer {
  const words = [tag, ...attrs.flat()].map(word => {
    const bytes = Buffer.from(word)
    const { length } = bytes
    const size = length < 256 ? [BINARY_8, length] : [BINARY_20, length >> 16, (length >> 8) & 255, length & 255]
    return Buffer.concat([Buffer.from(size), bytes])
  })
  return Buffer.concat([Buffer.from([0, LIST_8, words.length]), ...words])
}
