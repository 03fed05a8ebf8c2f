import type { BinaryNode, WASocket } from 'baileys'
import { expect, it } from 'vitest'
import { subscribeToUpdates, isManaged, readChange, readFollowed } from './channel-queries.ts'

const notification = (type: string, update: unknown): BinaryNode => ({
  tag: 'notification',
  attrs: { type },
  content: [{ tag: 'update', attrs: {}, content: Buffer.from(JSON.stringify(update)) }],
})
const A = '1@newsletter'

it.each<{ name: string; stanza: BinaryNode; change: object }>([
  {
    name: 'a channel that is followed now',
    stanza: notification('mex', { data: { xwa2_notify_newsletter_on_join: { id: A } } }),
    change: { joined: A },
  },
  {
    name: 'one that was left',
    stanza: notification('mex', { data: { xwa2_notify_newsletter_on_leave: { id: A } } }),
    change: { left: A },
  },
  { name: 'something else', stanza: notification('mex', { data: { xwa2_other: { id: A } } }), change: {} },
  { name: 'nothing', stanza: notification('mex', { data: null }), change: {} },
  {
    name: 'another kind of notification',
    stanza: notification('w:gp2', { data: { xwa2_notify_newsletter_on_join: { id: A } } }),
    change: {},
  },
  { name: 'no update', stanza: { tag: 'notification', attrs: { type: 'mex' } }, change: {} },
])('a notification reports $name', ({ stanza, change }) => expect(readChange(stanza)).toEqual(change))

it.each([
  { role: 'OWNER', managed: true },
  { role: 'ADMIN', managed: true },
  { role: 'SUBSCRIBER', managed: false },
  { role: undefined, managed: undefined },
])('the role $role manages: $managed', ({ role, managed }) =>
  expect(isManaged({ viewer_metadata: role === undefined ? {} : { role } })).toBe(managed),
)

it.each([
  { answer: async () => ({ duration: '60' }), lastsMs: 60_000 },
  { answer: async () => ({ duration: '0' }), lastsMs: 300_000 },
  { answer: async () => null, lastsMs: 300_000 },
  { answer: () => Promise.reject(new Error('refused')), lastsMs: 300_000 },
])('updates last $lastsMs ms', async ({ answer, lastsMs }) => {
  const sock = { subscribeNewsletterUpdates: answer } as unknown as WASocket
  expect(await subscribeToUpdates(sock, A)).toBe(lastsMs)
})

it.each([
  { text: JSON.stringify({ data: { xwa2_newsletter_subscribed: [{ id: A }] } }), followed: [{ id: A }] },
  { text: JSON.stringify({ data: { xwa2_newsletter_subscribed: 'no' } }), followed: undefined },
  { text: 'no JSON', followed: undefined },
])('a list of followed channels that reads $text is $followed', async ({ text, followed }) => {
  const result = { tag: 'iq', attrs: {}, content: [{ tag: 'result', attrs: {}, content: Buffer.from(text) }] }
  expect(await readFollowed({ query: async () => result } as unknown as WASocket)).toEqual(followed)
})
