import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { contentRepeats, type Json, redact } from './redact.ts'
import { searchRepeats } from './repeats.ts'
import { runs } from '../../test/harness/matrix.ts'

const message = {
  kind: 'message',
  message_id: '3EB0C767D26A1D8E5F',
  session_id: '999100@s.whatsapp.net',
  sender_jid: '555@lid',
  sender_phone: '15550001111@s.whatsapp.net',
  sender_name: 'Zoë Ångström',
  chat_jid: '123@g.us',
  is_group: true,
  broadcast: false,
  type: 'image',
  text: 'Grüße 😀',
  timestamp_unix: 1_760_000_000,
}

describe('Delivery history', () => {
  test('a list of any length costs the history no more than a hundred items', () => {
    const options = Array.from({ length: 50_000 }, () => 'x')
    const redacted = redact({ ...message, poll: { name: 'q', options } }) as { poll: { options: string[] } }
    expect(redacted.poll.options.length).toBe(101)
    expect(redacted.poll.options.at(-1)).toBe(`[redacted: ${JSON.stringify(options.slice(100)).length} bytes]`)
    expect(JSON.stringify(redacted).length).toBeLessThan(4_000)
  })

  test('content fields are replaced by a size marker and the rest is kept', () => {
    const payload = {
      ...message,
      media: {
        mimetype: 'image/png',
        extension: 'png',
        filename: 'my plan.png',
        file_length: 12_345,
        data: 'aGVsbG8=',
        status: 'downloaded',
      },
      quoted_message_id: 'ABC',
      quoted_participant: '1@s.whatsapp.net',
      quoted_text: '',
    }
    expect(redact(payload)).toEqual({
      ...payload,
      sender_name: '[redacted: 15 bytes]',
      text: '[redacted: 12 bytes]',
      media: { ...payload.media, filename: '[redacted: 11 bytes]', data: '[redacted: 8 bytes]' },
    })
  })

  test('a location is redacted whole, numbers by their JSON text', () => {
    const location = { latitude: 48.137154, longitude: -11.5, name: 'Marienplatz', address: '' }
    expect(redact({ ...message, type: 'location', location })).toMatchObject({
      location: {
        latitude: '[redacted: 9 bytes]',
        longitude: '[redacted: 5 bytes]',
        name: '[redacted: 11 bytes]',
        address: '',
      },
    })
  })

  test('of a poll the number of options and the choice limit stay', () => {
    const poll = { name: 'Lunch?', options: ['Pizza', 'Sushi', ''], selectable_count: 1 }
    expect(redact({ ...message, type: 'poll', poll })).toMatchObject({
      poll: {
        name: '[redacted: 6 bytes]',
        options: ['[redacted: 5 bytes]', '[redacted: 5 bytes]', ''],
        selectable_count: 1,
      },
    })
  })

  test('of a pressed button only its id stays', () => {
    const button_response = { selected_id: 'buy', selected_text: 'Buy now', params_json: '{"a":1}' }
    expect(redact({ ...message, button_response })).toMatchObject({
      button_response: { selected_id: 'buy', selected_text: '[redacted: 7 bytes]', params_json: '[redacted: 7 bytes]' },
    })
  })

  test.each([
    {
      kind: 'receipt',
      session_id: 's',
      request_id: 'r',
      messenger_message_id: 'm',
      recipient_jid: 'j',
      receipt_type: 'read',
      timestamp_unix: 1,
    },
    { kind: 'connection', session_id: 's', event: 'logged_out', timestamp_unix: 1 },
    {
      kind: 'call',
      session_id: 's',
      call_id: 'c',
      from_jid: 'j',
      event: 'terminate',
      video: false,
      reason: 'timeout',
      rejected: true,
      timestamp_unix: 1,
    },
    { kind: 'presence', session_id: 's', contact_jid: 'j', online: false, last_seen_unix: 5 },
    {
      kind: 'status',
      session_id: 's',
      request_id: 'r',
      message_id: 'm',
      to: 'j',
      status: 'failed',
      reason: 'MEDIA_FAILED',
      timestamp_unix: 1,
    },
  ])('a $kind event has no content', event => {
    expect(redact(event)).toEqual(event)
  })

  test('detail, channel posts and the hashes of votes are content', () => {
    expect(redact({ kind: 'status', detail: 'HTTP 403' })).toEqual({ kind: 'status', detail: '[redacted: 8 bytes]' })
    expect(redact({ kind: 'newsletter_message', server_id: 7, text: 'News' })).toEqual({
      kind: 'newsletter_message',
      server_id: 7,
      text: '[redacted: 4 bytes]',
    })
    expect(redact({ kind: 'poll_vote', selected_hashes: ['ab', 'cd'] })).toEqual({
      kind: 'poll_vote',
      selected_hashes: ['[redacted: 2 bytes]', '[redacted: 2 bytes]'],
    })
  })

  test('what a person answers to an event is content', () => {
    const answer = { event_message_id: '3EB0', answer: 'going' }
    expect(redact({ kind: 'message', event_answer: answer })).toEqual({
      kind: 'message',
      event_answer: { event_message_id: '3EB0', answer: '[redacted: 5 bytes]' },
    })
  })

  test('an unknown field is redacted, at any depth, with or without a kind', () => {
    expect(
      redact({ message_id: 'm', text: 'hi', future: { type: 'x', deep: [{ id: 5, ok: true, none: null }] } }),
    ).toEqual({
      message_id: 'm',
      text: '[redacted: 2 bytes]',
      future: { type: '[redacted: 1 bytes]', deep: [{ id: '[redacted: 1 bytes]', ok: true, none: null }] },
    })
  })

  test('a kept field that holds something else, or too much, is content', () => {
    expect(redact({ status: { text: 'hidden' }, type: ['hidden'] })).toEqual({
      status: { text: '[redacted: 6 bytes]' },
      type: ['[redacted: 6 bytes]'],
    })
    expect(redact({ media: { mimetype: 'x'.repeat(257) } })).toEqual({ media: { mimetype: '[redacted: 257 bytes]' } })
  })

  test('a key that JavaScript treats as special is a key like any other', () => {
    const payload = JSON.parse('{"__proto__":{"text":"hidden"},"constructor":"hidden"}') as Json
    expect(JSON.stringify(redact(payload))).toBe(
      '{"__proto__":{"text":"[redacted: 6 bytes]"},"constructor":"[redacted: 6 bytes]"}',
    )
  })
})

