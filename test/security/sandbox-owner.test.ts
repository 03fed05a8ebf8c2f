import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectError } from '../harness/client.ts'
import { startTestGateway, type TestAccount, type TestGateway } from '../harness/gateway.ts'
import { until } from '../harness/until.ts'

const ADA = '15551234567'

let gateway: TestGateway
let owner: TestAccount
let other: TestAccount

beforeAll(async () => {
  gateway = await startTestGateway('sqlite', { POSTERN_ROLES: 'api,worker,dispatcher,simulator' })
  owner = await gateway.account()
  other = await gateway.account()
})
afterAll(() => gateway.stop())

async function addNumber(who: TestAccount, phone: string): Promise<string> {
  const added = await who.ask('POST', '/v1/sessions', { platform: 'sandbox', phone })
  expect(added.status, added.text).toBe(201)
  return encodeURIComponent(added.json.id)
}

async function textsOn(who: TestAccount, number: string): Promise<string[]> {
  const held = await who.ask('GET', `/sandbox/sessions/${number}/messages`)
  return held.json.data.map(({ text }: { text: string }) => text)
}

async function hear(who: TestAccount, number: string, text: string): Promise<void> {
  await who.ask('POST', `/sandbox/sessions/${number}/incoming`, { from: ADA, type: 'text', text })
  await until(async () => (await textsOn(who, number)).includes(text))
}

test('a pairing that began before the number was made takes it from nobody', async () => {
  const phone = '999888000001'
  const begun = await other.ask('POST', '/v1/pairings', { platform: 'sandbox', method: 'qr', phone })
  const pairing = () => other.ask('GET', `/v1/pairings/${begun.json.id}`)
  await until(async () => (await pairing()).json.status === 'waiting', 20_000)
  const number = await addNumber(owner, phone)
  await hear(owner, number, 'for the owner alone')
  expectError(await other.ask('POST', `/sandbox/pairings/${begun.json.id}/scan`), 400, /phone is taken/)
  expect((await owner.ask('GET', `/v1/sessions/${number}`)).json).toMatchObject({ phone, state: 'connected' })
  expectError(await other.ask('GET', `/sandbox/sessions/${number}/messages`), 403)
})

test('a number that was deleted brings the next account nothing of its past', async () => {
  const phone = '999888000002'
  const before = await addNumber(owner, phone)
  await hear(owner, before, 'of the past')
  expect((await owner.ask('DELETE', `/v1/sessions/${before}`)).status).toBe(200)
  const after = await addNumber(other, phone)
  await hear(other, after, 'of today')
  expect(await textsOn(other, after)).toEqual(['of today'])
})
