import { expect, test } from 'vitest'
import type { SessionContext } from '../session-context.ts'
import { interpretGroupChange } from './group.ts'

test('a notification that links several groups is an event for each', async () => {
  const context = {
    sessionId: '999100000001@s.whatsapp.net',
    storage: { isIncluded: async () => true },
  } as unknown as SessionContext
  const jids = ['120363000000000002@g.us', '120363000000000003@g.us']
  const groups = jids.map(jid => ({ tag: 'group', attrs: { jid } }))
  const link = { tag: 'link', attrs: { link_type: 'sub_group' }, content: groups }
  const stanza = { tag: 'notification', attrs: { type: 'w:gp2', from: '120363000000000001@g.us' }, content: [link] }
  const meaning = await interpretGroupChange(context, stanza, 0)
  expect(meaning).toMatchObject({
    kind: 'events',
    events: jids.map(jid => ({ action: 'linked', group_jid: '120363000000000001@g.us', linked_jid: jid })),
  })
})
