import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Hmac } from './hmac.ts'

it('gives the codes that the system gives, for keys and texts of any length', () => {
  const key = fc.uint8Array({ maxLength: 200 })
  const text = fc.stringMatching(/^[0-9.]{0,20}$/)
  fc.assert(
    fc.property(key, text, fc.uint8Array({ maxLength: 500 }), (secret, prefix, bytes) => {
      const hmac = new Hmac(secret)
      const expected = createHmac('sha256', secret).update(prefix).update(bytes).digest('hex')
      expect([hmac.hexOf(prefix, bytes), hmac.hexOf(prefix, bytes)]).toEqual([expected, expected])
    }),
  )
})
