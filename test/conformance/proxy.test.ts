import type { Visit } from '@postern/simulator/options'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { OPERATOR_TOKEN } from '../harness/gateway.ts'
import { type LinkedGateway, expectStatus, openLinkedGateway } from '../harness/linked-gateway.ts'
import { blackPng } from '../harness/pictures.ts'
import { CREDENTIALS, type RealProxy, startHttpProxy, startSocks } from '../harness/proxies.ts'
import { newPlace } from '../harness/stores.ts'
import { until } from '../harness/until.ts'

let linked: LinkedGateway
let socks: RealProxy
let http: RealProxy
/** Who has reached the network, besides the gateway's own look for the version of the web client. */
let visits: Visit[]

const PHONE = '999100000077'
const JID = `${PHONE}@s.whatsapp.net`
const path = `/v1/sessions/${encodeURIComponent(JID)}`
const DIRECT = '127.0.0.1'

beforeAll(async () => {
  visits = []
  const onVisit = (visit: Visit): void => void (visit.to !== 'version' && visits.push(visit))
  socks = await startSocks('127.0.0.2')
  http = await startHttpProxy('127.0.0.3')
  linked = await openLinkedGateway(await newPlace('sqlite'), 0, {
    network: { onVisit },
    env: {
      POSTERN_DISCONNECT_GRACE: '100ms',
      POSTERN_ALLOWED_TARGETS: '127.0.0.0/8',
      POSTERN_LOG_LEVEL: 'debug',
    },
  })
})
afterAll(async () => {
  await linked?.close()
  await socks.stop()
  await http?.stop()
})

const session = async () => (await linked.ask('GET', path)).json
const connected = () => until(async () => (await session())?.state === 'connected')
/** Where the visits since this one came from. */
const sources = (since = 0): string[] => [...new Set(visits.slice(since).map(({ address }) => address))]
const send = (body: object) => linked.ask('POST', '/v1/messages', { session_id: JID, to: '5511900000001', ...body })
const sent = (id: string) =>
  until(async () => /sent|delivered|read/.test((await linked.ask('GET', `/v1/messages/${id}`)).json.state))
const metrics = () => linked.ask('GET', '/metrics', undefined, { authorization: `Bearer ${OPERATOR_TOKEN}` })
const picture = blackPng({ width: 40, height: 30 })

/** Sends a text and a picture, receives a picture, and looks at a contact. */
async function useEverything(): Promise<void> {
  const ana = linked.simulator.phone('5511900000001')
  const file = await expectStatus(
    201,
    linked.ask('POST', '/v1/media?filename=a.png', picture, { 'content-type': 'image/png' }),
  )
  const messages = [{ text: 'hello' }, { media_type: 'image', media_id: file.json.id }]
  for (const message of messages) await sent((await expectStatus(202, send(message))).json.message_id)
  const { id } = await ana.sendTo(JID, { type: 'image', data: picture, mimetype: 'image/png', caption: 'received' })
  const event = await until(() => linked.receiver.ledger.map(({ body }) => body.toString()).find(b => b.includes(id)))
  expect(JSON.parse(event).media.status).toBe('downloaded')
  expect((await linked.ask('GET', `${path}/contacts/5511900000001`)).status).toBe(200)
}

