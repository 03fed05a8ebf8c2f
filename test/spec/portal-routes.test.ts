import { Errors } from 'typebox/schema'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createSignInLink } from '../../src/actions/first-start.ts'
import { makeEvent } from '../../src/actions/make-event.ts'
import { makePortalOpenApi } from '../../src/http/portal/portal-openapi.ts'
import { userRoutes, visitorRoutes } from '../../src/http/portal/portal-routes.ts'
import { ask, expectError } from '../harness/client.ts'
import { textMessage } from '../harness/delivery.ts'
import { listenTo } from '../harness/event-stream.ts'
import { registerTestSession, startTestGateway, type TestGateway } from '../harness/gateway.ts'
import { deviations } from '../harness/openapi.ts'
import { addUser, type Browser, openBrowser, PASSWORD, signedIn } from '../harness/portal.ts'
import { type Receiver, startReceiver } from '../harness/receiver.ts'
import { until } from '../harness/until.ts'

const document = JSON.parse(JSON.stringify(makePortalOpenApi()))
const routes = [...visitorRoutes, ...userRoutes]
const nameOf = ({ method, path }: { method: string; path: string }) => `${method} ${path}`

let gateway: TestGateway
let receiver: Receiver
beforeAll(async () => {
  receiver = await startReceiver()
  gateway = await startTestGateway('sqlite', { POSTERN_ROLES: 'api,dispatcher' })
})
afterAll(async () => {
  await gateway.stop()
  await receiver.close()
})

const fresh = async () => signedIn(gateway, await addUser(gateway))
let users = 0
const newEmail = () => `portal-routes-${process.pid}-${users++}@example.com`

/** Sends each route of the portal a valid request. */
const ASKS: Record<string, () => Promise<[browser: Browser, body?: unknown, id?: string]>> = {
  'GET /sign-in-options': async () => [openBrowser(gateway)],
  'POST /sign-in': async () => {
    const email = newEmail()
    await openBrowser(gateway).ask('POST', '/sign-up', { name: 'Acme', email, password: PASSWORD })
    return [openBrowser(gateway), { email, password: PASSWORD }]
  },
  'POST /sign-in/link': async () => {
    const { userId } = await addUser(gateway)
    return [openBrowser(gateway), { token: await createSignInLink(gateway, userId) }]
  },
  'POST /sign-up': async () => [openBrowser(gateway), { name: 'Acme', email: newEmail(), password: PASSWORD }],
  'POST /sign-out': async () => [await fresh(), {}],
  'GET /session': async () => [await fresh()],
  'POST /sign-out-everywhere': async () => [await fresh(), {}],
  'POST /password': async () => [await fresh(), { new_password: PASSWORD }],
  'POST /email': async () => {
    const browser = await fresh()
    await browser.ask('POST', '/password', { new_password: PASSWORD })
    return [browser, { email: newEmail(), password: PASSWORD }]
  },
  'GET /v1/stats': async () => [await fresh()],
  'GET /v1/messages/:id/deliveries': async () => {
    const { browser, message } = await withDeliveredEvent()
    return [browser, undefined, message.id]
  },
  'GET /v1/deliveries/:id/message': async () => {
    const { browser, delivery } = await withDeliveredEvent()
    return [browser, undefined, delivery.id]
  },
  'GET /v1/replayable': async () => [await fresh()],
  'POST /v1/webhooks/try': async () => {
    const { browser, session } = await withNumber()
    return [browser, { session_id: session.id, messages_url: receiver.url('/try'), status_url: receiver.url('/try') }]
  },
}

/** A sent message, and its delivered event. */
async function withDeliveredEvent() {
  const { browser, user, session } = await withNumber()
  const hook = { session_id: session.id, status_url: receiver.url('/told?token=secret') }
  expect((await browser.ask('POST', '/v1/webhooks', hook)).status).toBe(201)
  await gateway.setState(session, 'connected')
  const sent = await browser.ask('POST', '/v1/messages', { session_id: session.id, to: '15550001111', text: 'Hi' })
  const { json: message } = await browser.ask('GET', `/v1/messages/${sent.json.message_id}`)
  const receipt = {
    kind: 'receipt' as const,
    session_id: session.jid,
    recipient_jid: message.to,
    request_id: message.request_id,
    messenger_message_id: message.messenger_message_id,
    receipt_type: 'read' as const,
    timestamp_unix: 1,
  }
  await gateway.store.events.publishEvent(makeEvent(gateway.context, user.accountId, receipt))
  const delivered = async () => (await browser.ask('GET', '/v1/deliveries?status=delivered')).json.data
  await until(async () => (await delivered()).length === 1)
  return { browser, message, delivery: (await delivered())[0] }
}

