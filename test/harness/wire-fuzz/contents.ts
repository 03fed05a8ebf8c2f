import {
  BYTES,
  bytesField,
  doubleField,
  fixed32Field,
  fixed64Field,
  floatField,
  tag,
  varintField,
} from './proto-bytes.ts'
import { type FieldShape, readSchema } from './proto-schema.ts'
import type { Random } from './random.ts'
import { strangeInteger, strangeReal, strangeText, strangeTextBytes } from './strange-values.ts'

const schema = readSchema()
const fieldsOf = (message: string): readonly FieldShape[] => schema.get(message) ?? []

/** Every type of message. */
export const CONTENTS: readonly FieldShape[] = fieldsOf('Message')
/** Contents that hold another message. */
export const ENVELOPES = CONTENTS.filter(({ type }) => type === 'Message.FutureProofMessage')
const DEVICE_SENT = fieldNamed('deviceSentMessage')

function fieldNamed(name: string): FieldShape {
  const field = CONTENTS.find(one => one.name === name)
  if (!field) throw new Error(`there is no content ${name}`)
  return field
}

/** The remaining size of one message, because a described type may contain itself without end. */
interface Budget {
  fields: number
}

const MAX_DEPTH = 12

/** A message of this kind with some of its fields, each of its right type and half of them with a wrong value. */
export function messageOf(random: Random, type: string, budget: Budget = { fields: 40 }, depth = 0): Buffer {
  const fields = fieldsOf(type)
  if (fields.length === 0 || depth > MAX_DEPTH) return Buffer.alloc(0)
  const parts: Buffer[] = []
  for (let count = random.int(Math.min(fields.length, 6) + 1); count > 0 && budget.fields > 0; count--) {
    budget.fields--
    parts.push(fieldOf(random, random.pick(fields), budget, depth))
  }
  return Buffer.concat(parts)
}

function fieldOf(random: Random, field: FieldShape, budget: Budget, depth: number): Buffer {
  const times = field.repeated ? random.int(4) : random.chance(0.05) ? 2 : 1
  return Buffer.concat(Array.from({ length: times }, () => valueOf(random, field, budget, depth)))
}

function valueOf(random: Random, field: FieldShape, budget: Budget, depth: number): Buffer {
  const { number, type } = field
  switch (type) {
    case 'string':
      return bytesField(number, textFor(random, field.name))
    case 'bytes':
      return bytesField(number, random.bytes(random.pick([0, 1, 16, 32, 33])))
    case 'double':
      return doubleField(number, strangeReal(random))
    case 'float':
      return floatField(number, strangeReal(random))
    case 'fixed32':
    case 'sfixed32':
      return fixed32Field(number, random.bytes(4))
    case 'fixed64':
    case 'sfixed64':
      return fixed64Field(number, random.bytes(8))
    default:
      if (schema.has(type)) return bytesField(number, messageOf(random, type, budget, depth + 1))
      return varintField(number, random.chance(0.5) ? random.int(30) : strangeInteger(random))
  }
}

const ADDRESSES = ['', 'data:,x', 'http://127.0.0.1:1/', 'https://[::1]:1/', 'file:///etc/passwd']

const PATHS = ['@127.0.0.1:1/', '/nowhere', '//127.0.0.1:1/x', '/../../x', '/\\127.0.0.1:1/', '/?\u0000', 'nowhere']

/** A picture whose location is an address, a path, both or neither. */
export function fileSomewhere(random: Random): Buffer {
  const parts = [
    bytesField(1, random.pick(ADDRESSES)),
    bytesField(2, random.pick(['image/png', strangeText(random)])),
    varintField(5, random.chance(0.8) ? 3 : strangeInteger(random)),
    bytesField(11, random.pick(PATHS)),
  ].filter(() => random.chance(0.7))
  const kind = random.pick(['imageMessage', 'videoMessage', 'audioMessage', 'documentMessage', 'stickerMessage'])
  return bytesField(fieldNamed(kind).number, Buffer.concat([...parts, bytesField(8, random.bytes(32))]))
}

/** Addresses that never lead outside this machine. */
function textFor(random: Random, name: string): Uint8Array {
  if (/url|uri|link/i.test(name)) {
    return Buffer.from(random.chance(0.03) ? 'https://127.0.0.1:1/' : random.pick(ADDRESSES))
  }
  if (/path/i.test(name)) return Buffer.from(random.chance(0.9) ? '' : random.pick(PATHS))
  return strangeTextBytes(random)
}

/** One content of any kind, with at least one field. */
export function anyContent(random: Random): Buffer {
  const field = random.pick(CONTENTS)
  return valueOf(random, field, { fields: 40 }, 0)
}

export function emptyContent(random: Random): Buffer {
  const { number, type } = random.pick(CONTENTS)
  return type === 'string' ? bytesField(number, '') : bytesField(number, Buffer.alloc(0))
}

