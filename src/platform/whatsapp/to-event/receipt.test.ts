import { expect, it } from 'vitest'
import { reportedReceipts } from './receipt.ts'

const [ADA, EVE, GROUP] = ['1555000@lid', '1555001@lid', '120363000000000001@g.us']
const user = (attrs: Record<string, string>) => ({ tag: 'user', attrs })
const participants = (attrs: Record<string, string>, ...content: ReturnType<typeof user>[]) => ({
  tag: 'participants',
  attrs,
  content,
})

it('a receipt of one person may list more messages', () => {
  const list = { tag: 'list', attrs: {}, content: [{ tag: 'item', attrs: { id: 'Y' } }] }
  const stanza = { tag: 'receipt', attrs: { from: ADA, id: 'X', type: 'read', t: '7' }, content: [list] }
  expect(reportedReceipts(stanza)).toEqual([{ who: ADA, platformIds: ['X', 'Y'], type: 'read', t: '7' }])
})

it('a receipt of a group may combine several people and messages', () => {
  const content = [
    participants({ key: 'X' }, user({ jid: ADA, t: '8' }), user({ jid: EVE })),
    participants({ message_id: 'Y' }, user({ jid: EVE, type: 'played', t: '9' })),
  ]
  expect(reportedReceipts({ tag: 'receipt', attrs: { from: GROUP, id: 'S', type: 'read', t: '7' }, content })).toEqual([
    { who: ADA, platformIds: ['X'], type: 'read', t: '8' },
    { who: EVE, platformIds: ['X'], type: 'read', t: '7' },
    { who: EVE, platformIds: ['Y'], type: 'played', t: '9' },
  ])
})

it('the participant of the stanza wins over its content', () => {
  const content = [participants({ key: 'Y' }, user({ jid: EVE }))]
  const stanza = { tag: 'receipt', attrs: { from: GROUP, participant: ADA, id: 'X' }, content }
  expect(reportedReceipts(stanza)).toEqual([{ who: ADA, platformIds: ['X'], type: '', t: undefined }])
})