describe('A number with a proxy', () => {
  test('is linked through the proxy of its pairing, and keeps it', async () => {
    const body = { method: 'qr', phone: PHONE, platform: 'sandbox', proxy: { url: socks.url } }
    const pairing = await expectStatus(201, linked.ask('POST', '/v1/pairings', body))
    const shown = () => linked.ask('GET', `/v1/pairings/${pairing.json.id}`)
    await linked.simulator.linkByQr(await until(async () => (await shown()).json.qr as string | undefined), PHONE)
    await connected()
    const expected = { scheme: 'socks5', host: '127.0.0.1', port: socks.port }
    expect((await linked.ask('GET', `${path}/proxy`)).json).toEqual(expected)
    expect((await session()).proxy).toEqual(expected)
    expect(sources()).toEqual([socks.address])
  })

  test('sends, uploads, receives, downloads and asks through it, and no connection comes from elsewhere', async () => {
    const url = linked.receiver.url()
    const urls = { messages_url: url, status_url: url, connection_url: url, events_url: url }
    await expectStatus(201, linked.ask('POST', '/v1/webhooks', { session_id: JID, ...urls }))
    await useEverything()
    expect(sources()).toEqual([socks.address])
    expect(new Set(visits.map(({ to }) => to))).toEqual(new Set(['chat', 'media']))
    expect(socks.opened()).toBeGreaterThanOrEqual(visits.filter(({ to }) => to === 'chat').length + 1)
  })

  test('is tested by a new connection to the platform', async () => {
    const { status, json } = await linked.ask('POST', `${path}/proxy/test`)
    expect([status, json.outcome, json.error]).toEqual([200, 'reached', null])
    expect(json.ms).toBeGreaterThanOrEqual(0)
    expect(sources()).toEqual([socks.address])
  })

  test('stays disconnected while the proxy does not answer, also after a restart, and never connects without it', async () => {
    const before = visits.length
    const name = `the proxy socks5://127.0.0.1:${socks.port}`
    await socks.stop()
    await until(async () => (await session()).state === 'disconnected')
    const reason = `${name} cannot be reached: the connection could not be opened`
    await until(async () => (await session()).reason === reason)
    const test = await linked.ask('POST', `${path}/proxy/test`)
    expect([test.status, test.json.outcome, test.json.error]).toEqual([200, 'proxy_failed', reason])
    expect((await send({ text: 'too early' })).status).toBe(409)
    const counted = /postern_link_changes_total\{platform="sandbox",change="proxy"\} [1-9]/
    await until(async () => counted.test((await metrics()).text))
    await linked.stop()
    await linked.start()
    await until(async () => (await session()).reason === reason)
    expect(visits.slice(before)).toEqual([])
    await socks.start()
    await connected()
    expect(sources(before)).toEqual([socks.address])
    expect((await session()).reason).toBeNull()
  })

  test('says that the proxy rejects its password, without naming it', async () => {
    const before = visits.length
    const url = socks.url.replace(CREDENTIALS.user, 'canaryother')
    expect((await linked.ask('PUT', `${path}/proxy`, { url })).status).toBe(200)
    const name = `the proxy socks5://127.0.0.1:${socks.port}`
    await until(async () => (await session()).reason === `${name} rejects the user name or the password`)
    expect(visits.slice(before)).toEqual([])
  })

  test('reconnects through another proxy as soon as it is changed', async () => {
    const before = visits.length
    const answer = await linked.ask('PUT', `${path}/proxy`, { url: http.url })
    expect(answer.json).toEqual({ scheme: 'http', host: '127.0.0.1', port: http.port })
    await connected()
    await useEverything()
    expect(sources(before)).toEqual([http.address])
    expect(new Set(visits.slice(before).map(({ to }) => to))).toEqual(new Set(['chat', 'media']))
  })

  test('is linked again through the proxy that it has', async () => {
    const before = visits.length
    const pairing = await expectStatus(
      201,
      linked.ask('POST', '/v1/pairings', { method: 'qr', phone: PHONE, platform: 'sandbox' }),
    )
    const shown = () => linked.ask('GET', `/v1/pairings/${pairing.json.id}`)
    await linked.simulator.linkByQr(await until(async () => (await shown()).json.qr as string | undefined), PHONE)
    await until(async () => (await shown()).json.status === 'linked')
    await connected()
    expect(sources(before)).toEqual([http.address])
    expect((await session()).proxy).toMatchObject({ scheme: 'http', port: http.port })
  })

  test('connects directly once the proxy is removed', async () => {
    const before = visits.length
    expect((await linked.ask('DELETE', `${path}/proxy`)).status).toBe(200)
    await until(() => sources(before).includes(DIRECT))
    await connected()
    expect((await session()).proxy).toBeNull()
    for (const [method, at] of [
      ['GET', `${path}/proxy`],
      ['POST', `${path}/proxy/test`],
    ] as const)
      expect((await linked.ask(method, at)).status).toBe(404)
  })

  test('shows its user name and password to nobody', async () => {
    const seen = [await linked.ask('GET', path), await linked.ask('GET', '/v1/requests'), await metrics()]
    expect(linked.output()).toContain('link.changed')
    for (const { text } of [...seen, { text: linked.output() }]) expect(text).not.toMatch(/canary/)
  })
})
