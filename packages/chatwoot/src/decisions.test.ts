import { describe, expect, it } from 'vitest'
import { isAllowed, FileUnavailable } from './files.ts'
import { meaningOf } from './from-event.ts'
import { agentMessageIn } from './from-webhook.ts'
import { RetryLater } from './keyed-queues.ts'
import { judge, judgeFile } from './send-message.ts'
import { shownAs } from './to-chatwoot.ts'
import { messagePartsOf } from './to-whatsapp.ts'

const SESSION = '999100200300@s.whatsapp.net'
const message = {
  message_id: 'A',
  sender_jid: '15551234567@s.whatsapp.net',
  sender_name: 'Ada',
  chat_jid: '15551234567@s.whatsapp.net',
  is_group: false,
  broadcast: false,
  type: 'text',
  text: 'Hello',
}

describe('what an event means', () => {
  const about = { session: SESSION, keyPrefix: 'chatwoot-0011aabb', groups: false }
  const meaning = (kind: string, body: unknown, session = SESSION) =>
    meaningOf({ kind, session_id: session, body: JSON.stringify(body) }, about)

  it.each([
    ['a message', 'message', message, 'message'],
    ['a message of a group', 'message', { ...message, is_group: true, chat_jid: '120363000000000001@g.us' }, 'nothing'],
    ['a Status post', 'message', { ...message, broadcast: true, chat_jid: 'status@broadcast' }, 'nothing'],
    ['typing', 'typing', {}, 'nothing'],
    [
      'a receipt of its own',
      'receipt',
      { request_id: 'chatwoot-0011aabb-5-00ff00ff00ff-0', receipt_type: 'read' },
      'progress',
    ],
    ['a receipt of another program', 'receipt', { request_id: 'order-1', receipt_type: 'read' }, 'nothing'],
    [
      'a receipt of another inbox',
      'receipt',
      { request_id: 'chatwoot-ffffffff-5-00ff00ff00ff-0', receipt_type: 'read' },
      'nothing',
    ],
  ])('%s', (_, kind, body, wanted) => {
    expect(meaning(kind, body).kind).toBe(wanted)
    expect(meaning(kind, body, '999999999999@s.whatsapp.net').kind).toBe('nothing')
  })
})

describe('what a webhook is to be sent for', () => {
  const payload = {
    event: 'message_created',
    id: 5,
    content: 'Hello',
    message_type: 'outgoing',
    private: false,
    source_id: null,
    account: { id: 3 },
    inbox: { id: 7 },
    conversation: { id: 9, meta: { sender: { id: 1, phone_number: '+15551234567' } } },
  }
  const inbox = { account: 3, inbox: 7 }

  it.each([
    ['what an agent wrote', {}, true],
    ['what Chatwoot itself log to the contact', { message_type: 'template' }, true],
    ['what a contact wrote', { message_type: 'incoming' }, false],
    ['a private note', { private: true }, false],
    ['what the bridge has brought', { source_id: 'postern:A' }, false],
    ['a message that was changed', { event: 'message_updated' }, false],
    ['another inbox', { inbox: { id: 8 } }, false],
    ['another account', { account: { id: 4 } }, false],
    ['no id', { id: 'x' }, false],
    ['no conversation', { conversation: null }, false],
  ])('%s: %j', (_, change, isSent) => {
    expect(agentMessageIn({ ...payload, ...change }, inbox) !== undefined).toBe(isSent)
  })

  it.each([
    ['comes again', {}, true],
    ['comes again with its status changed', { status: 'read' }, true],
    ['has the id of one before', { created_at: '2026-02-01T00:00:00.000Z' }, false],
  ])('a message that %s has the mark of the first: %#', (_, change, isSame) => {
    const mark = (given: object) =>
      agentMessageIn({ ...payload, created_at: '2026-01-01T00:00:00.000Z', ...given }, inbox)!.mark
    expect(mark(change) === mark({})).toBe(isSame)
  })

  it.each([[null], [[]], ['text'], [{}], [7]])('%j is nothing', given => {
    expect(agentMessageIn(given, inbox)).toBeUndefined()
  })

  it.each([
    [{ identifier: '200000000000123@lid', phone_number: null }, '200000000000123@lid'],
    [{ identifier: 'customer-17', phone_number: '+1 555 123-4567' }, '15551234567@s.whatsapp.net'],
    [{ identifier: 'status@broadcast', phone_number: null }, null],
    [{ phone_number: '' }, null],
  ])('a contact %j is written to as %j', (sender, wanted) => {
    const given = { ...payload, conversation: { id: 9, meta: { sender } } }
    expect(agentMessageIn(given, inbox)!.recipient).toBe(wanted)
  })
})

