import { expect, it } from 'vitest'
import { type BinaryNode, node } from '../wire/node.ts'
import { judgeClient, judgeServer } from './judge.ts'
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
])('%s as the web client sends it has no difference', (_what, stanza) =>
  expect(judgeClient(stanza).differences).toEqual([]),
)

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
])('%s is a difference', (_what, stanza, difference) => expect(judgeClient(stanza).differences).toEqual([difference]))

it('an unknown operation to a word instead of an address is two differences', () => {
  const stanza = query({ type: 'get', xmlns: 'w:x', to: 's.whatsapp.net' }, node('x'))
  expect(judgeClient(stanza).differences).toEqual(['iq w:x get x: no such stanza', 'iq w:x get x: to is no jid'])
})

const pairSuccess = (...content: BinaryNode[]): BinaryNode =>
  node('iq', { id: '1', from: '@s.whatsapp.net', type: 'set', xmlns: 'md' }, [node('pair-success', {}, content)])
const paired = [
  node('device-identity'),
  node('device', { jid: '5511950000011:1@s.whatsapp.net', lid: '200000000000011:1@lid' }),
  node('platform', { name: 'android' }),
]
const jurisdiction = node('jurisdiction', { cc: '55', iso: 'BR' })
const change = (...content: BinaryNode[]): BinaryNode =>
  node('notification', { id: '1', from: '120363000000000001@g.us', type: 'w:gp2', t: '1', odd: 'x' }, content)

it.each([
  ['a stanza that is complete', pairSuccess(...paired, jurisdiction)],
  ['attributes and children that the parser does not know', change(node('delete', { why: 'x' }), node('more'))],
  ['a receipt without a type', node('receipt', { id: '1', from: '200000000000011:4@lid', t: '1' })],
])('the parser of the web client accepts %s', (_what, stanza) =>
  expect(judgeServer(stanza, undefined).differences).toEqual([]),
)

it.each<[what: string, stanza: BinaryNode, difference: string]>([
  ['a missing child', pairSuccess(...paired), 'server: iq md set pair-success > pair-success: no child jurisdiction'],
  [
    'a missing attribute',
    change(node('add', {}, [node('participant', { jid: '1@lid' })])),
    'server: notification w:gp2 add > add: no attribute v_id',
  ],
  ['an unknown kind', node('notification', { id: '1', type: 'w:x' }), 'server: notification w:x: no such stanza'],
  ['a wrong time', node('receipt', { id: '1', from: '1@lid', t: 'now' }), 'server: receipt: t is no time'],
])('the parser of the web client does not accept %s', (_what, stanza, difference) =>
  expect(judgeServer(stanza, undefined).differences).toEqual([difference]),
)

it('the answer to a query is compared with what the client demands of that answer', () => {
  const judgements = new Judgements()
  const link = judgements.openLink()
  const answer = (id: string, content: BinaryNode[]) =>
    node('iq', { id, from: '@s.whatsapp.net', type: 'result' }, content)
  for (const id of ['a', 'b', 'c'])
    link.fromClient({ ...keys(node('user', { jid: '1@lid' })), attrs: { ...keys().attrs, id } })
  link.fromServer(answer('a', [node('list')]))
  link.fromServer(answer('b', []))
  link.fromServer(answer('unknown', []))
  const bad = answer('c', [])
  judgements.exempt(bad)
  link.fromServer(bad)
  expect(judgements.judged).toEqual({ client: 3, server: 3 })
  expect(judgements.differences()).toEqual([['server: answer to encrypt key, result: no child list', 1]])
})

it('differences are counted by shape and reported once, without what a client has written', () => {
  const reported: string[] = []
  const judgements = new Judgements(shape => reported.push(shape))
  const link = judgements.openLink()
  for (const secret of ['5511950000011', 'Ana says hello']) link.fromClient(message({ edit: secret }))
  link.fromClient(query({ type: 'get', xmlns: 'usync' }, node('usync')))
  expect(judgements.judged).toEqual({ client: 3, server: 0 })
  expect(judgements.differences()).toEqual([['message: edit is something instead of 1|2|3|7|8', 2]])
  expect(reported).toEqual(['message: edit is something instead of 1|2|3|7|8'])
  expect(judgements.known()).toEqual(['iq usync get usync: no such stanza'])
})
