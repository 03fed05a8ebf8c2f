import { describe, expect, test } from 'vitest'
import { asksFor, type EndpointFilter, wants } from './endpoint.ts'

const filter = (given: Partial<EndpointFilter>): EndpointFilter => ({
  kinds: null,
  sessionIds: null,
  direction: null,
  include: [],
  ...given,
})
const sessionId = '15550001111@s.whatsapp.net'

describe.each(['group', 'contact'] as const)('An endpoint gets changes of kind %s', word => {
  test.each([
    [filter({}), false],
    [filter({ kinds: ['message'] }), false],
    [filter({ include: ['own', 'context'] }), false],
    [filter({ include: [word] }), true],
    [filter({ kinds: ['message'], include: [word] }), true],
    [filter({ kinds: [word] }), true],
    [filter({ include: [word], direction: 'out' }), true],
    [filter({ include: [word], sessionIds: ['15559999999@s.whatsapp.net'] }), false],
  ])('only if it names them in include or kinds: %j', (given, isWanted) => {
    expect(wants(given, { kind: word, sessionId })).toBe(isWanted)
    if (given.sessionIds === null) expect(asksFor(given, word)).toBe(isWanted)
  })
})
