import fc from 'fast-check'
import { expect, test } from 'vitest'
import { contentRepeats, redact } from './redact.ts'
import { runs } from '../../test/harness/matrix.ts'

/** Whatever a program can hold, under names that mean something to the language or to the list of what is kept. */
const name = fc.oneof(
  fc.constantFrom(
    'media',
    'mimetype',
    'kind',
    'type',
    'media.mimetype',
    'poll.selectable_count',
    '__proto__',
    'constructor',
    '',
    '[]',
  ),
  fc.constant(''),
  fc.string({ maxLength: 12 }).map(more => `_${more}`),
)
const anything = fc.letrec<{ value: unknown }>(tie => ({
  value: fc.oneof(
    { maxDepth: 5 },
    fc.constantFrom<unknown>(undefined, null, Number.NaN, Number.POSITIVE_INFINITY, Object, Symbol('x'), 2n ** 70n, -0),
    fc.string({ unit: 'binary', maxLength: 400 }),
    fc.stringMatching(/^~[A-Z]{10,20}~$/),
    fc.double(),
    fc.boolean(),
    { weight: 4, arbitrary: fc.array(tie('value'), { maxLength: 4 }) },
    { weight: 4, arbitrary: fc.array(fc.tuple(name, tie('value')), { maxLength: 4 }).map(Object.fromEntries) },
  ),
})).value

test('no value of any shape makes it fail, and no text survives that is long, or stands elsewhere than where it may', () => {
  const KEPT = new Set(['kind', 'type'])
  const check = (value: unknown, path: string[]): void => {
    if (typeof value === 'string' && value !== '' && !/^\[redacted: \d+ bytes\]$/.test(value)) {
      expect(Buffer.byteLength(value)).toBeLessThanOrEqual(256)
      expect(path.length === 1 ? KEPT : new Set(['media/mimetype'])).toContain(path.join('/'))
    }
    if (typeof value === 'number') expect([...KEPT, 'media/mimetype']).toContain(path.join('/'))
    if (typeof value === 'object' && value !== null)
      for (const [key, item] of Object.entries(value)) check(item, [...path, key])
  }
  fc.assert(
    fc.property(anything, value => {
      const kept = redact(value)
      check(JSON.parse(JSON.stringify(kept)), [])
      expect(contentRepeats(value, () => false)).toBe(false)
    }),
    { numRuns: runs(5_000) },
  )
})

test('the end of a list that goes on and on may be of any shape too', () => {
  fc.assert(
    fc.property(fc.array(anything, { minLength: 101, maxLength: 110 }), list => {
      const kept = redact({ list }) as { list: unknown[] }
      expect(kept.list).toHaveLength(101)
      expect(kept.list[100]).toMatch(/^\[redacted: \d+ bytes\]$/)
    }),
    { numRuns: runs(200) },
  )
})

test('what JSON cannot carry is left out, as in the event itself', () => {
  const odd = { text: Object, list: [undefined, Symbol('x'), () => 1], call: undefined, large: 2n ** 70n }
  expect(redact(odd)).toEqual({ list: [null, null, null], large: '[redacted: 22 bytes]' })
})

test('a name with a dot in it, or without a letter, is no path', () => {
  expect(redact({ '': { kind: 'hidden', '': { type: 'hidden' } } })).toEqual({
    '': { kind: '[redacted: 6 bytes]', '': { type: '[redacted: 6 bytes]' } },
  })
  expect(redact({ 'media.mimetype': 'hidden', media: { mimetype: 'image/png' } })).toEqual({
    'media.mimetype': '[redacted: 6 bytes]',
    media: { mimetype: 'image/png' },
  })
})
