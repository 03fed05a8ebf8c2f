import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { digitsOf, jidKind, parseContact, parsePhone, parseRecipient, parseSessionId, withoutDevice } from './jid.ts'

describe('jidKind', () => {
  it.each([
    ['15551234567@s.whatsapp.net', 'user'],
    ['15551234567:12@s.whatsapp.net', 'user'],
    ['123456789012345@lid', 'lid'],
    ['120363000000000000@g.us', 'group'],
    ['15551234567-1600000000@g.us', 'group'],
    ['120363000000000000@newsletter', 'channel'],
    ['status@broadcast', 'status'],
    ['1234@s.whatsapp.net', undefined],
    ['15551234567@s.whatsapp.net ', undefined],
    ['15551234567@s.whatsapp.net\n', undefined],
    ['15551234567@S.WHATSAPP.NET', undefined],
    ['15551234567:@s.whatsapp.net', undefined],
    ['15551234567:123456@s.whatsapp.net', undefined],
    ['١٢٣٤٥٦٧@s.whatsapp.net', undefined],
    ['x@broadcast', undefined],
    [`${'9'.repeat(1_000)}@lid`, undefined],
  ] as const)('%s is %s', (jid, kind) => expect(jidKind(jid)).toBe(kind))
})

describe('parseRecipient', () => {
  it.each([
    ['+1 (555) 123-4567', '15551234567@s.whatsapp.net'],
    ['15551234567:3@s.whatsapp.net', '15551234567@s.whatsapp.net'],
    ['12345', '12345@s.whatsapp.net'],
    ['+49 (0)171 1234567', '491711234567@s.whatsapp.net'],
    ['49(0)171-1234567', '491711234567@s.whatsapp.net'],
  ])('%s is %s', (given, jid) => expect(parseRecipient('to', given)).toBe(jid))

  it.each(['1234', '1'.repeat(21), '++15551234567', '1555x1234567', '', '@', 'a@b', '+', '1555123\u200b4567'])(
    '%j is refused by the name of its field',
    given => expect(() => parseRecipient('to', given)).toThrow(/^to /),
  )

  it.each(['0171 1234567', '(0)171 1234567', '0049 171 1234567', '+0171 1234567'])(
    '%s has no country code, and the refusal names the field and the cure',
    given => {
      for (const parse of [parseRecipient, parsePhone, parseContact])
        expect(() => parse('from', given)).toThrow(`from must begin with a country code, not with 0: +49 171 1234567`)
    },
  )

  it('takes any 5 to 20 digits that begin with no 0, however they are spaced', () => {
    const spaced = fc.array(fc.tuple(fc.constantFrom(...'0123456789'.split('')), fc.constantFrom('', ' ', '-')), {
      minLength: 5,
      maxLength: 20,
    })
    fc.assert(
      fc.property(spaced, parts => {
        const digits = parts.map(([digit]) => digit).join('')
        fc.pre(!digits.startsWith('0'))
        expect(parseRecipient('to', parts.flat().join(''))).toBe(`${digits}@s.whatsapp.net`)
      }),
    )
  })

  it('never accepts what it would not accept again', () => {
    fc.assert(
      fc.property(fc.string(), text => {
        let jid: string
        try {
          jid = parseRecipient('to', text)
        } catch {
          return
        }
        expect(parseRecipient('to', jid)).toBe(jid)
      }),
    )
  })
})

it('a contact is a person, never a group or a channel', () => {
  expect(parseContact('mentions', '123456789@lid')).toBe('123456789@lid')
  for (const other of ['120363000000000000@g.us', '120363000000000000@newsletter', 'status@broadcast']) {
    expect(() => parseContact('mentions', other)).toThrow('mentions must be a contact')
  }
})

it('a session is a phone number’s JID, with or without a device number', () => {
  expect(parseSessionId('15551234567:2@s.whatsapp.net')).toBe('15551234567@s.whatsapp.net')
  expect(parseSessionId('15551234567@lid')).toBeUndefined()
  expect(parseSessionId('15551234567')).toBeUndefined()
  expect(withoutDevice('15551234567:2@s.whatsapp.net')).toBe('15551234567@s.whatsapp.net')
  expect(digitsOf('15551234567:2@s.whatsapp.net')).toBe('15551234567')
})