it.each([
  ['words alone', { text: 'Hi', files: [] }, [{ text: 'Hi' }]],
  ['words below a picture', { text: 'Hi', files: [['image', 'a.png']] }, [['image', 'Hi']]],
  ['words ahead of a recording', { text: 'Hi', files: [['audio', 'a.mp3']] }, [{ text: 'Hi' }, ['audio', undefined]]],
  ['a recording as a voice note', { text: '', files: [['audio', 'a.ogg']] }, [['voice', undefined]]],
  ['other pictures as files', { text: '', files: [['image', 'a.svg']] }, [['document', undefined]]],
  [
    'several files',
    {
      text: 'Hi',
      files: [
        ['file', 'a.pdf'],
        ['video', 'b.mp4'],
      ],
    },
    [
      ['document', 'Hi'],
      ['video', undefined],
    ],
  ],
  ['nothing', { text: ' ', files: [] }, []],
])('an agent’s message goes out as %s', (_, { text, files }, wanted) => {
  const given = files.map(([type, filename]) => ({ url: 'https://c.example/x', type: type!, filename: filename! }))
  const parts = messagePartsOf({ text, files: given })
  expect(
    parts.map(({ file, text: words }) => (file === undefined ? { text: words } : [file.mediaType, words])),
  ).toEqual(wanted)
})

it.each([
  [
    'a location',
    { type: 'location', text: '', location: { latitude: 1.5, longitude: 2, name: 'Here' } },
    'Here\nhttps://www.google.com/maps?q=1.5,2',
  ],
  ['a poll', { type: 'poll', text: 'When?', poll: { name: 'When?', options: ['a', 'b'] } }, 'When?\n[poll]\n- a\n- b'],
  ['what is for the phone alone', { type: 'other', text: '' }, '[a message that can be opened on the phone alone]'],
  [
    'a reaction taken back',
    { type: 'reaction', text: '', reacted_message_id: 'B' },
    'Ada (+15551234567) took the reaction back.',
  ],
])('%s is said in words', (_, change, wanted) => {
  expect(shownAs({ ...message, ...change }).content).toBe(wanted)
})

it.each(['👍', '👍🏽', '👩‍👩‍👧', '❤️', '🇩🇪', '1️⃣'])('the reaction %s is shown in a private note', text => {
  const { content } = shownAs({ ...message, type: 'reaction', text, reacted_message_id: 'B' })
  expect(content).toBe(`Ada (+15551234567) reacted with ${text}.`)
})

it.each(['[pay here](https://evil.example)', 'https://evil.example', '**Agent:** refund it', '👍\n# Refund', '123'])(
  'a private note about a reaction does not quote %j, which is not an emoji',
  text => {
    const { content, isPrivate } = shownAs({ ...message, type: 'reaction', text, reacted_message_id: 'B' })
    expect(isPrivate).toBe(true)
    expect(content).toBe('Ada (+15551234567) reacted with something that is not an emoji.')
  },
)

it('a private note shows the name of a contact without Markdown, HTML or an address', () => {
  const sender_name = '[Ada](https://evil.example)<b>\n\u0007'
  const { content } = shownAs({ ...message, sender_name, type: 'reaction', text: '👍', reacted_message_id: 'B' })
  expect(content).toBe('Ada (https evil.example) b (+15551234567) reacted with 👍.')
})

const REUSED = 'Idempotency-Key was already used with a different request'

describe('the gateway’s answer to a send', () => {
  it.each([
    ['taken', { status: 202 }, undefined],
    ['taken before', { status: 400, error: REUSED, isBegun: true }, undefined],
    ['taken for something else', { status: 400, error: REUSED }, REUSED],
    ['refused', { status: 400, error: 'text is required' }, 'text is required'],
    ['offline for too long', { status: 409, waitedMs: 600_001 }, 'the number is offline'],
  ])('%s', (_, answer, wanted) => {
    expect(judge({ waitedMs: 0, isBegun: false, ...answer })).toBe(wanted)
  })

  it.each([
    [{ status: 409 }, null],
    [{ status: 429, retryAfter: '7' }, 7_000],
    [{ status: 502 }, null],
    [{ status: 401 }, null],
  ])('%j is waited out', (answer, afterMs) => {
    const call = () => judge({ waitedMs: 0, isBegun: false, ...answer })
    expect(call).toThrow(RetryLater)
    expect(call).toThrow(expect.objectContaining({ afterMs }))
  })
})

describe('a file that cannot be had', () => {
  const away = new FileUnavailable('Chatwoot does not answer', true)
  it('is waited for, for ten minutes', () => {
    expect(() => judgeFile(away, 600_000)).toThrow(RetryLater)
  })

  it.each([
    [
      away,
      600_001,
      'the file cannot be fetched (Chatwoot does not answer), and the message is older than ten minutes. Attach it again.',
    ],
    [new FileUnavailable('Chatwoot answered 404 for the file'), 0, 'Chatwoot answered 404 for the file'],
  ])('fails its message in words: %s after %i ms', (error, waitedMs, wanted) => {
    expect(judgeFile(error, waitedMs)).toBe(wanted)
  })
})

it.each([
  ['https://chat.example/rails/1', true],
  ['https://chat.example:8443/rails/1', false],
  ['https://evil.example/rails/1', false],
  ['https://chat.example.evil.example/', false],
  ['https://user@chat.example/', false],
  ['file:///etc/passwd', false],
  ['nonsense', false],
])('a file at %s is fetched: %j', (url, isFetched) => {
  expect(isAllowed(url, new Set(['chat.example']))).toBe(isFetched)
})
