import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectError } from '../harness/client.ts'
import { startTestGateway, type TestAccount, type TestGateway } from '../harness/gateway.ts'
import { until } from '../harness/until.ts'

let gateway: TestGateway
let account: TestAccount

beforeAll(async () => {
  gateway = await startTestGateway('sqlite', {
    POSTERN_ROLES: 'api,worker,dispatcher,simulator',
    // The real platform is never contacted.
    POSTERN_WHATSAPP_VERSION: '2.3000.1043857760',
  })
  account = await gateway.account()
})
afterAll(() => gateway.stop())

const begin = async (body: object) => {
  const answer = await account.ask('POST', '/v1/pairings', { platform: 'sandbox', ...body })
  expect(answer.status, answer.text).toBe(201)
  await until(async () => (await read(answer.json.id)).status === 'waiting')
  return await read(answer.json.id)
}
const read = async (id: string) => (await account.ask('GET', `/v1/pairings/${id}`)).json
const scan = (id: string, who = account) => who.ask('POST', `/sandbox/pairings/${id}/scan`)

async function becomesConnected(id: string): Promise<string> {
  await until(async () => (await read(id)).status === 'linked')
  const sessionId: string = (await read(id)).session_id
  const session = () => account.ask('GET', `/v1/sessions/${encodeURIComponent(sessionId)}`)
  await until(async () => (await session()).json?.state === 'connected')
  return sessionId
}

describe('A sandbox number is paired like a phone', () => {
  test('by QR: nothing happens until the sandbox phone scans the code, then the number is connected', async () => {
    const pairing = await begin({ method: 'qr', phone: '999777000001' })
    expect(pairing.qr).toContain(',')
    const answer = await scan(pairing.id)
    expect(answer.status, answer.text).toBe(202)
    expect(answer.json.id).toBe(pairing.id)
    expect(await becomesConnected(pairing.id)).toBe('999777000001@s.whatsapp.net')
  })

  test('by code: the code is entered on the sandbox phone', async () => {
    const pairing = await begin({ method: 'code', phone: '+999 777 000 002' })
    expect(pairing.code).toMatch(/^[A-Z0-9]{8}$/)
    expect((await scan(pairing.id)).status).toBe(202)
    expect(await becomesConnected(pairing.id)).toBe('999777000002@s.whatsapp.net')
  })

  test('again after it was logged out', async () => {
    const { id: first } = await begin({ method: 'qr', phone: '999777000003' })
    await scan(first)
    const sessionId = await becomesConnected(first)
    const path = `/v1/sessions/${encodeURIComponent(sessionId)}`
    await account.ask('POST', `/sandbox/sessions/${encodeURIComponent(sessionId)}/actions`, { action: 'log_out' })
    await until(async () => (await account.ask('GET', path)).json.state === 'logged_out')
    const { id: second } = await begin({ method: 'qr', phone: '999777000003' })
    await scan(second)
    await becomesConnected(second)
  })
})

describe('The last digits of a sandbox number choose a failure of its pairing', () => {
  test('0205: the first scan is refused, and the next code links', async () => {
    const pairing = await begin({ method: 'qr', phone: '999777100205' })
    expectError(await scan(pairing.id), 400, 'the phone could not link the device: scan the code that is shown now')
    const again = await until(async () => {
      const shown = await read(pairing.id)
      return shown.qr !== undefined && shown.qr !== pairing.qr ? shown : undefined
    })
    expect(again.expires_at).toBe(pairing.expires_at)
    expect((await scan(pairing.id)).status).toBe(202)
    await becomesConnected(pairing.id)
  })

  test('0400 and 0404: there is no code for the number, and the pairing names the remedy', async () => {
    for (const [phone, error] of [
      ['999777100400', /check the number and its country code/],
      ['999777100404', /does not know this number/],
    ] as const) {
      const { json } = await account.ask('POST', '/v1/pairings', { platform: 'sandbox', method: 'code', phone })
      await until(async () => (await read(json.id)).status === 'failed')
      const ended = await read(json.id)
      expect(ended.error).toMatch(error)
      expect(ended.code).toBeUndefined()
    }
  })

  test('0429: no code is shown while the platform imposes a wait; the pairing shows its end, and the next code links', async () => {
    const begun = { platform: 'sandbox', method: 'code', phone: '999777100429' }
    const { json } = await account.ask('POST', '/v1/pairings', begun)
    const waiting = await until(async () => {
      const shown = json.detail === undefined ? await read(json.id) : json
      return shown.detail === undefined ? undefined : shown
    })
    expect(waiting).toMatchObject({ status: 'pending', detail: expect.stringContaining('too many codes') })
    expect(waiting.code).toBeUndefined()
    expect(Date.parse(waiting.retry_at) - Date.now()).toBeLessThan(3_000)
    await until(async () => (await read(json.id)).status === 'waiting')
    expect((await read(json.id)).retry_at).toBeUndefined()
    expect((await scan(json.id)).status).toBe(202)
    await becomesConnected(json.id)
  })

  test('0410: the platform withdraws the first code, and the next is shown in the same pairing', async () => {
    const pairing = await begin({ method: 'code', phone: '999777100410' })
    expectError(await scan(pairing.id), 400, 'the code is no longer good: enter the one that is shown now')
    await until(async () => ![undefined, pairing.code].includes((await read(pairing.id)).code))
    expect((await scan(pairing.id)).status).toBe(202)
    await becomesConnected(pairing.id)
  })
})

