import { type BinaryNode, S_WHATSAPP_NET, type WASocket } from 'baileys'
import { ackOf, given, receiptOf } from './confirmation.ts'

/** The attributes that a confirmation repeats. */
const REPEATED = ['id', 'from', 'participant', 'recipient', 'type'] as const
/** The binary format has one byte for the device. */
const PLAIN_JID = /^[A-Za-z0-9.-]*(?::(?:\d{1,2}|1\d\d|2[0-4]\d|25[0-5]))?@[a-z.]+$/

/**
 * Whether the library can encode the confirmation of a stanza. It treats every text with an `@` as a JID and finds
 * texts in a table that inherits from Object.prototype: some texts it changes, and for some it writes a frame at which
 * the server ends the link.
 */
export function isAnswerable({ tag, attrs }: BinaryNode): boolean {
  // The library confirms a status post to its author. Receipts of status posts name their authors inside.
  if (tag !== 'receipt' && attrs.from === 'status@broadcast' && !attrs.participant) return false
  return REPEATED.every(name => attrs[name] === undefined || isWritable(attrs[name]))
}

/** Whether the library encodes this text unchanged. */
export function isWritable(text: string): boolean {
  return text.includes('@') ? PLAIN_JID.test(text) : !(text in Object.prototype)
}

/** Confirms a stanza whose confirmation the library cannot encode. */
export async function confirmWithoutLibrary(sock: Pick<WASocket, 'sendRawMessage'>, stanza: BinaryNode): Promise<void> {
  await sendPlainly(sock, ackOf(stanza))
}

/** The same for a copy of the number's own message, which needs a receipt instead of an ack. */
export async function confirmCopyWithoutLibrary(
  sock: Pick<WASocket, 'sendRawMessage'>,
  stanza: BinaryNode,
): Promise<void> {
  await sendPlainly(sock, receiptOf(stanza, true, true))
}

/** Confirms data that the number's own phone sends to its devices: it needs a receipt of its own category. */
export async function confirmAppData(
  sock: Pick<WASocket, 'sendRawMessage'>,
  { attrs: { id, from: to } }: BinaryNode,
): Promise<void> {
  await sendPlainly(sock, { tag: 'receipt', attrs: given({ id, to, category: 'peer_appdata' }) })
}

/** Answers a ping of the server, which the library ignores. */
export async function answerPing(sock: Pick<WASocket, 'sendRawMessage'>, { attrs }: BinaryNode): Promise<void> {
  await sendPlainly(sock, { tag: 'iq', attrs: given({ type: 'result', id: attrs.id, to: S_WHATSAPP_NET }) })
}

async function sendPlainly(sock: Pick<WASocket, 'sendRawMessage'>, { tag, attrs }: BinaryNode): Promise<void> {
  const present = Object.entries(attrs).filter(([, value]) => value !== '')
  await sock.sendRawMessage(encodePlainly(tag, present))
}

const LIST_8 = 248
const JID_PAIR = 250
const NO_USER = 0
const BINARY_8 = 252
const BINARY_20 = 253

/** Encodes a stanza without content in the binary format, with every text spelled out instead of a token. */
function encodePlainly(tag: string, attrs: ReadonlyArray<[string, string]>): Buffer {
  const words = [tag, ...attrs.flat()].map(word =>
    word === S_WHATSAPP_NET ? Buffer.concat([Buffer.from([JID_PAIR, NO_USER]), spelled(word.slice(1))]) : spelled(word),
  )
  return Buffer.concat([Buffer.from([0, LIST_8, words.length]), ...words])
}

function spelled(word: string): Buffer {
  const bytes = Buffer.from(word)
  const { length } = bytes
  const size = length < 256 ? [BINARY_8, length] : [BINARY_20, length >> 16, (length >> 8) & 255, length & 255]
  return Buffer.concat([Buffer.from(size), bytes])
}
