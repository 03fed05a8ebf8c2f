import { proto } from 'baileys'
import { expect, it } from 'vitest'
import { editAttributeOf, stanzaTypeOf } from './stanza-type.ts'

const { EVENT_EDIT } = proto.Message.SecretEncryptedMessage.SecretEncType
const { MESSAGE_EDIT, REVOKE } = proto.Message.ProtocolMessage.Type

it.each([
  ['a text', { extendedTextMessage: { text: 'x' } }, { type: 'text' }],
  ['an image', { imageMessage: {} }, { type: 'media', mediaType: 'image' }],
  [
    'an image to see once',
    { viewOnceMessage: { message: { imageMessage: {} } } },
    { type: 'media', mediaType: 'image' },
  ],
  ['a moving picture', { videoMessage: { gifPlayback: true } }, { type: 'media', mediaType: 'gif' }],
  ['a voice message', { audioMessage: { ptt: true } }, { type: 'media', mediaType: 'ptt' }],
  ['a reaction', { reactionMessage: {} }, { type: 'reaction' }],
  ['a poll', { pollCreationMessageV3: {} }, { type: 'poll' }],
  ['a change of an event', { secretEncryptedMessage: { secretEncType: EVENT_EDIT } }, { type: 'event' }],
  ['an answer to an event', { encEventResponseMessage: {} }, { type: 'event' }],
  ['a carousel', { viewOnceMessage: { message: { interactiveMessage: { carouselMessage: {} } } } }, { type: 'text' }],
] as const)('%s', (_what, message, expected) => {
  expect(stanzaTypeOf(message)).toEqual(expected)
})

it.each([
  ['an edit', { protocolMessage: { type: MESSAGE_EDIT } }, '1'],
  ['a revoke', { protocolMessage: { type: REVOKE, key: { fromMe: true } } }, '7'],
  ['a change of an event', { secretEncryptedMessage: { secretEncType: EVENT_EDIT } }, '1'],
  ['an answer to an event', { encEventResponseMessage: {} }, undefined],
  ['a text', { conversation: 'x' }, undefined],
])('%s', (_what, message, expected) => {
  expect(editAttributeOf(message)).toBe(expected)
})
