import { expect, it } from 'vitest'
import { confirmationOf } from './confirmation.ts'

const ENC = [{ tag: 'enc', attrs: {}, content: Buffer.alloc(1) }]
const [ADA, OWN, GROUP] = ['1555000:3@lid', '999@s.whatsapp.net', '120363000000000001@g.us']

const receipt = (attrs: object) => ({ tag: 'receipt', attrs: { id: 'X', ...attrs } })
const ack = (attrs: object) => ({ tag: 'ack', attrs: { id: 'X', class: 'message', ...attrs } })

it.each([
  ['a message to the device that wrote it', { from: ADA }, false, receipt({ to: ADA })],
  [
    'one in a group, with its author',
    { from: GROUP, participant: ADA },
    false,
    receipt({ to: GROUP, participant: ADA }),
  ],
  [
    'an own one in a group',
    { from: GROUP, participant: OWN },
    true,
    receipt({ to: GROUP, participant: OWN, type: 'sender' }),
  ],
  [
    'a copy of an own one, with the person it went to',
    { from: OWN, recipient: ADA },
    true,
    receipt({ to: OWN, type: 'sender', recipient: '1555000@lid' }),
  ],
  ['one between devices', { from: OWN, category: 'peer' }, true, receipt({ to: OWN, type: 'peer_msg' })],
  [
    'one of a broadcast list',
    { from: '7@broadcast', participant: ADA },
    false,
    receipt({ to: '7@broadcast', participant: ADA }),
  ],
])('%s', (_name, attrs, isOwn, expected) => {
  expect(confirmationOf({ tag: 'message', attrs: { id: 'X', ...attrs }, content: ENC }, isOwn, true)).toEqual(expected)
})

it.each([
  ['a post', { from: '1@newsletter', type: 'text' }, 'plaintext', ack({ to: '1@newsletter', type: 'text' })],
  ['one that the platform withholds', { from: ADA }, 'unavailable', ack({ to: ADA })],
  ['a copy of one that it withholds', { from: OWN, recipient: ADA }, 'unavailable', ack({ to: OWN, recipient: ADA })],
])('%s is acknowledged', (_name, attrs, tag, expected) => {
  const content = [{ tag, attrs: {} }]
  expect(confirmationOf({ tag: 'message', attrs: { id: 'X', ...attrs }, content }, false, true)).toEqual(expected)
})
