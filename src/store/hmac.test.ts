import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Hmac } from './hmac.ts'

it('gives the codes that the system gives, for keys and texts of any length', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.uint8Array({ maxLength: 500 }), (key, bytes) => {
      expect(new Hmac(key).hexOf(bytes)).toBe(createHmac('sha256', key).update(bytes).digest('hex'))
    }),
  )
})
