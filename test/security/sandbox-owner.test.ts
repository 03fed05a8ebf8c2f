import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectError } from '../harness/client.ts'
import { startTestGateway, type TestAccount, type TestGateway } from '../harness/gateway.ts'
import { startReceiver } from '../harness/receiver.ts'
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

async function receive(who: TestAccount, number: string, text: string): Promise<void> {
  await who.ask('POST', `/sandbox/sessions/${number}/incoming`, { from: ADA, type: 'text', text })
  await until(async () => (await textsOn(who, number)).includes(text))
}

test('a pairing that began before a number was created cannot take it from its account', async () => {
  const phone = '999888000001'
  const begun = await other.ask('POST', '/v1/pairings', { platform: 'sandbox', method: 'qr', phone })
  const pairing = () => other.ask('GET', `/v1/pairings/${begun.json.id}`)
  await until(async () => (await pairing()).json.status === 'waiting')
  const number = await addNumber(owner, phone)
  await receive(owner, number, 'for the owner alone')
  expectError(await other.ask('POST', `/sandbox/pairings/${begun.json.id}/scan`), 400, /phone is taken/)
  expect((await owner.ask('GET', `/v1/sessions/${number}`)).json).toMatchObject({ phone, state: 'connected' })
  expectError(await other.ask('GET', `/sandbox/sessions/${number}/messages`), 403)
})

test('a deleted sandbox number leaves the next account nothing of its past', async () => {
  const phone = '999888000002'
  const before = await addNumber(owner, phone)
  await receive(owner, before, 'of the past')
  expect((await owner.ask('DELETE', `/v1/sessions/${before}`)).status).toBe(200)
  const after = await addNumber(other, phone)
  await receive(other, after, 'of today')
  expect(await textsOn(other, after)).toEqual(['of today'])
})

test('the name and presence that one account gives a contact are shown to its own numbers only', async () => {
  const receiver = await startReceiver()
  const [mine, theirs] = [await addNumber(owner, '999888000003'), await addNumber(other, '999888000004')]
  const act = async (who: TestAccount, number: string, action: object) => {
    const done = await who.ask('POST', `/sandbox/sessions/${number}/actions`, { from: ADA, ...action })
    expect(done.status, done.text).toBe(202)
  }
  for (const [who, number] of [
    [owner, mine],
    [other, theirs],
  ] as const) {
    const urls = {
      session_id: decodeURIComponent(number),
      messages_url: receiver.url(`/${number}`),
      events_url: receiver.url(`/${number}`),
    }
    expect((await who.ask('POST', '/v1/webhooks', urls)).status).toBe(201)
    await who.ask('POST', `/v1/sessions/${number}/presence/subscribe`, { contact_jid: ADA })
  }
  const online = async (who: TestAccount, number: string) =>
    (await who.ask('GET', `/sandbox/sessions/${number}/conditions?contact=${ADA}`)).json.online

  await act(owner, mine, { action: 'presence', online: true })
  await owner.ask('POST', `/sandbox/sessions/${mine}/incoming`, {
    from: ADA,
    from_name: 'Ada of Acme',
    type: 'text',
    text: 'hi',
  })
  await act(other, theirs, { action: 'call' })
  await other.ask('POST', `/sandbox/sessions/${theirs}/incoming`, { from: ADA, type: 'text', text: 'hello' })
  const delivered = (number: string) =>
    receiver.ledger.filter(({ path }) => path === `/${number}`).map(({ body }) => body.toString())
  await until(
    () =>
      delivered(theirs).some(body => body.includes('hello')) &&
      delivered(mine).some(body => body.includes('Ada of Acme')),
  )
  await until(() => delivered(mine).some(body => body.includes('"online":true')))
  expect(delivered(theirs).join()).not.toMatch(/Acme|"online":true/)
  expect([await online(owner, mine), await online(other, theirs)]).toEqual([true, false])
  await receiver.close()
})
