import type { BinaryNode } from 'baileys'
import { expect, it } from 'vitest'
import { Placeholders } from './placeholders.ts'
import { shapeOf, type Shape } from './shape.ts'

const names = (): Placeholders => new Placeholders(user => user === '15550001111')
const node = (tag: string, attrs: Record<string, string>, content?: BinaryNode['content']): BinaryNode => ({
  tag,
  attrs,
  ...(content === undefined ? {} : { content }),
})

it.each<{ stanza: BinaryNode; shape: Shape }>([
  {
    stanza: node('message', { from: '15550002222:7@lid', id: '3EB0AA', type: 'text', t: '1800000000', notify: 'Ann' }, [
      node('enc', { v: '2', type: 'pkmsg' }, Buffer.alloc(90)),
    ]),
    shape: {
      tag: 'message',
      attrs: { from: 'user#1:7@lid', id: 'id#1', type: 'text', t: 'time(10)', notify: 'other(3)' },
      children: [{ tag: 'enc', attrs: { v: '2', type: 'pkmsg' }, bytes: 90 }],
    },
  },
  {
    stanza: node('receipt', { to: '15550001111:3@s.whatsapp.net', participant: '120363-1@g.us', type: 'read' }),
    shape: { tag: 'receipt', attrs: { to: 'me:3@s.whatsapp.net', participant: 'group#1@g.us', type: 'read' } },
  },
  // A word of the protocol where people choose the words is not shown.
  {
    stanza: node('presence', { name: 'text', type: 'available' }),
    shape: { tag: 'presence', attrs: { name: 'other(4)', type: 'available' } },
  },
  { stanza: node('message', { type: 'Ann' }), shape: { tag: 'message', attrs: { type: 'other(3)' } } },
  { stanza: node('ack', { error: '463' }), shape: { tag: 'ack', attrs: { error: '463' } } },
  { stanza: node('ack', { error: '15550002222' }), shape: { tag: 'ack', attrs: { error: 'other(11)' } } },
  {
    stanza: node('failure', { reason: '402', expire: '86400', code: '101', logout_message_header: 'Hello' }),
    shape: {
      tag: 'failure',
      attrs: { reason: '402', expire: '86400', code: '101', logout_message_header: 'other(5)' },
    },
  },
  // Whoever writes to a number may choose names, too.
  {
    stanza: node('my-password-is-hunter', { 'ann-smith': 'x', peer_recipient_pn: '1@lid' }),
    shape: { tag: 'name(21)', attrs: { 'name(9)': 'other(1)', peer_recipient_pn: 'user#1@lid' } },
  },
  {
    stanza: node('item', { code: '90210', size: '90210', index: '9021', expiration: '19840321' }),
    shape: { tag: 'item', attrs: { code: 'other(5)', size: 'other(5)', index: '9021', expiration: 'other(8)' } },
  },
  { stanza: node('subject', {}, 'Our trip'), shape: { tag: 'subject', text: 8 } },
  {
    stanza: node('Ann Smith', { '15550002222': 'x', __proto__: 'x' }),
    shape: { tag: 'name(9)', attrs: { 'name(11)': 'other(1)' } },
  },
  {
    stanza: node(
      'list',
      {},
      [1, 2, 3].map(() => node('key', {}, Buffer.alloc(32))),
    ),
    shape: { tag: 'list', children: [{ tag: 'key', bytes: 32, times: 3 }] },
  },
  { stanza: node('iq', { to: 's.whatsapp.net' }), shape: { tag: 'iq', attrs: { to: 's.whatsapp.net' } } },
  {
    stanza: node('message', { from: 'status@broadcast', to: 'ann@example.com' }),
    shape: { tag: 'message', attrs: { from: 'status@broadcast', to: 'other(15)' } },
  },
])('$stanza.tag $stanza.attrs is recorded as $shape', ({ stanza, shape }) =>
  expect(shapeOf(stanza, names())).toEqual(shape),
)

it('the same id has the same name, and another kind of it another', () => {
  const placeholders = names()
  const said = ['1@lid', '2@lid', '1:4@lid', '1@s.whatsapp.net', '1@g.us'].map(jid => placeholders.jid(jid))
  expect(said).toEqual(['user#1@lid', 'user#2@lid', 'user#1:4@lid', 'user#3@s.whatsapp.net', 'group#1@g.us'])
  expect(['A', 'B', 'A'].map(id => placeholders.id(id))).toEqual(['id#1', 'id#2', 'id#1'])
})
