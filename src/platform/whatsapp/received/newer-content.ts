import { proto } from 'baileys'
import { BYTES, type Field, fieldsOf } from '../wire/proto-fields.ts'

/** The envelope that is opened for any content. */
const EPHEMERAL = 40

/**
 * Fields of a message that came after the library's list, by the number of an older field of the same shape, under
 * which the library reads them. Contents in an envelope that it does not open are in one that it does.
 */
const READ_AS: ReadonlyMap<number, number> = new Map([
  [62, EPHEMERAL],
  [95, EPHEMERAL],
  [101, EPHEMERAL],
  [104, EPHEMERAL],
  [106, EPHEMERAL],
  [115, 114], // as pollResultSnapshotMessageV3
  [116, EPHEMERAL],
  [118, EPHEMERAL],
  [119, 111], // as pollCreationMessageV5
  [126, EPHEMERAL],
  [131, EPHEMERAL],
])

const PROTOCOL_MESSAGE = 12

/** Where messages hold a message: the number of the field, and that of the message within it. */
const ENVELOPES: ReadonlyMap<number, number> = new Map([
  [37, 1], // viewOnceMessage
  [EPHEMERAL, 1],
  [53, 1], // documentWithCaptionMessage
  [55, 1], // viewOnceMessageV2
  [58, 1], // editedMessage
  [59, 1], // viewOnceMessageV2Extension
  [74, 1], // lottieStickerMessage
  [91, 1], // associatedChildMessage
  [93, 1], // pollCreationMessageV4
  [96, 1], // groupStatusMessage
  [103, 1], // groupStatusMessageV2
  [31, 2], // deviceSentMessage
  [PROTOCOL_MESSAGE, 14], // its editedMessage
])

/** Keys between devices, and what an app notes about a post: nobody is shown them. */
const NOT_SHOWN: ReadonlySet<number> = new Set([123, 127, 130])

const MAX_DEPTH = 10

/** How many fields are looked at yet. */
interface Patience {
  left: number
}

/** No app writes nearly as many: whoever does wants to be looked at for long. */
const MOST_FIELDS = 4_000

/** Decodes a message, with what is newer than the library. */
export function decodeMessage(bytes: Uint8Array): proto.Message {
  return proto.Message.decode(readable(bytes, { left: MOST_FIELDS }))
}

/** What a message has that nobody here knows: `shown` to people, or `hidden` between apps. */
export function unknownContent(bytes: Uint8Array): 'shown' | 'hidden' | undefined {
  const patience = { left: MOST_FIELDS }
  const known = readable(bytes, patience)
  const inner = innermost(known, 0, known.length, patience)
  const unknown = numbersOf(inner, patience)
  if (patience.left === 0) return 'shown'
  for (const number of numbersOf(proto.Message.encode(proto.Message.decode(inner)).finish(), patience))
    unknown.delete(number)
  if (unknown.size === 0) return undefined
  return [...unknown].every(number => NOT_SHOWN.has(number)) ? 'hidden' : 'shown'
}

/**
 * The same bytes, with newer fields under the number of an older one; tags of both are two bytes long. Where they have
 * too many fields they stay as they are.
 */
function readable(bytes: Uint8Array, patience: Patience): Uint8Array {
  let copy: Uint8Array | undefined
  const walk = (from: number, to: number, depth: number): void => {
    for (const field of someFieldsOf(bytes, from, to, patience)) {
      if (field.wireType !== BYTES) continue
      const older = READ_AS.get(field.number)
      if (older !== undefined) {
        copy ??= Uint8Array.from(bytes)
        copy.set(tagOf(older), field.tagAt)
      }
      const inside = ENVELOPES.get(older ?? field.number)
      if (inside === undefined || depth === MAX_DEPTH) continue
      for (const inner of someFieldsOf(bytes, field.from, field.to, patience))
        if (inner.number === inside && inner.wireType === BYTES) walk(inner.from, inner.to, depth + 1)
    }
  }
  walk(0, bytes.length, 0)
  return patience.left === 0 ? bytes : (copy ?? bytes)
}

const tagOf = (number: number): [number, number] => {
  const tag = (number << 3) | BYTES
  return [(tag & 0x7f) | 0x80, tag >>> 7]
}

/** The message in all envelopes around it. */
function innermost(bytes: Uint8Array, from: number, to: number, patience: Patience, depth = 0): Uint8Array {
  for (const field of someFieldsOf(bytes, from, to, patience)) {
    const inside =
      field.wireType === BYTES && field.number !== PROTOCOL_MESSAGE ? ENVELOPES.get(field.number) : undefined
    if (inside === undefined || depth === MAX_DEPTH) continue
    for (const inner of someFieldsOf(bytes, field.from, field.to, patience))
      if (inner.number === inside && inner.wireType === BYTES)
        return innermost(bytes, inner.from, inner.to, patience, depth + 1)
  }
  return bytes.subarray(from, to)
}

function numbersOf(bytes: Uint8Array, patience: Patience): Set<number> {
  const numbers = new Set<number>()
  for (const { number } of someFieldsOf(bytes, 0, bytes.length, patience)) numbers.add(number)
  return numbers
}

function* someFieldsOf(bytes: Uint8Array, from: number, to: number, patience: Patience): Generator<Field> {
  for (const field of fieldsOf(bytes, from, to)) {
    if (patience.left === 0) return
    patience.left -= 1
    yield field
  }
}
