import fc from 'fast-check'
import { expect, test } from 'vitest'
import { excerptOf } from './excerpt.ts'

test('any bytes become at most 1 KB of text without control or invisible characters', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 3000, size: 'max' }), bytes => {
      const excerpt = excerptOf(bytes)
      expect(Buffer.byteLength(excerpt)).toBeLessThanOrEqual(1024)
      expect(excerpt).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}]/u)
    }),
  )
})

test('a character at the cut is left out', () => {
  expect(excerptOf(Buffer.from(`${'a'.repeat(1023)}é`))).toBe('a'.repeat(1023))
  expect(excerptOf(Buffer.from(`${'a'.repeat(1022)}é`))).toBe(`${'a'.repeat(1022)}é`)
  expect(excerptOf(Buffer.from(`${'a'.repeat(1021)}😀b`))).toBe('a'.repeat(1021))
})

test('short text is kept as it is', () => {
  expect(excerptOf(Buffer.from('{"ok":true} é 😀'))).toBe('{"ok":true} é 😀')
  expect(excerptOf(Buffer.alloc(0))).toBe('')
})
