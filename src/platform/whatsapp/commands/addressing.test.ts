import { describe, expect, it } from 'vitest'
import { pickName } from './addressing.ts'
import { outcomeOf } from '../link/acks.ts'

const both = { lid: '2@lid', phone: '1@s.whatsapp.net' }
const unshown = { lid: '2@lid', phone: undefined }
const plain = { lid: undefined, phone: '1@s.whatsapp.net' }

describe('the name that a direct message goes by', () => {
  it.each([
    [both, 'auto', both.lid],
    [both, 'lid', both.lid],
    [both, 'pn', both.phone],
    [unshown, 'auto', both.lid],
    [unshown, 'pn', both.lid],
    [plain, 'auto', both.phone],
    [plain, 'lid', undefined],
    [plain, 'pn', both.phone],
  ] as const)('of %j with %s is %s', (names, wanted, name) => expect(pickName(names, wanted, true)).toBe(name))

  it.each([
    [both, 'auto', both.phone],
    [unshown, 'auto', both.lid],
    [both, 'lid', both.lid],
  ] as const)('of %j with %s is %s where the number has no hidden identifier', (names, wanted, name) =>
    expect(pickName(names, wanted, false)).toBe(name),
  )
})

describe('what became of it is counted as', () => {
  it.each([
    [{ ok: true, atMs: 1, serverId: null }, 'sent'],
    [{ ok: false, code: 400 }, 'refused_400'],
    [{ ok: false, code: 463 }, 'refused_463'],
    [{ ok: false, code: 475 }, 'refused_475'],
    [{ ok: false, code: 500 }, 'refused_other'],
    ['timeout', 'unanswered'],
    ['lost', 'unanswered'],
  ] as const)('%j: %s', (ack, outcome) => expect(outcomeOf(ack)).toBe(outcome))
})
