import { describe, expect, it } from 'vitest'
import { contentOf, CONTENTS, firstValues } from '../src/dialogs/send-body.ts'
import { eventName } from '../src/api/event-names.ts'
import { ATTEMPT_ERRORS } from '../../src/domain/delivery.ts'
import { DEFAULT_KINDS } from '../../src/domain/endpoint.ts'
import { ANY_KINDS } from '../../src/domain/event.ts'
import { INCLUDE_WORDS as WORDS } from '../../src/domain/include.ts'
import { INCLUDE_WORDS, KINDS, USUAL_KINDS } from '../src/api/endpoints.ts'
import { failureWords } from '../src/api/failures.ts'
import { foldAttempts } from '../src/api/fold-attempts.ts'
import { failureName, messageFailure } from '../src/api/messages.ts'
import { asCurl } from '../src/api/posted-request.ts'
import { isBetween, momentOf } from '../src/moments.ts'
import type { Attempt, Delivery, Endpoint } from '../src/api/records.ts'
import { initialsOf } from '../src/phone/initials.ts'
import { showPhone } from '../src/phone-number.ts'
import { mentions } from '../src/shell/mentions.ts'

describe('filters and names:', () => {
  it.each([
    ['+49 151 234', ['+4915123456'], true],
    ['0151', ['+4915123456'], false],
    ['(555) 123-4567', ['Support (15551234567)'], true],
    ['support', ['Support (15551234567)'], true],
    ['503', ['dlv_1', '503'], true],
    ['req_9', [null, undefined, 'req_8'], false],
  ])('a search for "%s" in %o finds it: %s', (wanted, texts, found) => {
    expect(mentions(wanted, texts)).toBe(found)
  })

  const now = new Date(2026, 10, 16, 10, 30)
  it.each([
    ['15m', new Date(2026, 10, 16, 10, 15)],
    ['1h', new Date(2026, 10, 16, 9, 30)],
    ['today', new Date(2026, 10, 16)],
    ['yesterday', new Date(2026, 10, 15)],
    ['7d', new Date(2026, 10, 9, 10, 30)],
    ['2026-01-31T12:00', new Date(2026, 0, 31, 12)],
  ])('since %s is relative to the current time', (moment, at) => {
    expect(momentOf(moment, now)).toBe(at.getTime())
  })

  it.each(['', 'constructor', 'soon'])('"%s" is not a time and filters nothing', moment => {
    expect(momentOf(moment, now)).toBeUndefined()
    expect(isBetween('2026-01-01T00:00:00Z', moment, moment)).toBe(true)
  })

  it.each([
    ['Ada Lovelace', 'AL'],
    ['ada', 'A'],
    ['+1 555 123 4567', '67'],
    ['Ada in Book club', 'AI'],
    ['Émile 👋', 'É'],
  ])('the avatar of %s shows %s', (name, initials) => {
    expect(initialsOf(name)).toBe(initials)
  })
})

describe('a phone number', () => {
  it.each([
    ['15551234567', '+1 555 123 4567'],
    ['4915123456789', '+49 151 234 567 89'],
    ['447911123456', '+44 791 112 3456'],
    ['5511940000001', '+55 119 400 000 01'],
    ['999357567606', '+999 357 567 606'],
    ['35312345678', '+353 123 456 78'],
    ['12345', '+12345'],
  ])('%s is shown as %s', (digits, shown) => {
    expect(showPhone(digits)).toBe(shown)
  })
})

