import { afterAll, beforeAll, expect, test } from 'vitest'
import { ensureFirstAccount } from '../../src/actions/first-start.ts'
import type { Route } from '../../src/http/route.ts'
import { accountRoutes, operatorRoutes } from '../../src/http/routes.ts'
import { ask } from '../harness/client.ts'
import { OPERATOR_TOKEN, startTestGateway, type TestAccount, type TestGateway } from '../harness/gateway.ts'
import { deviations } from '../harness/openapi.ts'
import { blackPng } from '../harness/pictures.ts'
import { type Receiver, startReceiver } from '../harness/receiver.ts'
import { until } from '../harness/until.ts'

/** Every example of the reference is tested, with the reader's own ids in it, on the whole gateway with its sandbox. */
let gateway: TestGateway
let account: TestAccount
let receiver: Receiver
let post: { newsletter_jid: string; server_id: number; message_id: string }
const ids: Record<string, string> = {}
/** Numbers that end like this are businesses with a catalogue. */
const SHOP = '999100200480'

beforeAll(async () => {
  gateway = await startTestGateway('sqlite', { POSTERN_ROLES: 'api,worker,dispatcher,simulator' })
  account = await gateway.account()
  const session = await account.ask('POST', '/v1/sessions', { platform: 'sandbox', phone: SHOP })
  ids.session = session.json.id
  // An endpoint that fails keeps the payload, so that it can be resent.
  receiver = await startReceiver(() => 500)
  const urls = { messages_url: receiver.url(), status_url: receiver.url() }
  const webhook = await account.ask('POST', '/v1/webhooks', { session_id: ids.session, ...urls })
  ids.webhook = webhook.json.id
  ids.endpoint = (await account.ask('POST', '/v1/endpoints', { url: receiver.url() })).json.id
  ids.media = (await account.ask('POST', '/v1/media', 'a file')).json.id
  ids.picture = (await account.ask('POST', '/v1/media', blackPng({ width: 8, height: 8 }))).json.id
  ids.pull = (await account.ask('POST', '/v1/endpoints', { type: 'pull' })).json.id
  ids.message = (await send()).json.message_id
  await until(async () => (await account.ask('GET', `/v1/messages/${ids.message}`)).json.state === 'read')
  await until(async () => (await account.ask('GET', '/v1/deliveries')).json.data.length > 0)
  ids.delivery = (await account.ask('GET', '/v1/deliveries')).json.data[0].id
  ids.replay = (await account.ask('POST', `/v1/webhooks/${ids.webhook}/replay`, {})).json.id
  ids.endpointReplay = (await account.ask('POST', `/v1/endpoints/${ids.endpoint}/replay`, {})).json.id
  ids.pairing = (await account.ask('POST', '/v1/pairings', { method: 'qr', platform: 'sandbox' })).json.id
  ids.shown = ids.pairing!
  ids.key = (await account.ask('POST', '/v1/keys', { label: 'to be revoked' })).json.id
  ids.account = account.id
  await until(async () => (await account.ask('GET', '/v1/requests')).json.data.length > 0)
  ids.request = (await account.ask('GET', '/v1/requests')).json.data[0].id
  const actions = `/sandbox/sessions/${encodeURIComponent(ids.session!)}/actions`
  post = (await account.ask('POST', actions, { action: 'newsletter_post', text: 'News' })).json
  const channels = `/v1/sessions/${encodeURIComponent(ids.session!)}/newsletters`
  const channel = (await account.ask('POST', channels, { name: 'Own' })).json
  ids.channel = channel.jid
  ids.channelInvite = channel.invite
})

afterAll(async () => {
  await gateway.stop()
  await receiver.close()
})

const send = () => account.ask('POST', '/v1/messages', { session_id: ids.session, to: '15551230000', text: 'hello' })

