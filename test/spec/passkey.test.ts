import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ask, expectError } from '../harness/client.ts'
import { startTestGateway, type TestAccount, type TestGateway } from '../harness/gateway.ts'
import { until } from '../harness/until.ts'

let gateway: TestGateway
let account: TestAccount

beforeAll(async () => {
  gateway = await startTestGateway('sqlite', { POSTERN_ROLES: 'api,worker,dispatcher,simulator' })
  account = await gateway.account()
})
afterAll(() => gateway.stop())

const read = async (id: string) => (await account.ask('GET', `/v1/pairings/${id}`)).json
const becomes = (id: string, status: string) => until(async () => (await read(id)).status === status)
const sign = async (id: string) => (await account.ask('POST', `/sandbox/pairings/${id}/passkey`)).json
const bring = (id: string, body: object) => account.ask('POST', `/v1/pairings/${id}/passkey`, body)
const confirm = (id: string) => account.ask('POST', `/v1/pairings/${id}/confirm`)

let nth = 10
/** A pairing whose code was scanned by a number with a passkey, and its number. */
async function scanned(method: 'qr' | 'code' = 'qr'): Promise<{ id: string; phone: string }> {
  nth += 1
  const phone = `999${nth}7277539`
  const { id } = (await account.ask('POST', '/v1/pairings', { platform: 'sandbox', method, phone })).json
  await becomes(id, 'waiting')
  expect((await account.ask('POST', `/sandbox/pairings/${id}/scan`)).status).toBe(202)
  await becomes(id, 'passkey')
  return { id, phone }
}

async function becomesConnected(id: string, phone: string): Promise<void> {
  await becomes(id, 'linked')
  const session = () => account.ask('GET', `/v1/sessions/${encodeURIComponent(`${phone}@s.whatsapp.net`)}`)
  await until(async () => (await session()).json?.state === 'connected')
}

describe('A number with a passkey', () => {
  test.each(['qr', 'code'] as const)(
    'is connected by %s after the challenge is shown and its signature is submitted',
    async method => {
      const before = Date.now()
      const { id, phone } = await scanned(method)
      const pairing = await read(id)
      expect(pairing).not.toHaveProperty('qr')
      expect(pairing.passkey.options).toMatchObject({ rpId: 'whatsapp.com', userVerification: 'required' })
      expect(Date.parse(pairing.expires_at)).toBeGreaterThan(before + 590_000)
      const { assertion } = await sign(id)
      const answer = await bring(id, assertion)
      expect(answer.status, answer.text).toBe(200)
      expect(answer.json).not.toHaveProperty('passkey')
      await becomesConnected(id, phone)
      // Repeated, as after a lost response.
      expect(await bring(id, assertion)).toMatchObject({ status: 200, json: { id, status: 'linked' } })
    },
  )

  test('shows both codes if they must be compared, and a confirmation continues the pairing', async () => {
    const { id, phone } = await scanned()
    expectError(await confirm(id), 400, 'the pairing shows no code to compare now: it is passkey')
    await bring(id, { ...(await sign(id)).assertion, compare_codes: true })
    await becomes(id, 'confirm')
    const pairing = await read(id)
    expect(pairing.code).toMatch(/^[1-9A-Z]{4}-[1-9A-Z]{4}$/)
    expect((await sign(id)).code).toBe(pairing.code)
    expect((await confirm(id)).status).toBe(200)
    await becomesConnected(id, phone)
    expect((await confirm(id)).json.status).toBe('linked')
  })

  test('is created with one request in the sandbox like any other', async () => {
    const answer = await account.ask('POST', '/v1/sessions', { platform: 'sandbox', phone: '999997277539' })
    expect(answer.status, answer.text).toBe(201)
    expect(answer.json.state).toBe('connected')
  })

  test('publishes its steps as events, for as long as they take', async () => {
    const { id, phone } = await scanned()
    const stream = await fetch(`${gateway.url}/v1/pairings/${id}/events`, {
      headers: { authorization: `Bearer ${account.key}` },
    })
    const streamText = stream.text()
    await bring(id, { ...(await sign(id)).assertion, compare_codes: true })
    await becomes(id, 'confirm')
    await confirm(id)
    await becomesConnected(id, phone)
    const steps = [...(await streamText).matchAll(/"status":"(\w+)"/g)].map(match => match[1])
    expect(steps[0]).toBe('passkey')
    expect(steps).toContain('confirm')
    expect(steps.at(-1)).toBe('linked')
  })
})

/** An assertion that the sandbox's key has signed, to be corrupted. */
interface Assertion {
  id?: string
  rawId: string
  type: string
  secret?: string
  response: { clientDataJSON: string; signature: string }
}