describe('Another code can be requested in the same pairing', () => {
  const requestNewCode = (id: string, who = account) => who.ask('POST', `/v1/pairings/${id}/code`)

  test('and replaces the previous one and links; a request too soon gets 429', async () => {
    const { id } = await begin({ method: 'code', phone: '999777000011' })
    // The few seconds may be over before the first request, not before the next.
    const tooSoon = await until(async () => {
      const answer = await requestNewCode(id)
      return answer.status === 200 ? undefined : answer
    })
    expectError(tooSoon, 400, /wait before you request another$/)
    const { code } = await read(id)
    expect(code).toMatch(/^[A-Z0-9]{8}$/)
    const renewed = await until(async () => {
      const answer = await requestNewCode(id)
      return answer.status === 200 ? answer.json : undefined
    })
    expect(renewed).toMatchObject({ id, status: 'waiting', code: expect.stringMatching(/^[A-Z0-9]{8}$/) })
    expect(renewed.code).not.toBe(code)
    expect((await scan(id)).status).toBe(202)
    await becomesConnected(id)
  })

  test('but not a QR code, not for a finished pairing, and not for another account', async () => {
    const { id } = await begin({ method: 'qr' })
    expectError(await requestNewCode(id), 400, /its QR code renews automatically$/)
    expectError(await requestNewCode(id, await gateway.account()), 404)
    await account.ask('DELETE', `/v1/pairings/${id}`)
    const { id: over } = await begin({ method: 'code', phone: '999777000012' })
    await account.ask('DELETE', `/v1/pairings/${over}`)
    expectError(await requestNewCode(over), 400, 'the pairing shows no code now: it is cancelled')
  })
})

describe('A scan is rejected', () => {
  test('if the pairing has finished, with its state', async () => {
    const { id } = await begin({ method: 'qr' })
    await account.ask('DELETE', `/v1/pairings/${id}`)
    expectError(await scan(id), 400, 'the pairing shows no code now: it is cancelled')
  })

  test('for a real number: no simulated phone touches it', async () => {
    const id = 'pair_real'
    await gateway.store.pairings.createPairing({
      id,
      accountId: account.id,
      platform: 'whatsapp',
      method: 'qr',
      phone: null,
      label: '',
      timeoutMs: 60_000,
    })
    expectError(await scan(id), 400, 'id is not a pairing of a sandbox number')
    await gateway.store.pairings.endPairing({ id, status: 'cancelled', error: null })
  })

  test('for a pairing of another account, and for none', async () => {
    const { id } = await begin({ method: 'qr' })
    expectError(await scan(id, await gateway.account()), 404)
    expectError(await scan('pair_unknown'), 404)
    await account.ask('DELETE', `/v1/pairings/${id}`)
  })
})

describe('Pairings that stay open', () => {
  test('are limited to 20 per account, and delay no other account', async () => {
    const greedy = await gateway.account()
    const open = () => greedy.ask('POST', '/v1/pairings', { platform: 'sandbox', method: 'qr' })
    const all = await Promise.all(Array.from({ length: 20 }, open))
    expect(all.map(({ status }) => status)).toEqual(Array(20).fill(201))
    const refused = await open()
    expectError(refused, 429, 'at most 20 pairings of an account may be open; cancel one, or wait until it expires')
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)

    const other = await gateway.account()
    const added = await other.ask('POST', '/v1/sessions', { platform: 'sandbox' })
    expect(added.status, added.text).toBe(201)
    expect(added.json.state).toBe('connected')

    await greedy.ask('DELETE', `/v1/pairings/${all[0]!.json.id}`)
    expect((await open()).status).toBe(201)
  })
})

test('a number whose version is no longer accepted reconnects automatically with the newer one that the sandbox names', async () => {
  const { json: number } = await account.ask('POST', '/v1/sessions', { platform: 'sandbox' })
  const id = encodeURIComponent(number.id)
  const version = async (): Promise<string> => {
    const { json } = await gateway.operator('GET', '/operator/overview')
    return json.platform_versions.find(({ platform }: { platform: string }) => platform === 'sandbox').version
  }
  const before = await version()
  expect((await account.ask('POST', `/sandbox/sessions/${id}/actions`, { action: 'outdate' })).status).toBe(202)
  await until(async () => (await version()) > before)
  await until(async () => (await account.ask('GET', `/v1/sessions/${id}`)).json.state === 'connected')
})
