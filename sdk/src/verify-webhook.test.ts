import { createHmac } from 'node:crypto'
import Stripe from 'stripe'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Event } from '../../src/domain/event.ts'
import { signatureHeader, Signer } from '../../src/domain/signature.ts'
import type { WebhookEvent } from './events.ts'
import { verifyWebhook, WebhookVerificationError } from './verify-webhook.ts'
import { runs } from '../../test/harness/matrix.ts'

const HEADERS = runs(100_000)

/** Fails to compile when the events of the package and of the gateway part ways. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const eventsAgree: Same<Event, WebhookEvent> = true

const secret = 'whsec_0123456789abcdefghijklmnopqrstuv'
const t = 1_760_000_000
const now = new Date(t * 1000)
const payload = '{"kind":"message","text":"¿Qué tal? 😀"}'
const hmac = (time: number | string, body: string, key = secret) =>
  createHmac('sha256', key).update(`${time}.${body}`).digest('hex')
const good = hmac(t, payload)

async function outcomeOf(
  header: string | string[] | null | undefined,
  overrides: Partial<Parameters<typeof verifyWebhook>[0]> = {},
) {
  try {
    await verifyWebhook({ payload, header, secret, now, ...overrides })
    return 'accepted'
  } catch (error) {
    if (error instanceof WebhookVerificationError) return error.code
    throw error
  }
}

describe('what the gateway signs is accepted', () => {
  test('as text and as bytes, with the event as the result', async () => {
    const header = await signatureHeader([new Signer(secret)], t, Buffer.from(payload))
    expect(await verifyWebhook({ payload, header, secret, now })).toEqual(JSON.parse(payload))
    expect(await verifyWebhook({ payload: Buffer.from(payload), header, secret, now })).toEqual(JSON.parse(payload))
    expect(eventsAgree).toBe(true)
  })
  test('while a secret is replaced, with either of them', async () => {
    const header = await signatureHeader([new Signer('whsec_new'), new Signer(secret)], t, Buffer.from(payload))
    expect(await outcomeOf(header)).toBe('accepted')
    expect(await outcomeOf(header, { secret: 'whsec_new' })).toBe('accepted')
    expect(await outcomeOf(header, { secret: ['whsec_third', 'whsec_new'] })).toBe('accepted')
    expect(await outcomeOf(header, { secret: 'whsec_third' })).toBe('signature_mismatch')
  })
  test('parts are parsed by name: order and unknown parts do not matter', async () => {
    expect(await outcomeOf(`v1=${good},t=${t}`)).toBe('accepted')
    expect(await outcomeOf(`v0=abc,t=${t},v2=zzz,v1=${good},x`)).toBe('accepted')
    expect(await outcomeOf(`t=${t},v1=${'0'.repeat(64)},v1=${good}`)).toBe('accepted')
  })
  test.each([-300, -299, 0, 299, 300])('%i seconds off', async seconds => {
    expect(await outcomeOf(`t=${t},v1=${good}`, { now: new Date((t + seconds) * 1000) })).toBe('accepted')
  })
})

describe('everything else is refused', () => {
  test.each([-100_000, -301, 301, 100_000])('%i seconds off', async seconds => {
    expect(await outcomeOf(`t=${t},v1=${good}`, { now: new Date((t + seconds) * 1000) })).toBe(
      'timestamp_out_of_tolerance',
    )
  })
  test.each([undefined, null, ''])('no header: %j', async header =>
    expect(await outcomeOf(header)).toBe('header_missing'),
  )
  test.each([
    ['only t', `t=${t}`],
    ['only v1', `v1=${good}`],
    ['an empty v1', `t=${t},v1=`],
    ['an empty v1 before a good one', `t=${t},v1=,v1=${good}`],
    ['a bare v1', `t=${t},v1,v1=${good}`],
    ['a short v1', `t=${t},v1=${good.slice(0, 62)}`],
    ['a long v1', `t=${t},v1=${good}00`],
    ['uppercase hex', `t=${t},v1=${good.toUpperCase()}`],
    ['v1 that is no hex', `t=${t},v1=${'g'.repeat(64)}`],
    ['two t', `t=${t},t=${t},v1=${good}`],
    ['an empty t', `t=,v1=${good}`],
    ['a negative t', `t=-1,v1=${good}`],
    ['a fraction', `t=${t}.5,v1=${good}`],
    ['an exponent', `t=1e99,v1=${good}`],
    ['20 digits', `t=12345678901234567890,v1=${good}`],
    ['a leading zero', `t=0${t},v1=${good}`],
    ['hex', `t=0x68e77800,v1=${good}`],
    ['a name with a space', ` t=${t}, v1=${good}`],
    ['a name in capitals', `T=${t},V1=${good}`],
    ['another scheme', `t=${t},v0=${good}`],
    ['colons', `t:${t},v1:${good}`],
    ['noise', '=,=,,=='],
    ['a header of megabytes', `t=${t},v1=${good},${'x'.repeat(5_000_000)}`],
    ['thousands of signatures', `t=${t}${`,v1=${good}`.repeat(17)}`],
  ])('%s', async (_, header) => expect(await outcomeOf(header)).toBe('header_malformed'))
  test('two headers', async () =>
    expect(await outcomeOf([`t=${t},v1=${good}`, `t=${t},v1=${good}`])).toBe('header_malformed'))
  test.each([
    ['another body', `t=${t},v1=${hmac(t, `${payload} `)}`],
    ['another time', `t=${t + 1},v1=${good}`],
    ['another secret', `t=${t},v1=${hmac(t, payload, 'whsec_other')}`],
    ['the secret without its prefix', `t=${t},v1=${hmac(t, payload, secret.slice(6))}`],
    ['one digit changed', `t=${t},v1=${good.slice(0, 63)}${good.endsWith('0') ? '1' : '0'}`],
  ])('a signature over %s', async (_, header) => expect(await outcomeOf(header)).toBe('signature_mismatch'))
  test('a signed payload that is not JSON', async () => {
    expect(await outcomeOf(`t=${t},v1=${hmac(t, 'hello')}`, { payload: 'hello' })).toBe('payload_not_json')
  })
  test('a parsed object or an empty secret is a mistake of the caller', async () => {
    const header = `t=${t},v1=${good}`
    await expect(verifyWebhook({ payload: JSON.parse(payload), header, secret })).rejects.toThrow(TypeError)
    await expect(verifyWebhook({ payload, header, secret: '' })).rejects.toThrow(TypeError)
    await expect(verifyWebhook({ payload, header, secret: [] })).rejects.toThrow(TypeError)
  })
})

test(`${HEADERS} random headers: agrees with a widely used verifier, except where it is stricter on purpose`, async () => {
  const { webhooks } = new Stripe('sk_test_none')
  const random = generator(300)
  const tally = { accepted: 0, refused: 0, stricter: 0 }
  const judge = async ({ header, body, strict }: ReturnType<typeof randomRequest>): Promise<void> => {
    const ours = await accepts(() => verifyWebhook({ payload: body, header, secret, now }))
    const theirs = await accepts(() => webhooks.constructEvent(body, header, secret, 300, undefined, now.getTime()))
    if (strict && theirs && !ours) tally.stricter++
    else {
      if (ours !== theirs) expect({ header, body, ours }).toEqual({ header, body, ours: theirs })
      tally[ours ? 'accepted' : 'refused']++
    }
  }
  const judgeHundred = () => Promise.all(Array.from({ length: 100 }, () => judge(randomRequest(random))))
  for (let n = 0; n < 5; n++) await judgeHundred()
  // WebCrypto signs in another thread, which takes most of the time: the rest is signed here.
  const { subtle } = globalThis.crypto
  onTestFinished(() => void Reflect.deleteProperty(subtle, 'sign'))
  let signed = 0
  subtle.sign = async (_, __, data) => {
    signed++
    return new Uint8Array(
      createHmac('sha256', secret)
        .update(data as Uint8Array)
        .digest(),
    ).buffer
  }
  for (let n = 5; n < HEADERS / 100; n++) await judgeHundred()
  expect(signed).toBeGreaterThan(HEADERS / 5)
  expect(tally.accepted).toBeGreaterThan(HEADERS / 5)
  expect(tally.refused).toBeGreaterThan(HEADERS / 5)
  expect(tally.stricter).toBeGreaterThan(HEADERS / 100)
})

async function accepts(verify: () => unknown): Promise<boolean> {
  try {
    await verify()
    return true
  } catch {
    return false
  }
}

/** A request, honest or not. `strict` marks what the specification refuses and the other verifier does not look at. */
function randomRequest(random: () => number): { header: string; body: string; strict: boolean } {
  const pick = <T>(items: readonly T[]) => items[Math.floor(random() * items.length)] as T
  const body = pick([
    '{}',
    payload,
    '{"a":"é"}',
    `{"n":${Math.floor(random() * 1e9)}}`,
    `{"s":"${'😀'.repeat(Math.floor(random() * 20))}"}`,
  ])
  const time = t + pick([0, 0, 0, -299, -300, -301, -1000, 1, 299, 300, 301, 5000, -t])
  const valid = `v1=${hmac(time, body)}`
  const wrong = `v1=${hmac(time, `${body} `)}`
  const noise = () => pick(['', '=', 'v0=1', 'v1', 'v1=', 'x=y', 'v1=zz', `v1=${'0'.repeat(64)}`, 'v2=t=1', ' ', 't'])
  const future = time - t > 300
  switch (
    pick([
      'valid',
      'valid',
      'valid',
      'noisy',
      'rotated',
      'wrong',
      'tampered',
      'cut',
      'shuffled',
      'twice',
      'odd time',
      'garbage',
    ])
  ) {
    case 'valid':
      return { header: `t=${time},${valid}`, body, strict: future }
    case 'noisy':
      return { header: [`t=${time}`, noise(), valid, noise()].join(','), body, strict: future }
    case 'rotated':
      return { header: `t=${time},${wrong},${valid}`, body, strict: future }
    case 'wrong':
      return { header: `t=${time},${wrong}`, body, strict: false }
    case 'tampered': {
      const header = `t=${time},${valid}`
      const at = Math.floor(random() * header.length)
      const changed =
        header.slice(0, at) + pick(['0', 'f', 'F', ',', '=', ' ', '\u0000', 'é', '']) + header.slice(at + 1)
      return { header: changed, body, strict: true }
    }
    case 'cut':
      return { header: `t=${time},${valid}`.slice(0, Math.floor(random() * 80)), body, strict: false }
    case 'shuffled':
      return { header: `${valid},t=${time}`, body, strict: future }
    case 'twice':
      return { header: `t=${t},t=${time},${valid}`, body, strict: true }
    case 'odd time':
      return {
        header: `t=${pick([`${time}.5`, `0${time}`, `${time}s`, `+${time}`, ` ${time}`, '-1', '1e9', ''])},${valid}`,
        body,
        strict: true,
      }
    default:
      return { header: Array.from({ length: 5 }, noise).join(pick([',', ';'])), body, strict: false }
  }
}

/** Numbers that look random and are the same in every run (mulberry32). */
function generator(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