/** Puts a message into envelopes: those that phones use, one for own devices, or an empty one. */
export function enveloped(random: Random, message: Buffer, times: number): Buffer {
  let inside = message
  for (let i = 0; i < times; i++) {
    const isOwnCopy = random.chance(0.1)
    const { number } = isOwnCopy ? DEVICE_SENT : random.pick(ENVELOPES)
    const destination = isOwnCopy ? bytesField(1, strangeTextBytes(random)) : Buffer.alloc(0)
    inside = bytesField(number, Buffer.concat([destination, bytesField(isOwnCopy ? 2 : 1, inside)]))
  }
  return inside
}

/** Nested quotes: `extendedTextMessage.contextInfo.quotedMessage`, repeatedly. */
export function quoting(depth: number): Buffer {
  let inside = bytesField(1, 'x')
  for (let i = 0; i < depth; i++) {
    const context = Buffer.concat([bytesField(1, 'ID'), bytesField(3, inside)])
    inside = bytesField(6, Buffer.concat([bytesField(1, 'x'), bytesField(17, context)]))
  }
  return inside
}

/** A field that should be a list or absent, repeated many times. */
export function repeating(random: Random, times: number): Buffer {
  const part = random.pick([
    () => bytesField(49, Buffer.concat(Array.from({ length: times }, () => bytesField(3, bytesField(1, 'option'))))),
    () => bytesField(6, bytesField(17, Buffer.concat(Array.from({ length: times }, () => bytesField(15, '1@lid'))))),
    () => Buffer.concat(Array.from({ length: times }, () => bytesField(1, 'again'))),
    () => bytesField(13, Buffer.concat(Array.from({ length: times }, () => bytesField(2, bytesField(1, 'name'))))),
  ])
  return part()
}

export function huge(random: Random, length: number): Buffer {
  const text = strangeText(random) || 'x'
  const long = text.repeat(Math.ceil(length / text.length)).slice(0, length)
  return random.pick([bytesField(1, long), bytesField(6, bytesField(1, long)), bytesField(46, bytesField(2, long))])
}

/** Contents about another message, with a key that is strange, of another person, or missing. */
export function aboutAnother(random: Random, ids: readonly string[]): Buffer {
  const id = ids.length > 0 && random.chance(0.6) ? Buffer.from(random.pick(ids)) : strangeTextBytes(random)
  const parts = [
    bytesField(1, strangeText(random)),
    varintField(2, random.int(2)),
    bytesField(3, id),
    bytesField(4, strangeText(random)),
  ].filter(() => random.chance(0.7))
  const key = random.chance(0.25) ? Buffer.alloc(0) : bytesField(1, Buffer.concat(parts))
  const text = bytesField(2, strangeTextBytes(random))
  const kind = varintField(2, random.int(30))
  const edited = bytesField(14, anyContent(random))
  return random.pick([
    bytesField(46, Buffer.concat([key, text])),
    bytesField(50, Buffer.concat([key, bytesField(2, messageOf(random, 'Message.PollEncValue'))])),
    bytesField(51, Buffer.concat([key, kind])),
    bytesField(63, Buffer.concat([key, kind])),
    bytesField(12, Buffer.concat([key, kind])),
    bytesField(12, Buffer.concat([key, varintField(2, 0)])),
    bytesField(12, Buffer.concat([key, varintField(2, 14), edited])),
    bytesField(58, bytesField(1, bytesField(12, Buffer.concat([key, varintField(2, 14), edited])))),
  ])
}

/** Fields of contents under a wrong wire type. */
export function wronglyTyped(random: Random): Buffer {
  const { number } = random.pick(CONTENTS)
  return random.pick([
    () => varintField(number, strangeInteger(random)),
    () => fixed32Field(number, random.bytes(4)),
    () => fixed64Field(number, random.bytes(8)),
    () => Buffer.concat([tag(number, 3), bytesField(1, 'x'), tag(number, 4)]),
    () => Buffer.concat([tag(number, random.pick([3, 4, 6, 7])), random.bytes(3)]),
    () => Buffer.concat([tag(number, BYTES), Buffer.from([0xff, 0xff, 0xff, 0xff, 0x0f])]),
    () => bytesField(number, random.bytes(random.int(12))),
  ])()
}

export function unknownFields(random: Random): Buffer {
  const number = random.pick([115, 120, 128, 1000, 19_000, 2 ** 29 - 1])
  const field = random.pick([bytesField(number, bytesField(1, 'new')), varintField(number, 1)])
  return random.chance(0.5) ? field : Buffer.concat([field, bytesField(1, 'with words')])
}

/** A well-formed message with some of its bytes changed, removed or inserted. */
export function mutated(random: Random): Buffer {
  let bytes = Buffer.concat([anyContent(random), random.chance(0.5) ? anyContent(random) : Buffer.alloc(0)])
  for (let i = 1 + random.int(4); i > 0 && bytes.length > 0; i--) {
    const at = random.int(bytes.length)
    const kind = random.int(3)
    const put = kind === 0 ? random.bytes(1) : kind === 1 ? Buffer.alloc(0) : random.bytes(1 + random.int(4))
    bytes = Buffer.concat([bytes.subarray(0, at), put, bytes.subarray(kind === 2 ? at : at + 1)])
  }
  return random.chance(0.2) ? bytes.subarray(0, random.int(bytes.length + 1)) : bytes
}
