import { expect, test } from 'vitest'
import { asksFor, type EndpointFilter, wants } from './endpoint.ts'

const filter = (given: Partial<EndpointFilter>): EndpointFilter => ({
  kinds: null,
  sessionIds: null,
  direction: null,
  include: [],
  ...given,
})
const change = { kind: 'group', sessionId: '15550001111@s.whatsapp.net' } as const

test.each([
  [filter({}), false],
  [filter({ kinds: ['message'] }), false],
  [filter({ include: ['own', 'context'] }), false],
  [filter({ include: ['group'] }), true],
  [filter({ kinds: ['message'], include: ['group'] }), true],
  [filter({ kinds: ['group'] }), true],
  [filter({ include: ['group'], direction: 'out' }), true],
  [filter({ include: ['group'], sessionIds: ['15559999999@s.whatsapp.net'] }), false],
])('an endpoint gets changes of groups only if it names them in include or kinds: %j', (given, isWanted) => {
  expect(wants(given, change)).toBe(isWanted)
  if (given.sessionIds === null) expect(asksFor(given, 'group')).toBe(isWanted)
})