const CONTACT = '15551230001'
const LAST = [
  'DELETE /v1/sessions/:id/newsletters/:nl',
  'POST /v1/sessions/:id/groups/:jid/leave',
  'DELETE /v1/pairings/:id',
  'DELETE /v1/messages/:id',
  'DELETE /v1/webhooks/:id',
  'DELETE /v1/endpoints/:id',
  'PUT /v1/sessions/:id/proxy',
  'GET /v1/sessions/:id/proxy',
  'POST /v1/sessions/:id/proxy/test',
  'DELETE /v1/sessions/:id/proxy',
  'POST /v1/sessions/:id/restart',
  'DELETE /v1/sessions/:id',
]
const nameOf = (route: Route): string => `${route.method} ${route.path}`
const order = (route: Route): number => LAST.indexOf(nameOf(route))
const routes = [...accountRoutes, ...operatorRoutes].sort((a, b) => order(a) - order(b))

/** The value of a path parameter: the reader's object of that kind. */
function pathOf(route: Route): string {
  const kind = /^\/(?:v1|sandbox|operator)\/([a-z]+)s\//.exec(route.path)?.[1]
  const isPull = kind === 'endpoint' && /\/(?:events|ack|stream)$/.test(route.path)
  if (route.path === '/v1/media/:id') return `/v1/media/${ids.media}`
  if (route.path === '/v1/people/erase/:id') return `/v1/people/erase/${ids.erasure}`
  const own = kind === 'deliverie' ? ids.delivery : ids[isPull ? 'pull' : (kind ?? '')]
  return route.path
    .replace(':replay_id', kind === 'endpoint' ? ids.endpointReplay! : ids.replay!)
    .replace(':call_id', ids.call ?? '')
    .replace(':job', ids.job ?? '')
    .replace(':nl', encodeURIComponent(/(react|follow)$/.test(route.path) ? post.newsletter_jid : ids.channel!))
    .replace(':jid', jidOf(route))
    .replace(':group', ids.linked ?? '')
    .replace(':id', encodeURIComponent(own ?? ''))
}

