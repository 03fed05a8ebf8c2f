import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type LinkedGateway, openLinkedGateway, type SandboxNumber } from '../harness/linked-gateway.ts'
import { newPlace } from '../harness/stores.ts'
import { until } from '../harness/until.ts'

let linked: LinkedGateway
let number: SandboxNumber

beforeAll(async () => {
  linked = await openLinkedGateway(await newPlace('sqlite'), 1, { env: { POSTERN_DISCONNECT_GRACE: '100ms' } })
  number = linked.numbers[0]!
})
afterAll(() => linked.close())

const path = () => `/v1/sessions/${encodeURIComponent(number.id)}`
const session = async () => (await linked.ask('GET', path())).json
const pause = (paused: boolean) => linked.ask('PATCH', path(), { paused })
const send = () => linked.ask('POST', '/v1/messages', { session_id: number.id, to: '5511900000001', text: 'hello' })
const bodies = () => linked.receiver.ledger.map(({ body }) => body.toString())

describe('A paused number', () => {
  test('disconnects, stays linked, and says why it is not connected', async () => {
    expect((await session()).paused).toBe(false)
    const answer = await pause(true)
    expect(answer.status).toBe(200)
    expect(answer.json.paused).toBe(true)
    await until(() => !linked.allConnected())
    await until(async () => (await session()).state === 'disconnected')
    expect(await session()).toMatchObject({ paused: true, hosted: true, reason: 'the number is paused', until: null })
    expect(linked.simulator.numbers().flatMap(({ devices }) => devices)).toHaveLength(1)
  })

  test('answers 409 to messages and to what else needs the link', async () => {
    const typing = await linked.ask('POST', `${path()}/typing`, { chat_jid: '5511900000001', typing: true })
    expect(typing.status).toBe(409)
    expect((await send()).status).toBe(409)
  })

  test('stays paused after a restart of the gateway', async () => {
    await linked.stop()
    await linked.start()
    await until(async () => (await session()).hosted)
    await until(async () => (await session()).reason === 'the number is paused')
    expect(await session()).toMatchObject({ paused: true })
    expect(linked.allConnected()).toBe(false)
  })

  test('connects again when it is resumed, and what people wrote meanwhile arrives', async () => {
    const ana = linked.simulator.phone('5511900000001')
    await ana.sendTo(number.jid, { type: 'text', text: 'written meanwhile' })
    await pause(false)
    await until(async () => (await session()).state === 'connected')
    expect(await session()).toMatchObject({ paused: false, reason: null })
    expect((await send()).status).toBe(202)
    await linked.receiver.until(() => bodies().some(body => body.includes('written meanwhile')))
  })
})
