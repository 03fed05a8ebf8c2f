import { expect, it } from 'vitest'
import { type BinaryNode, node } from '../wire/node.ts'
import { differencesOf } from './judge.ts'
import { Judgements } from './judgements.ts'

const query = (attrs: Record<string, string>, ...content: BinaryNode[]): BinaryNode =>
  node('iq', { id: '1', to: '@s.whatsapp.net', ...attrs }, content)
const keys = (...users: BinaryNode[]): BinaryNode => query({ type: 'get', xmlns: 'encrypt' }, node('key', {}, users))
const message = (attrs: Record<string, string>, content: BinaryNode[] = []): BinaryNode =>
  node('message', { id: '1', to: '200000000000011@lid', type: 'text', ...attrs }, content)

it.each([
  ['a query', query({ type: 'set', xmlns: 'passive' }, node('active'))],
  ['a query for keys', keys(node('user', { jid: '200000000000011:4@lid' }), node('user', { jid: '1@s.whatsapp.net' }))],
  ['a message', message({ peer_recipient_pn: '5511950000011@s.whatsapp.net' }, [node('meta', { view_once: 'true' })])],
  ['typing', node('chatstate', { to: '200000000000011@lid' }, [node('composing', { media: 'audio' })])],
])('%s as the web client sends it has no difference', (_what, stanza) => expect(differencesOf(stanza)).toEqual([]))

it.each<[what: string, stanza: BinaryNode, difference: string]>([
  ['an unknown operation', query({ type: 'get', xmlns: 'w:x' }, node('x')), 'iq w:x get x: no such stanza'],
  [
    'a word instead of an address',
    query({ type: 'set', xmlns: 'passive', to: 's.whatsapp.net' }, node('active')),
    'iq passive set active: to is s.whatsapp.net instead of @s.whatsapp.net',
  ],
  ['an unknown attribute', message({ phone: '5511950000011' }), 'message: unknown attribute phone'],
  ['another value', message({ edit: '9' }), 'message: edit is 9 instead of 1|2|3|7|8'],
  ['a missing attribute', keys(node('user')), 'iq encrypt get key > key > user: no attribute jid'],
  ['a missing child', keys(), 'iq encrypt get key > key: no child user'],
  ['two where one may be', message({}, [node('meta'), node('meta')]), 'message: more than one meta'],
  [
    'a number that is none',
    node('ib', {}, [node('offline_batch', { count: 'x' })]),
    'ib > offline_batch: count is no int',
  ],
])('%s is a difference', (_what, stanza, difference) => expect(differencesOf(stanza)).toEqual([difference]))

it('an unknown operation to a word instead of an address is two differences', () => {
  const stanza = query({ type: 'get', xmlns: 'w:x', to: 's.whatsapp.net' }, node('x'))
  expect(differencesOf(stanza)).toEqual(['iq w:x get x: no such stanza', 'iq w:x get x: to is no jid'])
})

it('differences are counted by shape and reported once, without what a client has written', () => {
  const reported: string[] = []
  const judgements = new Judgements(shape => reported.push(shape))
  for (const secret of ['5511950000011', 'Ana says hello']) judgements.judge(message({ edit: secret }))
  judgements.judge(query({ type: 'get', xmlns: 'usync' }, node('usync')))
  expect(judgements.judged).toBe(3)
  expect(judgements.differences()).toEqual([['message: edit is something instead of 1|2|3|7|8', 2]])
  expect(reported).toEqual(['message: edit is something instead of 1|2|3|7|8'])
  expect(judgements.known()).toEqual(['iq usync get usync: no such stanza'])
})