describe('the portal shows', () => {
  it.each([
    [
      'SEND_FAILED',
      'the platform does not let this number write to new contacts now (463)',
      true,
      /lifts this automatically/,
    ],
    ['SEND_FAILED', 'this number has started as many new chats as the platform allows for now (475)', true, /tomorrow/],
    ['SEND_FAILED', 'the platform refused the message (479)', false, /refused/],
    ['RETRIES_EXHAUSTED', 'the number had no connection for 10 minutes', true, /Send the message again/],
    ['INVALID_RECIPIENT', 'the recipient is not on the platform', false, /country code/],
  ])('that a message that failed with %s, "%s", is temporary: %s', (reason, detail, passes, words) => {
    expect(messageFailure({ reason, detail })).toEqual({ passes, words: expect.stringMatching(words) })
  })

  it.each([
    ['SEND_FAILED', 'the platform does not let this number write to new contacts now (463)', 'Refused for now'],
    ['SEND_FAILED', 'the platform refused the message (479)', 'Refused by the platform'],
    ['INVALID_RECIPIENT', null, 'Recipient not on the platform'],
    ['constructor', null, 'constructor'],
  ])('in a list that a message failed with %s, "%s": %s', (reason, detail, name) => {
    expect(failureName({ reason, detail })).toBe(name)
  })

  // Only files that the gateway fetches can be too large: it reads only a part of a webhook response.
  it.each(ATTEMPT_ERRORS.filter(kind => kind !== 'too_large'))(
    'a name and a cure for an attempt or a test of an endpoint that fails with %s',
    error => expect(failureWords({ code: null, error }).name).not.toBe('The attempt failed'),
  )

  it.each([
    ['receipt', { receipt_type: 'read' }, 'receipt.read'],
    ['message', { type: 'text' }, 'message.text'],
    ['poll_vote', { type: 'anything' }, 'poll_vote'],
    ['constructor', {}, 'constructor'],
    ['call', null, 'call'],
  ])('that an event of kind %s with %o is called %3$s', (kind, payload, name) => {
    expect(eventName({ kind, payload })).toBe(name)
  })

  it('consecutive attempts with the same outcome once, and others separately', () => {
    const codes = [503, 503, 500, 503]
    const attempts = codes.map((code, at) => ({ attempt: at + 1, code, status: 'failed' }) as Attempt)
    expect(foldAttempts(attempts).map(equal => equal.map(({ attempt }) => attempt))).toEqual([[1, 2], [3], [4]])
  })

  it('a curl command with the headers of an endpoint that signs by Standard Webhooks, without their values', () => {
    const delivery = { attempts: [], endpoint_id: 'ep_1', event_id: 'evt_1', message_id: 'm1', payload: {} }
    const endpoint = { signature: 'standard', headers: ['X-Tenant'] }
    const curl = asCurl(delivery as unknown as Delivery, 'https://example.com/events', endpoint as Endpoint)
    expect(curl).toContain("-H 'webhook-id: evt_1'")
    expect(curl).toContain('-H "webhook-signature: $SIGNATURE"')
    expect(curl).toContain("-H 'X-Tenant: …'")
  })

  it('every kind of event and every word that an endpoint can have', () => {
    expect(KINDS.toSorted()).toEqual(ANY_KINDS.toSorted())
    expect(USUAL_KINDS.toSorted()).toEqual(DEFAULT_KINDS.toSorted())
    expect(Object.keys(INCLUDE_WORDS)).toEqual([...WORDS])
  })

  it('a curl command without a signature and with escaped quotes', () => {
    const delivery = { attempts: [], webhook_id: 'wh_1', message_id: 'm1', payload: { text: "it's" } }
    const curl = asCurl(delivery as unknown as Delivery, 'https://example.com/hooks')
    expect(curl).toContain('-H "X-Webhook-Signature: $SIGNATURE"')
    expect(curl).toContain(`--data-raw '{"text":"it'\\''s"}'`)
  })

  it.each(CONTENTS.map(({ value }) => value))('initial values for the content %s of the send dialog', kind => {
    const content = contentOf(kind, { ...firstValues(kind), media_url: 'https://example.com/a.png' })
    expect(Object.keys(content).length).toBeGreaterThan(0)
    expect(JSON.stringify(content)).not.toContain('null')
  })
})
