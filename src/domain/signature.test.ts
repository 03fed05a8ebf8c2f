import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import Stripe from 'stripe'
import { describe, expect, test } from 'vitest'
import { signatureHeader, Signer } from './signature.ts'

const secret = 'whsec_0123456789abcdefghijklmnopqrstuv'
const signer = new Signer(secret)
const other = new Signer('whsec_other')
const stripe = new Stripe('sk_test_none')
const nowSeconds = () => Math.floor(Date.now() / 1000)

describe('Webhook signature', () => {
  test('the header has the form t=<unix_timestamp>,v1=<hex_hmac_sha256>', async () => {
    const expected = createHmac('sha256', secret).update('1700000000.{"kind":"message"}').digest('hex')
    const header = await signatureHeader([signer], 1_700_000_000, Buffer.from('{"kind":"message"}'))
    expect(header).toBe(`t=1700000000,v1=${expected}`)
    expect(expected).toBe('ab8cccb0f1f922f49c0afa820259638657c053dd029be0b9976933895cb0986c')
  })

  test('during an overlap each secret has its v1', async () => {
    const [both, first, second] = await Promise.all([
      signatureHeader([signer, other], 1, Buffer.from('x')),
      signatureHeader([signer], 1, Buffer.from('x')),
      signatureHeader([other], 1, Buffer.from('x')),
    ])
    expect(both).toBe(`${first},${second.replace('t=1,', '')}`)
  })

  test('bodies of any bytes are signed byte for byte', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 2000 }), async bytes => {
        const expected = createHmac('sha256', secret).update('5.').update(bytes).digest('hex')
        expect(await signatureHeader([signer], 5, bytes)).toBe(`t=5,v1=${expected}`)
      }),
    )
  })

  test.each([524_287, 524_288, 524_289, 1_048_576, 5_300_000])('a body of %i bytes is hashed whole', async size => {
    const body = Buffer.alloc(size, 'abcdefghijk')
    const expected = createHmac('sha256', secret).update('5.').update(body).digest('hex')
    expect(await signatureHeader([signer], 5, body)).toBe(`t=5,v1=${expected}`)
  })

  test('a large body leaves the process room for others while it is hashed', async () => {
    let turns = 0
    const counter = setInterval(() => turns++, 0)
    const first = (function count(): NodeJS.Immediate {
      return setImmediate(() => (turns++, (pending = count())))
    })()
    let pending = first
    await signatureHeader([signer], 5, Buffer.alloc(5_300_000))
    clearImmediate(pending)
    clearInterval(counter)
    expect(turns).toBeGreaterThanOrEqual(5)
  })

  test('a widely used verifier accepts it, of text and of bytes, in any language', async () => {
    const payloads = ['{"text":"¿Dónde? 你好 😀"}', '{}', `{"text":"${'é'.repeat(1000)}"}`]
    for (const payload of payloads) {
      const bytes = Buffer.from(payload)
      const header = await signatureHeader([new Signer('whsec_old'), signer], nowSeconds(), bytes)
      expect(stripe.webhooks.constructEvent(payload, header, secret)).toEqual(JSON.parse(payload))
      expect(stripe.webhooks.constructEvent(bytes, header, secret)).toEqual(JSON.parse(payload))
      expect(() => stripe.webhooks.constructEvent(`${payload} `, header, secret)).toThrow()
    }
  })
})
