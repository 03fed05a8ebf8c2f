import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { signatureHeader, Signer } from '../../../src/domain/signature.ts'
import { whyNotSigned } from '../../n8n/nodes/Postern/signature.ts'

const secret = 'whsec_0123456789abcdefghijklmnopqrstuv'
const t = 1_760_000_000
const body = Buffer.from('{"kind":"message","text":"¿Qué tal? 😀"}')
const hmac = (bytes: Buffer, key = secret, time = t) =>
  createHmac('sha256', key).update(`${time}.`).update(bytes).digest('hex')
const good = hmac(body)
const judge = (header: unknown, more: Partial<Parameters<typeof whyNotSigned>[0]> = {}) =>
  whyNotSigned({ body, header, secret, nowSeconds: t, ...more })

describe('what the gateway signs', () => {
  it('is believed, with either secret while one is replaced', async () => {
    const header = await signatureHeader([new Signer('whsec_new'), new Signer(secret)], t, body)
    expect(judge(header)).toBeUndefined()
    expect(judge(header, { secret: 'whsec_new' })).toBeUndefined()
  })

  it.each([-300, 0, 300])('is believed %i seconds off', seconds => {
    expect(judge(`t=${t},v1=${good}`, { nowSeconds: t + seconds })).toBeUndefined()
  })
})

describe('what is not believed', () => {
  it.each([-301, 301, 86_400])('a signature %i seconds off', seconds => {
    expect(judge(`t=${t},v1=${good}`, { nowSeconds: t + seconds })).toContain('more than five minutes')
  })

  it.each([
    ['another body', `t=${t},v1=${hmac(Buffer.concat([body, Buffer.from(' ')]))}`],
    ['another time', `t=${t + 1},v1=${good}`],
    ['another secret', `t=${t},v1=${hmac(body, 'whsec_other')}`],
  ])('a signature over %s', (_, header) => expect(judge(header)).toContain('does not match'))

  it('anything, where no secret is known', () => {
    expect(judge(`t=${t},v1=${hmac(body, '')}`, { secret: '' })).toContain('does not match')
  })

  it.each([undefined, ''])('no header: %j', header => expect(judge(header)).toContain('is missing'))

  it.each([
    ['only t', `t=${t}`],
    ['only v1', `v1=${good}`],
    ['an empty v1 before a good one', `t=${t},v1=,v1=${good}`],
    ['uppercase hex', `t=${t},v1=${good.toUpperCase()}`],
    ['a short one', `t=${t},v1=${good.slice(2)}`],
    ['two t', `t=${t},t=${t},v1=${good}`],
    ['a time that is none', `t=1e9,v1=${good}`],
    ['thousands', `t=${t}${`,v1=${good}`.repeat(17)}`],
    ['megabytes', `t=${t},v1=${good},${'x'.repeat(5000)}`],
    ['a list of headers', [`t=${t},v1=${good}`]],
  ])('%s', (_, header) => expect(judge(header)).toContain('is not t=<seconds>'))
})
