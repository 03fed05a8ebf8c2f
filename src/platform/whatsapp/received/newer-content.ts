import { normalizeMessageContent, proto } from 'baileys'
import { BYTES, type Field, fieldsOf } from '../wire/proto-fields.ts'

/** The envelope that the library opens for any content. */
const EPHEMERAL = 40

/**
 * Message fields that are newer than the library, each with an older field of the same structure under whose number the
 * library reads it. An envelope that the library does not open is read as one that it opens.
 */
const READ_AS: ReadonlyMap<number, number> = new Map([
  [62, EPHEMERAL],
  [95, EPHEMERAL],
  [100, EPHEMERAL], // botTaskMessage
  [101, EPHEMERAL],
  [104, EPHEMERAL],
  [106, EPHEMERAL],
  [115, 114], // as pollResultSnapshotMessageV3
  [116, EPHEMERAL],
  [117, EPHEMERAL], // newsletterAdminProfileMessageV2
  [118, EPHEMERAL],
  [119, 111], // as pollCreationMessageV5
  [126, EPHEMERAL],
  [131, EPHEMERAL],
])

const PROTOCOL_MESSAGE = 12

/** Fields that contain a message: the number of the field, and of the message within it. */
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

/** The texts in fields that the library cannot read: for each field, the numbers that lead to its texts. */
const WORDS: ReadonlyMap<number, readonly (readonly number[])[]> = new Map([
  [121, [[2, 1]]], // pollAddOptionMessage: the added option
  [122, [[3], [6], [9]]], // eventInviteMessage: title, caption, link
  [124, [[3]]], // paymentReminderMessage: description
  [125, [[3]]], // splitPaymentMessage: description
  [
    129,
    [
      [1, 4],
      [1, 3],
    ],
  ], // musicMessage: title, author
])

/** Keys between devices and notes of an app about a post, which no app shows. */
const NOT_SHOWN: ReadonlySet<number> = new Set([123, 127, 130])

const MAX_DEPTH = 10

/** How many more fields may be read. */
interface FieldBudget {
  left: number
}

/** No app writes nearly as many: a message with more is an attempt to waste processing time. */
const MAX_FIELDS = 4_000

interface WithWords {
  newerWords?: string
}

/** Decodes a message, including fields that are newer than the library. */
export function decodeMessage(bytes: Uint8Array): proto.Message {
  const budget = { left: MAX_FIELDS }
  const known = readable(bytes, budget)
  const message = proto.Message.decode(known)
  const words = newerWords(innermost(known, 0, known.length, budget), budget)
  if (words !== '')
    Object.assign(normalizeMessageContent(message) ?? message, { newerWords: words } satisfies WithWords)
  return message
}

/** The text of a field that the library cannot read, if the message has one. */
export const newerWordsOf = (content: proto.IMessage): string | undefined => (content as WithWords).newerWords

function newerWords(bytes: Uint8Array, budget: FieldBudget): string {
  const texts: string[] = []
  for (const { number, wireType, from, to } of someFieldsOf(bytes, 0, bytes.length, budget))
    if (wireType === BYTES)
      for (const path of WORDS.get(number) ?? []) texts.push(textAt(bytes.subarray(from, to), path, budget))
  return texts.filter(Boolean).join('\n')
}

function textAt(bytes: Uint8Array, [first, ...rest]: readonly number[], budget: FieldBudget): string {
  if (first === undefined) return Buffer.from(bytes).toString()
  for (const { number, wireType, from, to } of someFieldsOf(bytes, 0, bytes.length, budget))
    if (number === first && wireType === BYTES) return textAt(bytes.subarray(from, to), rest, budget)
  return ''
}

/** Whether a message has content that this gateway does not know: `shown` to people, or `hidden` between apps. */
export function unknownContent(bytes: Uint8Array): 'shown' | 'hidden' | undefined {
  const budget = { left: MAX_FIELDS }
  const known = readable(bytes, budget)
  const inner = innermost(known, 0, known.length, budget)
  const unknown = numbersOf(inner, budget)
  if (budget.left === 0) return 'shown'
  for (const number of numbersOf(proto.Message.encode(proto.Message.decode(inner)).finish(), budget))
    unknown.delete(number)
  if (unknown.size === 0) return undefined
  return [...unknown].every(number => NOT_SHOWN.has(number)) ? 'hidden' : 'shown'
}

/**
 * The same bytes, with newer fields under the number of an older one; the tags of both are two bytes long. A message
 * with too many fields stays unchanged.
 */
function readable(bytes: Uint8Array, budget: FieldBudget): Uint8Array {
  let copy: Uint8Array | undefined
  const walk = (from: number, to: number, depth: number): void => {
    for (const field of someFieldsOf(bytes, from, to, budget)) {
      if (field.wireType !== BYTES) continue
      const older = READ_AS.get(field.number)
      if (older !== undefined) {
        copy ??= Uint8Array.from(bytes)
        copy.set(tagOf(older), field.tagAt)
      }
      const inside = ENVELOPES.get(older ?? field.number)
      if (inside === undefined || depth === MAX_DEPTH) continue
      for (const inner of someFieldsOf(bytes, field.from, field.to, budget))
        if (inner.number === inside && inner.wireType === BYTES) walk(inner.from, inner.to, depth + 1)
    }
  }
  walk(0, bytes.length, 0)
  return budget.left === 0 ? bytes : (copy ?? bytes)
}

const tagOf = (number: number): [number, number] => {
  const tag = (number << 3) | BYTES
  return [(tag & 0x7f) | 0x80, tag >>> 7]
}

/** The message inside all of its envelopes. */
function innermost(bytes: Uint8Array, from: number, to: number, budget: FieldBudget, depth = 0): Uint8Array {
  for (const field of someFieldsOf(bytes, from, to, budget)) {
    const inside =
      field.wireType === BYTES && field.number !== PROTOCOL_MESSAGE ? ENVELOPES.get(field.number) : undefined
    if (inside === undefined || depth === MAX_DEPTH) continue
    for (const inner of someFieldsOf(bytes, field.from, field.to, budget))
      if (inner.number === inside && inner.wireType === BYTES)
        return innermost(bytes, inner.from, inner.to, budget, depth + 1)
  }
  return bytes.subarray(from, to)
}

function numbersOf(bytes: Uint8Array, budget: FieldBudget): Set<number> {
  const numbers = new Set<number>()
  for (const { number } of someFieldsOf(bytes, 0, bytes.length, budget)) numbers.add(number)
  return numbers
}

function* someFieldsOf(bytes: Uint8Array, from: number, to: number, budget: FieldBudget): Generator<Field> {
  for (const field of fieldsOf(bytes, from, to)) {
    if (budget.left === 0) return
    budget.left -= 1
    yield field
  }
}
