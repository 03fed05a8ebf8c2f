import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { idAt, lastIdFrom, makeId } from './ids.ts'
import { PlatformIds } from './platform-ids.ts'

const ids = new PlatformIds(randomBytes(16).toString('base64'))
const placed = fc.record({
  ms: fc.integer({ min: 0, max: 2 ** 42 - 1 }),
  counter: fc.integer({ min: 0, max: 2 ** 30 - 1 }),
})
const hex = fc.stringMatching(/^[0-9A-F]{18}$/)

describe('the platform id of a message', () => {
  it('looks like one of the platform’s own web client', () => {
    fc.assert(
      fc.property(placed, place => {
        expect(ids.of(idAt('msg', place))).toMatch(/^3EB0[0-9A-F]{18}$/)
      }),
    )
  })

  it('leads back to the beginning of the message’s id', () => {
    fc.assert(
      fc.property(placed, place => {
        expect(ids.beginningOf(ids.of(idAt('msg', place)))).toBe(idAt('msg', place))
      }),
    )
    for (let i = 0; i < 1_000; i++) {
      const id = makeId('msg')
      const beginning = ids.beginningOf(ids.of(id))!
      expect(id.startsWith(beginning)).toBe(true)
      expect(beginning <= id && id <= lastIdFrom(beginning)).toBe(true)
    }
  })

  it('is made by one beginning only, whatever the platform id is', () => {
    fc.assert(
      fc.property(hex, digits => {
        expect(ids.of(ids.beginningOf(`3EB0${digits}`)!)).toBe(`3EB0${digits}`)
      }),
    )
  })

  it('has no order in time, and differs with the key', () => {
    const made = Array.from({ length: 1_000 }, () => ids.of(makeId('msg')))
    expect(new Set(made).size).toBe(1_000)
    const rising = made.filter((id, i) => i > 0 && id > made[i - 1]!).length
    expect(rising).toBeGreaterThan(400)
    expect(rising).toBeLessThan(600)
    const id = makeId('msg')
    expect(new PlatformIds(randomBytes(16).toString('base64')).of(id)).not.toBe(ids.of(id))
    expect(new PlatformIds(ids.key).of(id)).toBe(ids.of(id))
  })

  it.each(['', '3EB0', '3EB0123456789ABCDEF01', '3eb0123456789abcdef012', 'ABCD123456789ABCDEF012', 'msg_1'])(
    'has another form than %j, which leads to no message',
    id => {
      expect(ids.beginningOf(id)).toBeUndefined()
    },
  )
})