/** A word that appears nowhere else, so that finding it means that content survived. */
const canary = fc.stringMatching(/^[A-Z]{10,20}$/).map(word => `~${word}~`)
const contentField = fc.constantFrom(
  'text',
  'quoted_text',
  'sender_name',
  'detail',
  'filename',
  'data',
  'caption',
  'anything',
)
const hidden: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>(tie => ({
  value: fc.oneof(
    { maxDepth: 4 },
    canary,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(contentField, tie('value'), { maxKeys: 3 }),
  ),
})).value
const payloads = fc.dictionary(
  fc.oneof(contentField, fc.constantFrom('media', 'poll', 'location', 'button_response')),
  hidden,
)

test('no content survives, in whatever shape it comes', () => {
  fc.assert(
    fc.property(payloads, payload => {
      expect(JSON.stringify(redact(payload))).not.toMatch(/~[A-Z]+~/)
    }),
    { numRuns: runs(2_000) },
  )
})

test('the shape survives', () => {
  const shapeOf = (value: Json): unknown => {
    if (value === null || typeof value !== 'object') return 'leaf'
    if (Array.isArray(value)) return value.map(shapeOf)
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shapeOf(item)]))
  }
  fc.assert(
    fc.property(fc.jsonValue(), value => {
      expect(shapeOf(redact(value))).toEqual(shapeOf(value as Json))
    }),
  )
})

describe('an excerpt that repeats redacted content', () => {
  const excerptRepeats = (given: unknown, excerpt: string): boolean => {
    const search = searchRepeats(excerpt)
    return search !== undefined && contentRepeats(given, search)
  }
  const payload = { ...message, text: 'the launch code is 4711', location: { latitude: 48.1371540001 } }

  test.each([
    ['the whole text', 'got: the launch code is 4711'],
    ['eight bytes of it', 'xx launch c xx'],
    ['a name', 'hello Zoë Ångström'],
    ['a number', 'lat=48.1371540001'],
    ['the text in JSON escapes', '{"text":"\\u0074he \\u006caunch code"}'],
  ])('is found out: %s', (_, excerpt) => expect(excerptRepeats(payload, excerpt)).toBe(true))

  test.each([
    ['nothing', ''],
    ['a plain answer', '{"ok":true}'],
    ['seven bytes', 'xx launch'],
    ['kept fields', '3EB0C767D26A1D8E5F 15550001111@s.whatsapp.net'],
  ])('is not seen in %s', (_, excerpt) => expect(excerptRepeats(payload, excerpt)).toBe(false))

  test('line breaks and quotes hide nothing', () => {
    expect(excerptRepeats({ text: 'a\nb"c"\td\u0007ef' }, '{"text":"a\\nb\\"c\\"\\td\\u0007ef"}')).toBe(true)
    expect(excerptRepeats({ text: 'abc😀def' }, '\\ud83d\\ude00 abc\\ud83d\\ude00def')).toBe(true)
  })

  test('every run of 8 bytes is found, and no shorter one is taken for it', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'é'), minLength: 0, maxLength: 40 })
    fc.assert(
      fc.property(text, text, (content, excerpt) => {
        const [a, b] = [Buffer.from(content), Buffer.from(excerpt)]
        let shares = false
        for (let at = 0; at + 8 <= a.length; at++) shares ||= b.includes(a.subarray(at, at + 8))
        expect(excerptRepeats({ text: content }, excerpt)).toBe(shares)
      }),
      { numRuns: runs(5_000) },
    )
  })

  test('5 MB of media are searched whole, and given up where they are made to collide: that counts as a repetition', () => {
    const excerpt = 'aaaab'.repeat(200)
    // It shares four bytes in a row with the excerpt at each place, and never eight.
    expect(excerptRepeats({ media: { data: 'aaaac'.repeat(1_100_000) } }, excerpt)).toBe(true)
    expect(excerptRepeats({ media: { data: 'aaaac'.repeat(10) } }, excerpt)).toBe(false)
    const media = Buffer.alloc(4_000_000, 'xyz').toString('base64')
    expect(excerptRepeats({ media: { data: media } }, excerpt)).toBe(false)
    expect(excerptRepeats({ media: { data: `${media}aaaabaaaab` } }, excerpt)).toBe(true)
  })
})
