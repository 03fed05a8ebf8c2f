import { describe, expect, it } from 'vitest'
import { composeOutgoing, composeSendAt, type SendBody } from './compose.ts'

const base = { session_id: 's', to: 't' }
const media = { media_type: 'image', media_url: 'https://example.com/a.png' } as const
const compose = (body: Partial<SendBody>) => composeOutgoing({ ...base, ...body })

describe('composeOutgoing', () => {
  it('makes each content with its defaults', () => {
    expect(compose({ text: 'hi' })).toEqual({
      content: { type: 'text', text: 'hi', mentions: [], linkPreview: false },
      quote: null,
    })
    expect(compose({ ...media, text: 'look' }).content).toEqual({
      type: 'media',
      mediaType: 'image',
      url: media.media_url,
      caption: 'look',
      mentions: [],
      filename: null,
      viewOnce: false,
    })
    expect(compose({ reacted_message_id: 'X', text: '' }).content).toEqual({
      type: 'reaction',
      emoji: '',
      reactedMessageId: 'X',
      reactedParticipant: null,
    })
    expect(compose({ location: { latitude: 1, longitude: 2 } }).content).toEqual({
      type: 'location',
      latitude: 1,
      longitude: 2,
      name: '',
      address: '',
    })
    expect(compose({ contacts: [{ name: 'Bob', phone: '+1 555 000 1111' }] }).content).toEqual({
      type: 'contacts',
      contacts: [{ name: 'Bob', phone: '15550001111' }],
    })
    expect(compose({ poll: { name: 'q', options: ['a', 'b'] } }).content).toEqual({
      type: 'poll',
      name: 'q',
      options: ['a', 'b'],
      selectableCount: 1,
    })
    expect(compose({ text: 't', buttons: [{ id: '1', text: 'a' }] }).content).toMatchObject({
      type: 'buttons',
      footer: '',
    })
  })

  it('a quote needs its message id and goes with any content', () => {
    expect(compose({ text: 'x', quoted_message_id: 'Q' }).quote).toEqual({
      messageId: 'Q',
      participant: null,
      text: '',
    })
    expect(
      compose({ ...media, quoted_message_id: 'Q', quoted_participant: '15550001111', quoted_text: 'before' }).quote,
    ).toEqual({ messageId: 'Q', participant: '15550001111@s.whatsapp.net', text: 'before' })
  })

  it.each<[Partial<SendBody>, string | RegExp]>([
    [{}, /^text is required, or one of/],
    [{ text: '' }, 'text must not be empty'],
    [{ media_type: 'image' }, 'media_type and media_url are required together'],
    [{ media_url: 'https://x' }, 'media_type and media_url are required together'],
    [
      { ...media, location: { latitude: 1, longitude: 1 } },
      'only one content can be sent at a time: got media and location',
    ],
    [{ reacted_message_id: 'X' }, /^text is required with reacted_message_id/],
    [{ location: { latitude: 1, longitude: 1 }, text: 'x' }, 'text does not go with location'],
    [{ text: 'x', view_once: true }, 'view_once does not go with text'],
    [{ text: 'x', reacted_participant: '15550001111' }, 'reacted_participant does not go with text'],
    [{ ...media, link_preview: true }, 'link_preview does not go with media'],
    [{ text: 'https://a.example', link_preview: {} }, 'link_preview must have either image_url or image_media_id'],
    [
      { text: 'https://a.example', link_preview: { image_url: 'https://a.example/a.png', image_media_id: 'med_1' } },
      'link_preview must have either image_url or image_media_id',
    ],
    [{ text: 'no link', link_preview: { image_media_id: 'med_1' } }, 'link_preview needs a link in text'],
    [{ poll: { name: 'q', options: ['a', 'b'], selectable_count: 3 } }, /selectable_count must not be more/],
    [
      {
        text: 'x',
        list: {
          button_text: 'b',
          sections: [
            {
              rows: [
                { id: '1', title: 'a' },
                { id: '1', title: 'b' },
              ],
            },
          ],
        },
      },
      /must differ/,
    ],
    [{ contacts: [{ name: 'Bob', phone: '123456789@lid' }] }, 'contacts.phone must be a phone number'],
    [{ text: 'x', mentions: ['120363000000000000@g.us'] }, 'mentions must be a contact'],
    [{ text: 'x', quoted_participant: '15550001111' }, /^quoted_message_id is required/],
  ])('%j is refused', (body, text) => expect(() => compose(body)).toThrow(text))
})

describe('composeSendAt', () => {
  const now = Date.UTC(2026, 0, 1)
  it('now where none is given or the time has passed', () => {
    expect(composeSendAt(undefined, now)).toBeNull()
    expect(composeSendAt('2025-12-31T23:59:59Z', now)).toBeNull()
  })
  it('reads ISO 8601 with a zone, up to 30 days ahead', () => {
    expect(composeSendAt('2026-01-01T01:00:00+00:30', now)).toBe(now + 1_800_000)
    expect(composeSendAt('2026-01-31T00:00:00Z', now)).toBe(now + 30 * 86_400_000)
    expect(() => composeSendAt('2026-01-31T00:00:00.001Z', now)).toThrow('at most 30 days ahead')
  })
  it.each([
    'tomorrow',
    '2026-01-02',
    '2026-01-02T00:00:00',
    '2026-13-01T00:00:00Z',
    '1767225600',
    '2026-01-02T25:00:00Z',
  ])('%s is refused', text => expect(() => composeSendAt(text, now)).toThrow('send_at must be an ISO 8601 time'))
})