async function withNumber() {
  const user = await addUser(gateway)
  const session = await registerTestSession(gateway.store, user.accountId, true)
  return { browser: await signedIn(gateway, user), user, session }
}

describe('The routes of the portal', () => {
  const plain = routes.filter(route => route.contentType === undefined)

  it.each(plain.map(route => [nameOf(route), route] as const))('%s answers as described', async (name, route) => {
    const [browser, body, id = ''] = await ASKS[name]!()
    const answer = await browser.ask(route.method, route.path.replace(':id', id), body)
    expect(answer.status, answer.text).toBe(route.status)
    expect(deviations(document, route, answer)).toEqual([])
  })

  it('URLs are tested before they are saved: one sample for each category, rejected as saving would reject them', async () => {
    const { browser, session } = await withNumber()
    const ask = (body: object) => browser.ask('POST', '/v1/webhooks/try', { session_id: session.id, ...body })
    receiver.reply = () => ({ status: 401, body: 'unknown signature' })
    const tried = await ask({ messages_url: receiver.url('/a'), events_url: receiver.url('/b') })
    receiver.reply = () => 200
    expect(tried.json.data).toMatchObject([
      { category: 'messages', url: receiver.url('/a'), http_status: 401, response_excerpt: 'unknown signature' },
      { category: 'events', url: receiver.url('/b'), http_status: 401 },
    ])
    expectError(await ask({ messages_url: 'nonsense' }), 400, 'messages_url is not a valid URL')
    expectError(await ask({ messages_url: '' }), 400, /^give at least one of/)
    expectError(await ask({ messages_url: receiver.url(), webhook_id: 'wh_unknown' }), 404, 'webhook not found')
    const other = await withNumber()
    const foreign = { session_id: session.id, messages_url: receiver.url() }
    expectError(await other.browser.ask('POST', '/v1/webhooks/try', foreign), 403)
    expect((await browser.ask('GET', '/v1/webhooks')).json.data).toEqual([])
  })

  it('a message links to its events and back, and an attempt shows where it went, without the query', async () => {
    const { browser, message, delivery } = await withDeliveredEvent()
    const trail = await browser.ask('GET', `/v1/messages/${message.id}/deliveries`)
    expect(trail.json.data.map((each: { id: string }) => each.id)).toEqual([delivery.id])
    expect(trail.json.data[0].attempts).toMatchObject([{ url: receiver.url('/told?…'), response_headers: {} }])
    const back = await browser.ask('GET', `/v1/deliveries/${delivery.id}/message`)
    expect(back.json).toEqual({ message_id: message.id })
    const other = await fresh()
    expectError(await other.ask('GET', `/v1/messages/${message.id}/deliveries`), 403)
    expectError(await other.ask('GET', `/v1/deliveries/${delivery.id}/message`), 403)
  })

  it('the live stream sends each event as described', async () => {
    const user = await addUser(gateway)
    const browser = await signedIn(gateway, user)
    const session = await registerTestSession(gateway.store, user.accountId, true)
    await gateway.setState(session, 'connected')
    const hook = { session_id: session.id, messages_url: receiver.url() }
    expect((await browser.ask('POST', '/v1/webhooks', hook)).status).toBe(201)
    const stream = await listenTo(gateway.url, '/portal/api/live', { cookie: browser.cookie! })
    await gateway.store.events.publishEvent(makeEvent(gateway.context, user.accountId, textMessage(session.jid)))
    const sent = await browser.ask('POST', '/v1/messages', { session_id: session.id, to: '15550001111', text: 'Hi' })
    expect(sent.status, sent.text).toBe(202)
    const { properties } = document.paths['/live'].get.responses['200'].content['text/event-stream'].schema
    for (const name of ['session', 'delivery', 'message']) {
      const { data } = await stream.wait(name)
      const [, errors] = Errors(properties[name], data)
      expect(errors, name).toEqual([])
    }
    expect(stream.events.map(({ event }) => event).filter(event => !(event in properties) && event !== 'ping')).toEqual(
      [],
    )
    stream.close()
  })

  it('are in no public description, and no API key opens the routes of a user', async () => {
    const { paths } = (await ask(gateway.url, 'GET', '/openapi.json')).json
    for (const route of routes) expect(paths[route.path], nameOf(route)).toBeUndefined()
    const { key } = await gateway.account()
    for (const route of userRoutes) {
      const headers = { authorization: `Bearer ${key}`, origin: gateway.url }
      expectError(await ask(gateway.url, route.method, `/portal/api${route.path}`, { headers }), 401, 'sign in first')
    }
  })
})