describe('A submitted passkey assertion is rejected', () => {
  const flawed = async (id: string, change: (assertion: Assertion) => void) => {
    const { assertion } = await sign(id)
    change(assertion)
    return await bring(id, assertion)
  }
  const clientData = (change: object) => (assertion: Assertion) => {
    const decoded = JSON.parse(Buffer.from(assertion.response.clientDataJSON, 'base64url').toString())
    assertion.response.clientDataJSON = Buffer.from(JSON.stringify({ ...decoded, ...change })).toString('base64url')
  }

  test('by its field, before the platform receives it', async () => {
    const { id } = await scanned()
    const cases: Array<[string, (assertion: Assertion) => void]> = [
      ['id is required', assertion => delete assertion.id],
      ['type must be', assertion => (assertion.type = 'password')],
      ['response.signature', assertion => (assertion.response.signature = 'not base64url!')],
      ['response.clientDataJSON', assertion => (assertion.response.clientDataJSON = 'x'.repeat(9_000))],
      ['secret is not a known field', assertion => (assertion.secret = 'x')],
      ['rawId must be the same as id', assertion => (assertion.rawId = 'b3RoZXI')],
      ['response.clientDataJSON: it answers another request', clientData({ challenge: 'x'.repeat(43) })],
      ['response.clientDataJSON: origin', clientData({ origin: gateway.url })],
      ['response.clientDataJSON: type', clientData({ type: 'webauthn.create' })],
    ]
    for (const [error, change] of cases) {
      const answer = await flawed(id, change)
      expect([answer.status, answer.json.error], error).toEqual([400, expect.stringContaining(error)])
    }
    expect((await read(id)).status).toBe('passkey')
  })

  test('by the platform, which then sends another challenge', async () => {
    const { id, phone } = await scanned()
    const before = (await read(id)).passkey.options.challenge
    const answer = await flawed(id, assertion => {
      assertion.response.signature = 'MEUCIQDx_wrong_signature_bytes'
    })
    expectError(answer, 400, /refused the passkey \(403\): use it again/)
    const after = (await read(id)).passkey.options.challenge
    expect(after).not.toBe(before)
    await bring(id, (await sign(id)).assertion)
    await becomesConnected(id, phone)
  })

  test('if the pairing does not ask for it', async () => {
    const { id } = await scanned()
    const { assertion } = await sign(id)
    await account.ask('DELETE', `/v1/pairings/${id}`)
    expectError(await bring(id, assertion), 400, 'the pairing requires no passkey now: it is cancelled')
    expectError(await confirm(id), 400, 'the pairing shows no code to compare now: it is cancelled')
    expectError(await account.ask('POST', `/sandbox/pairings/${id}/passkey`), 400, /requires no passkey now/)
  })
})

describe('The link for the browser extension', () => {
  const parted = (link: string) => {
    const { origin, pathname, hash } = new URL(link)
    return { url: `${origin}${pathname}`, ticket: hash.slice(1) }
  }
  const asked = (url: string, method: 'GET' | 'POST', key: string, body?: object) =>
    ask(gateway.url, method, new URL(url).pathname, { key, ...(body && { body }) })

  test('lets its holder read the challenge and answer it, once', async () => {
    const { id, phone } = await scanned()
    const { passkey } = await read(id)
    const { url, ticket } = parted(passkey.link)
    const request = await asked(url, 'GET', ticket)
    expect(request).toMatchObject({ status: 200, json: { options: passkey.options } })
    const { assertion } = await sign(id)
    const answer = await asked(url, 'POST', ticket, assertion)
    expect(answer.status, answer.text).toBe(200)
    expect(answer.json).toEqual({ id, status: expect.any(String) })
    expectError(await asked(url, 'GET', ticket), 401)
    expectError(await asked(url, 'POST', ticket, assertion), 401)
    await becomesConnected(id, phone)
  })

  test('is checked before the request body is read, and the body is limited', async () => {
    const { id } = await scanned()
    const { url, ticket } = parted((await read(id)).passkey.link)
    expectError(await asked(url, 'POST', 'wrong', { not: 'what is asked for' }), 401)
    expectError(await asked(url, 'POST', 'wrong', { id: 'x'.repeat(2_000_000) }), 401)
    expectError(await asked(url, 'POST', ticket, { not: 'what is asked for' }), 400)
    expectError(await asked(url, 'POST', ticket, { id: 'x'.repeat(33_000) }), 413)
  })

  test('gives access to nothing else, nothing else replaces it, and no page of another origin can use it', async () => {
    const { id } = await scanned()
    const other = await scanned()
    const { url, ticket } = parted((await read(id)).passkey.link)
    for (const wrong of ['', 'wrong', account.key, parted((await read(other.id)).passkey.link).ticket])
      expectError(await asked(url, 'GET', wrong), 401)
    expectError(await ask(gateway.url, 'GET', `/v1/pairings/${id}`, { key: ticket }), 401)
    const preflight = await fetch(url, {
      method: 'OPTIONS',
      headers: { origin: 'https://web.whatsapp.com', 'access-control-request-method': 'POST' },
    })
    expect(preflight.headers.get('access-control-allow-origin')).toBeNull()
    const foreign = await fetch(url, { headers: { authorization: `Bearer ${ticket}`, origin: 'https://evil.example' } })
    expect(foreign.headers.get('access-control-allow-origin')).toBeNull()
    await account.ask('DELETE', `/v1/pairings/${id}`)
    expectError(await asked(url, 'GET', ticket), 401)
  })
})
