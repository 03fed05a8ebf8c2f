import { expect, it } from 'vitest'
import { patternOf } from './search-person.ts'
import { withoutPerson } from './shared-keys.ts'

const ANA = '5511900000001'
const BOB = '5511900000002'
const ana = patternOf([ANA, '77000000000001'])
const jid = (digits: string, device = ''): string => `${digits}${device}@s.whatsapp.net`
const bytes = (names: string[]) => ({
  token: { type: 'Buffer', data: Buffer.from(JSON.stringify(names)).toString('base64') },
})

it.each([
  ['a list', 'postern-readers', '3', [jid(ANA), jid(BOB)], [jid(BOB)]],
  ['an audience', 'postern-status-audiences', '3EB0', [jid(BOB), '77000000000001@lid'], [jid(BOB)]],
  [
    'a counted list',
    'postern-changed-people',
    'all',
    [
      [1, jid(BOB)],
      [2, jid(ANA)],
    ],
    [
      [1, jid(BOB)],
      [2, '0@s.whatsapp.net'],
    ],
  ],
  [
    'the holders of a group key',
    'postern-group-keys',
    '120363000000000001@g.us',
    { asOf: 4, devices: { [jid(ANA, ':2')]: true, [jid(BOB, ':1')]: true } },
    { asOf: 4, devices: { [jid(BOB, ':1')]: true } },
  ],
  ['the list of tokens', 'tctoken', '__index', bytes([ANA, BOB]), bytes([BOB])],
  ['a key of one person, of which nothing stays', 'tctoken', ANA, bytes([]), undefined],
])('A person is taken out of %s, and the others stay', (_, category, id, value, kept) => {
  expect(withoutPerson(category, id, value, ana)).toEqual(kept)
})
