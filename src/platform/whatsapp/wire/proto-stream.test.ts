import { expect, it } from 'vitest'
import { ProtoStream, type Shape } from './proto-stream.ts'

const varint = (value: number): number[] =>
  value > 127 ? [(value & 127) | 128, ...varint(Math.floor(value / 128))] : [value]
const number = (field: number, value: number): number[] => [...varint(field * 8), ...varint(value)]
const bytes = (field: number, value: readonly number[]): number[] => [
  ...varint(field * 8 + 2),
  ...varint(value.length),
  ...value,
]
const text = (words: string): number[] => [...Buffer.from(words)]

/** Reads names (field 1 of each message in field 2) in chunks of this size. */
function namesIn(encoded: readonly number[], chunkSize: number): string[] {
  const names: string[] = []
  const inside: Shape = {
    bytes: [1],
    numbers: [4],
    onEnd: values => names.push(`${Buffer.from(values.get(1) as Uint8Array)} ${values.get(4) ?? '-'}`),
  }
  const stream = new ProtoStream({ messages: new Map([[2, inside]]) })
  for (let from = 0; from < encoded.length; from += chunkSize)
    stream.push(Uint8Array.from(encoded.slice(from, from + chunkSize)))
  stream.end()
  return names
}

const FIXED = [...varint(7 * 8 + 1), 1, 2, 3, 4, 5, 6, 7, 8, ...varint(8 * 8 + 5), 1, 2, 3, 4]
const MESSAGE = [
  ...number(1, 300),
  ...bytes(2, [
    ...bytes(1, text('ana')),
    ...bytes(
      3,
      Array.from({ length: 500 }, () => 9),
    ),
  ]),
  ...FIXED,
  ...bytes(2, [...bytes(9, text('skipped')), ...bytes(1, text('ben')), ...number(4, 1_763_000_000)]),
  ...bytes(5, []),
]

it.each([1, 2, 3, 7, 64, 10_000])('a message is read in chunks of %i bytes', chunkSize => {
  expect(namesIn(MESSAGE, chunkSize)).toEqual(['ana -', 'ben 1763000000'])
})

it.each<[string, number[]]>([
  ['ends within a field', MESSAGE.slice(0, -1).slice(0, 40)],
  ['has a field that is longer than the message around it', bytes(2, [...varint(10), 50, 1])],
  ['has a number without an end', Array.from({ length: 12 }, () => 255)],
  ['has a field of an unknown wire type', [...varint(8 + 3), 1]],
])('a message that %s is rejected', (_what, encoded) => {
  expect(() => namesIn(encoded, 5)).toThrow()
})

it('a value that is skipped may be larger than the memory of the process', () => {
  const stream = new ProtoStream({})
  const chunk = new Uint8Array(1024 * 1024)
  stream.push(Uint8Array.from([...varint(8 + 2), ...varint(2 ** 34)]))
  for (let pushed = 0; pushed < 2 ** 34; pushed += chunk.length) stream.push(chunk)
  expect(() => stream.end()).not.toThrow()
})
