import { proto } from 'baileys'
import { describe, expect, test } from 'vitest'
import { decodeMessage, unknownContent } from './newer-content.ts'

const field = (number: number, body: Uint8Array): Buffer => {
  const tag = (number << 3) | 2
  return Buffer.concat([Buffer.of((tag & 0x7f) | 0x80, tag >>> 7, body.length), body])
}
const message = (content: proto.IMessage): Uint8Array => proto.Message.encode(content).finish()
const enveloped = (content: Uint8Array): Buffer => Buffer.concat([Buffer.of(0x0a, content.length), content])
const SECRET = message({ messageContextInfo: { messageSecret: Buffer.alloc(4, 1) } })
const poll = proto.Message.PollCreationMessage.encode({ name: 'q', options: [{ optionName: 'a' }] }).finish()

describe('fields that are newer than the library', () => {
  test('a poll of version 6 is a poll', () => {
    expect(decodeMessage(Buffer.concat([field(119, poll), SECRET])).pollCreationMessageV5).toMatchObject({ name: 'q' })
  })

  test.each([62, 95, 100, 101, 104, 106, 116, 117, 118, 126, 131])('the content of envelope %i is read', number => {
    const read = decodeMessage(field(number, enveloped(message({ conversation: 'hi' }))))
    expect(read.ephemeralMessage?.message?.conversation).toBe('hi')
  })

  test('newer fields are found in envelopes, in copies of the own phone and in edits', () => {
    const spoiler = field(118, enveloped(field(119, poll)))
    const copy = Buffer.concat([message({ deviceSentMessage: {} }).subarray(0, 2), Buffer.of(spoiler.length + 2)])
    const read = decodeMessage(Buffer.concat([copy, Buffer.of(0x12, spoiler.length), spoiler]))
    const inner = read.deviceSentMessage?.message?.ephemeralMessage?.message
    expect(inner?.pollCreationMessageV5).toMatchObject({ name: 'q' })
  })

  test.each([
    ['nothing', Buffer.alloc(0), undefined],
    ['what is known', message({ conversation: 'hi' }), undefined],
    ['a secret alone', SECRET, undefined],
    ['an unknown field', field(200, Buffer.of(8, 1)), 'shown'],
    ['an unknown field beside a secret', Buffer.concat([SECRET, field(122, Buffer.of(8, 1))]), 'shown'],
    ['one in an envelope', field(40, enveloped(field(122, Buffer.of(8, 1)))), 'shown'],
    ['a key between devices', field(123, Buffer.of(8, 1)), 'hidden'],
    ['a key and something else', Buffer.concat([field(123, Buffer.of(8, 1)), field(200, Buffer.of(8, 1))]), 'shown'],
  ] as const)('%s', (_, bytes, outcome) => {
    expect(unknownContent(bytes)).toBe(outcome)
  })

  test.each([
    ['hidden fields', field(123, Buffer.of(8, 1))],
    ['empty envelopes', field(40, Buffer.alloc(0))],
    ['envelopes within an envelope', field(40, Buffer.concat(Array(40).fill(Buffer.of(0x0a, 0))))],
  ])('of endless %s no more are read than the limit', (_, one) => {
    const many = Buffer.concat(Array(20_000).fill(one))
    expect(unknownContent(many)).toBe('shown')
    const read = decodeMessage(Buffer.concat([many, field(119, poll)]))
    expect(read.pollCreationMessageV5 ?? undefined).toBeUndefined()
  })

  test('bytes that are no message stay unchanged for the decoder', () => {
    for (const bytes of [Buffer.of(0xff), Buffer.of(0xb2, 0x07, 0x7f, 1), Buffer.alloc(20, 0xff)])
      expect(() => decodeMessage(bytes)).toThrow()
  })
})
