import { expect, it } from 'vitest'
import { reportedReceipts } from './receipt.ts'

const [ADA, EVE, GROUP] = ['1555000@lid', '1555001@lid', '120363000000000001@g.us']
const user = (attrs: Record<string, string>) => ({ tag: 'user', attrs })
const participants = (attrs: Record<string, string>, ...content: ReturnType<typeof user>[]) => ({
  tag: 'participants',
  attrs,
  content,
})

it('one of a person names more messages in a list', () => {
  const list = { tag: 'list', attrs: {}, content: [{ tag: 'item', attrs: { id: 'Y' } }] }
  const stanza = { tag: 'receipt', attrs: { from: ADA, id: 'X', type: 'read', t: '7' }, content: [list] }
  expect(reportedReceipts(stanza)).toEqual([{ who: ADA, platformIds: ['X', 'Y'], type: 'read', t: '7' }])
})

it('one of a group tells of several people and messages together', () => {
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

it('who is named by the stanza is believed, not what else it holds', () => {
  const content = [participants({ key: 'Y' }, user({ jid: EVE }))]
  const stanza = { tag: 'receipt', attrs: { from: GROUP, participant: ADA, id: 'X' }, content }
  expect(reportedReceipts(stanza)).toEqual([{ who: ADA, platformIds: ['X'], type: '', t: undefined }])
})