function jidOf({ path }: Route): string {
  if (/\/(chats|contacts|blocks|admins)\//.test(path)) return CONTACT
  return (path.includes('/communities/') ? ids.community : ids.group)!
}

/** A pairing of a number with a passkey, which the platform requires. */
async function pairingWithPasskey(phone: string): Promise<string> {
  const { json } = await account.ask('POST', '/v1/pairings', { method: 'qr', platform: 'sandbox', phone })
  const status = async () => (await account.ask('GET', `/v1/pairings/${json.id}`)).json.status
  await until(async () => (await status()) === 'waiting')
  await account.ask('POST', `/sandbox/pairings/${json.id}/scan`)
  await until(async () => (await status()) === 'passkey')
  return json.id
}

/** A group of the number, with its invite. */
async function createGroup(): Promise<void> {
  const groups = `/v1/sessions/${encodeURIComponent(ids.session!)}/groups`
  const { json } = await account.ask('POST', groups, { subject: 'Group', members: ['15551230001'] })
  ids.group = json.jid
  ids.invite = (await account.ask('GET', `${groups}/${json.jid}/invite`)).json.invite
}

/** A community of the number, and a group that it can link to it. */
async function createCommunity(): Promise<void> {
  const own = `/v1/sessions/${encodeURIComponent(ids.session!)}`
  ids.community = (await account.ask('POST', `${own}/communities`, { subject: 'Street' })).json.jid
  ids.linked = (await account.ask('POST', `${own}/groups`, { subject: 'House', members: [CONTACT] })).json.jid
}

// oxlint-disable-next-line typescript/no-explicit-any -- what an action answers
async function actAsContact(action: object): Promise<any> {
  const actions = `/sandbox/sessions/${encodeURIComponent(ids.session!)}/actions`
  return (await account.ask('POST', actions, { from: CONTACT, ...action })).json
}

/** A message that the contact has written, and an endpoint that gets older ones. */
async function prepareHistory(): Promise<void> {
  const body = { url: receiver.url(), include: ['history'] }
  if (ids.historian === undefined) ids.historian = (await account.ask('POST', '/v1/endpoints', body)).json.id
  const incoming = `/sandbox/sessions/${encodeURIComponent(ids.session!)}/incoming`
  ids.received = (await account.ask('POST', incoming, { from: CONTACT, type: 'text', text: 'old' })).json.message_id
  await receiver.until(ledger => ledger.some(({ body: event }) => event.includes(ids.received!)))
}

async function listen(): Promise<void> {
  ids.listener = (await account.ask('POST', '/v1/listeners', {})).json.id
}

/** The preparation for an example. */
const BEFORE: Record<string, () => Promise<void>> = {
  'GET /v1/listeners/:id/events': listen,
  'DELETE /v1/listeners/:id': listen,
  'POST /operator/sign-in-links': async () => {
    await ensureFirstAccount(gateway.context)
  },
  'POST /sandbox/pairings/:id/passkey': async () => {
    ids.pairing = await pairingWithPasskey('999017277539')
  },
  'POST /sandbox/pairings/:id/scan': async () => {
    ids.pairing = ids.shown!
  },
  'POST /v1/sessions/:id/groups/join': createGroup,
  'GET /v1/sessions/:id/communities/:jid/groups': createCommunity,
  'POST /v1/sessions/:id/calls/:call_id/reject': async () => {
    ids.call = (await actAsContact({ action: 'call' })).call_id
    // The number hears it a moment later; a repeated rejection is answered like the first.
    const reject = `/v1/sessions/${encodeURIComponent(ids.session!)}/calls/${ids.call}/reject`
    await until(async () => (await account.ask('POST', reject)).status === 200)
  },
  'POST /v1/sessions/:id/chats/:jid/history': prepareHistory,
  'GET /v1/sessions/:id/history/:job': async () => {
    await prepareHistory()
    const chat = `/v1/sessions/${encodeURIComponent(ids.session!)}/chats/${CONTACT}`
    ids.job = (await account.ask('POST', `${chat}/history`, { before_message_id: ids.received })).json.id
  },
  'GET /v1/people/erase/:id': async () => {
    ids.erasure = (await account.ask('POST', '/v1/people/erase', { jid: '15550001234' })).json.id
  },
  'GET /v1/sessions/:id/groups/:jid/picture': async () => {
    const group = `/v1/sessions/${encodeURIComponent(ids.session!)}/groups/${ids.group}`
    await account.ask('PUT', `${group}/picture`, { media_id: ids.picture })
  },
  'GET /v1/sessions/:id/chats/:jid': async () => {
    const chat = `/v1/sessions/${encodeURIComponent(ids.session!)}/chats/${CONTACT}`
    await account.ask('PATCH', chat, { archived: true })
  },
  'GET /v1/sessions/:id/contacts/:jid/picture': async () => {
    const actions = `/sandbox/sessions/${encodeURIComponent(ids.session!)}/actions`
    await account.ask('POST', actions, { action: 'profile', from: CONTACT, picture: '/9j/4A==' })
  },
  'POST /v1/pairings/:id/code': async () => {
    const begun = { method: 'code', platform: 'sandbox', phone: '999047277530' }
    ids.pairing = (await account.ask('POST', '/v1/pairings', begun)).json.id
    const status = async () => (await account.ask('GET', `/v1/pairings/${ids.pairing}`)).json.status
    await until(async () => (await status()) === 'waiting')
    // A request that comes sooner is rejected with a wait.
    const shownAtMs = Date.now()
    await until(() => Date.now() - shownAtMs > 5_000)
  },
  'POST /v1/pairings/:id/passkey': async () => {
    ids.pairing = await pairingWithPasskey('999027277539')
  },
  'POST /v1/pairings/:id/confirm': async () => {
    ids.pairing = await pairingWithPasskey('999037277539')
    const { assertion } = (await account.ask('POST', `/sandbox/pairings/${ids.pairing}/passkey`)).json
    await account.ask('POST', `/v1/pairings/${ids.pairing}/passkey`, { ...assertion, compare_codes: true })
    const status = async () => (await account.ask('GET', `/v1/pairings/${ids.pairing}`)).json.status
    await until(async () => (await status()) === 'confirm')
  },
}

const QUERY: Record<string, Record<string, string>> = { 'GET /v1/listeners/:id/events': { after: '0' } }

/** Examples with ids get the reader's own; a second config for one number, for instance, would be rejected. */
async function bodyOf(route: Route): Promise<unknown> {
  const body = route.example?.body as Record<string, unknown> | undefined
  if (nameOf(route) === 'POST /v1/webhooks') {
    const fresh = await account.ask('POST', '/v1/sessions', { platform: 'sandbox' })
    return { ...body, session_id: fresh.json.id }
  }
  if (nameOf(route) === 'POST /v1/pairings/:id/passkey')
    return (await account.ask('POST', `/sandbox/pairings/${ids.pairing}/passkey`)).json.assertion
  if (route.path.endsWith('/orders')) {
    const { order_id, token } = await actAsContact({ action: 'order' })
    return { order_id, token }
  }
  if (body !== undefined && 'invite' in body)
    return { ...body, invite: route.path.includes('/newsletters/') ? ids.channelInvite : ids.invite }
  if (route.path.endsWith('/picture') && body !== undefined) return { media_id: ids.picture }
  if (route.path.endsWith('/react')) return { ...body, server_id: post.server_id, message_id: post.message_id }
  if (body !== undefined && 'before_message_id' in body) return { ...body, before_message_id: ids.received }
  if (body !== undefined && 'session_id' in body) return { ...body, session_id: ids.session }
  return body ?? (route.body === undefined ? undefined : {})
}

const STREAMS = accountRoutes.filter(route => route.contentType === 'text/event-stream').map(nameOf)

/** The sandbox has no other admins of a channel and no invitations to become one, and `spec/move-number` has two gateways. */
const NOT_IN_SANDBOX = [
  'POST /v1/sessions/:id/newsletters/:nl/accept',
  'DELETE /v1/sessions/:id/newsletters/:nl/admins/:jid',
  'POST /operator/sessions/:id/take-back',
  'POST /operator/sessions/import',
]

const isFile = (route: Route): boolean => route.contentType === 'application/octet-stream'

test.for(
  routes
    .filter(route => ![...STREAMS, ...NOT_IN_SANDBOX].includes(nameOf(route)) && !isFile(route))
    .map(route => [nameOf(route), route] as const),
)('the example of %s works, and its answer matches the description', async ([, route]) => {
  const query = new URLSearchParams(route.example?.query ?? QUERY[nameOf(route)] ?? {}).toString()
  await BEFORE[nameOf(route)]?.()
  const body = await bodyOf(route)
  const answer = await ask(gateway.url, route.method, `${pathOf(route)}${query === '' ? '' : `?${query}`}`, {
    key: route.path.startsWith('/operator') ? OPERATOR_TOKEN : account.key,
    ...(body === undefined ? {} : { body }),
    ...(route.example?.headers === undefined ? {} : { headers: route.example.headers }),
  })
  const error = answer.status === route.status ? undefined : answer.text
  expect({ status: answer.status, error }).toEqual({ status: route.status, error: undefined })
  expect(deviations((await ask(gateway.url, 'GET', '/openapi.json')).json, route, answer)).toEqual([])
})

test.for(STREAMS)('the example of %s opens a stream', async name => {
  const route = accountRoutes.find(candidate => nameOf(candidate) === name)!
  const leaving = new AbortController()
  const answer = await fetch(gateway.url + pathOf(route), {
    headers: { authorization: `Bearer ${account.key}` },
    signal: leaving.signal,
  })
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-type')).toContain('text/event-stream')
  leaving.abort()
})

test('the reference shows every operation and every event, whether or not its scripts run', async () => {
  const page = await ask(gateway.url, 'GET', '/docs')
  expect(page.headers['content-security-policy']).toContain("default-src 'none'")
  expect(page.headers['content-security-policy']).toContain("script-src 'self'")
  expect(page.text).not.toMatch(/<script(?![^>]* src="\/)/)
  expect(page.text).not.toMatch(/<style|\bstyle=|\bon\w+=/)
  for (const route of routes) expect(page.text).toContain(route.path.replace(/:([a-z_]+)/g, '{$1}'))
  for (const kind of [
    'message',
    'receipt',
    'status',
    'connection',
    'poll_vote',
    'typing',
    'presence',
    'call',
    'newsletter_message',
  ])
    expect(page.text).toContain(`id="event-${kind}"`)
})
