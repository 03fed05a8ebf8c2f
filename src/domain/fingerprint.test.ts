import fc from 'fast-check'
import { expect, it } from 'vitest'
import { canonical } from './fingerprint.ts'

it('the order of fields and white space do not count', () => {
  expect(canonical(JSON.parse('{"a":1,"b":{"c":[1,2],"d":null}}'))).toBe(
    canonical(JSON.parse('{ "b": {"d":null, "c":[1, 2]}, "a":1.0 }')),
  )
})

it('everything else counts', () => {
  const bodies = [
    '{"a":1}',
    '{"a":"1"}',
    '{"a":null}',
    '{"a":[1]}',
    '{"a":[[1]]}',
    '{"a":{"0":1}}',
    '{"b":1}',
    '{}',
    '[]',
    '{"a":1,"b":1}',
    '{"a":[1,2]}',
    '{"a":[2,1]}',
    '{"a":""}',
    '{"a":false}',
  ]
  expect(new Set(bodies.map(body => canonical(JSON.parse(body)))).size).toBe(bodies.length)
})

it('agrees with equality for any two values', () => {
  const shuffled = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(shuffled)
    if (value === null || typeof value !== 'object') return value
    return Object.fromEntries(
      Object.entries(value)
        .reverse()
        .map(([key, item]) => [key, shuffled(item)]),
    )
  }
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
      expect(canonical(shuffled(a))).toBe(canonical(a))
      if (JSON.stringify(a) === JSON.stringify(b)) expect(canonical(a)).toBe(canonical(b))
    }),
  )
})
