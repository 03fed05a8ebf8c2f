import { describe, expect, it } from 'vitest'
import { EVOLUTION_EVENTS, FIELDS, urlsOf, WAHA_EVENTS } from './categories.ts'

const A = 'http://a.example/hook?token=secret'
const B = 'http://b.example/hook?token=secret'

describe('urlsOf', () => {
  it.each([
    [[{ url: A, events: ['message'] }], { messages_url: A }],
    [[{ url: A, events: ['*'] }], Object.fromEntries(FIELDS.map(field => [field, A]))],
    [
      [
        { url: A, events: ['message'] },
        { url: B, events: ['message.ack', 'call.received'] },
      ],
      { messages_url: A, status_url: B, events_url: B },
    ],
    [[], {}],
  ])('%j goes to %j', (hooks, urls) => {
    expect(urlsOf(hooks, WAHA_EVENTS)).toEqual({ urls, left: [] })
  })

  it('names what has no place, without what a URL may hide', () => {
    const hooks = [
      { url: A, events: ['MESSAGES_UPSERT', 'LABELS_EDIT', 'constructor'] },
      { url: B, events: ['MESSAGES_UPSERT'] },
    ]
    const { urls, left } = urlsOf(hooks, EVOLUTION_EVENTS)
    expect(urls).toEqual({ messages_url: A })
    expect(left).toEqual([
      'events that Postern does not have: LABELS_EDIT, constructor',
      expect.stringContaining('a second URL for messages_url: http://b.example/…'),
    ])
    expect(left.join()).not.toContain('secret')
  })

  it('names a hook without a list of events, without what its URL may hide', () => {
    expect(urlsOf([{ url: A, events: [] }], WAHA_EVENTS)).toEqual({
      urls: {},
      left: [expect.stringMatching(/^a webhook without a list of events: http:\/\/a\.example\/…\./)],
    })
  })
})
