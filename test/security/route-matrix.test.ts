import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeEvent } from '../../src/actions/make-event.ts'
import type { MessageEvent } from '../../src/domain/event.ts'
import { makeId } from '../../src/domain/ids.ts'
import type { Route } from '../../src/http/route.ts'
import { accountRoutes, operatorRoutes } from '../../src/http/routes.ts'
import { ask, expectError } from '../harness/client.ts'
import { startTestGateway, type TestAccount, type TestGateway, type TestSession } from '../harness/gateway.ts'
import { cells } from '../harness/matrix.ts'
import { STORES } from '../harness/stores.ts'
import { until } from '../harness/until.ts'
import { FOREIGN, MATRIX, type Own, type Victim } from './route-matrix.ts'

const nameOf = ({ method, path }: Route): string => `${method} ${path}`
const withParams = (path: string): string => path.replace(/:[a-z_]+/g, 'x')
const TERMS = 'terms of service not accepted'
const NO_KEY = 'missing or invalid API key'

it('every route has an entry in the matrix', () => {
  const served = [...accountRoutes, ...operatorRoutes].map(nameOf)
  expect(served.filter(name => MATRIX[name] === undefined)).toEqual([])
})

describe.each(cells(STORES))('The route matrix on %s', kind => {
  let gateway: TestGateway
  let victim: Victim
  let intruder: TestAccount
  let own: Own
  const keys: Record<string, string> = {}

  beforeAll(async () => {
    gateway = await startTestGateway(kind)
    victim = await makeVictim(gateway)
    intruder = await gateway.account()
    const session = await gateway.session(intruder)
    const webhook = await intruder.ask('POST', '/v1/webhooks', { session_id: session.id })
    const endpoint = await intruder.ask('POST', '/v1/endpoints', { url: 'http://127.0.0.1:9000/own' })
    own = { session, webhookId: webhook.json.id, endpointId: endpoint.json.id }
    const fresh = await gateway.account({ acceptTos: false })
    keys.beforeTerms = fresh.key
    const revoked = await intruder.ask('POST', '/v1/keys', { label: 'revoked' })
    keys.revoked = revoked.json.key
    await intruder.ask('DELETE', `/v1/keys/${revoked.json.id}`)
    await until(async () => (await ask(gateway.url, 'GET', '/v1/me', { key: keys.revoked! })).status === 401)
    for (const lacks of ['send', 'read', 'manage']) {
      const scopes = ['send', 'read', 'manage'].filter(scope => scope !== lacks)
      keys[lacks] = (await intruder.ask('POST', '/v1/keys', { label: lacks, scopes })).json.key
    }
  })
  afterAll(() => gateway.stop())

  const call = (route: Route, key: string | undefined, path = withParams(route.path), body?: unknown) =>
    ask(gateway.url, route.method, path, {
      ...(key === undefined ? {} : { key }),
      ...(route.body === undefined ? {} : { body: body ?? {} }),
    })

  it.each(accountRoutes.map(route => [nameOf(route), route] as const))(
    'protects %s from other accounts and from keys without access',
    async (name, route) => {
      expectError(await call(route, undefined), 401, NO_KEY)
      expectError(await call(route, keys.revoked), 401, NO_KEY)
      expectError(await call(route, `ptn_${'A'.repeat(40)}`), 401, NO_KEY)
      if (route.beforeTerms === undefined) expectError(await call(route, keys.beforeTerms), 403, TERMS)
      else expect((await call(route, keys.beforeTerms)).status).not.toBe(403)
      if (route.scope !== null)
        expectError(await call(route, keys[route.scope]), 403, `this key lacks the scope "${route.scope}"`)

      const before = await victim.snapshot()
      for (const attempt of MATRIX[name]!.attempts(victim, own)) {
        const answer = await call(route, intruder.key, attempt.path ?? route.path, attempt.body)
        if (attempt.status === undefined) expect(answer.status).toBe(route.status)
        else expectError(answer, attempt.status, attempt.status === 403 ? FOREIGN : undefined)
        for (const canary of victim.canaries) expect(answer.text).not.toContain(canary)
      }
      expect(await victim.snapshot()).toEqual(before)
    },
  )

  it.each(operatorRoutes.map(route => [nameOf(route), route] as const))(
    'protects %s from everything but the operator token',
    async (_name, route) => {
      for (const key of [undefined, intruder.key, victim.account.key, keys.revoked, 'operator-token-012345678']) {
        expectError(await call(route, key), 401, 'missing or invalid operator token')
      }
    },
  )
})

/** An account with one of everything, each with a word that no other account may read. */
async function makeVictim(gateway: TestGateway): Promise<Victim> {
  const account = await gateway.account()
  const session = await gateway.session(account)
  await account.ask('PATCH', `/v1/sessions/${encodeURIComponent(session.id)}`, { label: 'canary-session' })
  const url = 'http://127.0.0.1:9000/canary-hook'
  const webhook = (await account.ask('POST', '/v1/webhooks', { session_id: session.id, messages_url: url })).json
  const headers = { 'X-Token': 'canary-header' }
  const endpoint = (await account.ask('POST', '/v1/endpoints', { url, headers, description: 'canary-endpoint' })).json
  const body = {
    session_id: session.id,
    to: '15550001111',
    text: 'canary-text',
    send_at: new Date(Date.now() + 3_600_000).toISOString(),
  }
  const message = (await account.ask('POST', '/v1/messages', body, { 'idempotency-key': 'canary-key' })).json
  const key = (await account.ask('POST', '/v1/keys', { label: 'canary-label' })).json
  const deliveryId = await publishCanary(gateway, account, session)
  const replay = (await account.ask('POST', `/v1/webhooks/${webhook.id}/replay`, {})).json
  const pairingId = makeId('pair')
  await gateway.store.pairings.createPairing({
    id: pairingId,
    accountId: account.id,
    platform: 'whatsapp',
    method: 'qr',
    phone: null,
    label: 'canary-pairing',
    timeoutMs: 600_000,
  })
  const read = async (path: string) => (await account.ask('GET', path)).json
  return {
    account,
    session,
    webhookId: webhook.id,
    endpointId: endpoint.id,
    messageId: message.message_id,
    keyId: key.id,
    deliveryId,
    replayId: replay.id,
    pairingId,
    canaries: ['canary', account.id, account.key.slice(4), webhook.secret, endpoint.secret, key.key.slice(4)],
    async snapshot() {
      const keys = (await read('/v1/keys')).data.map(
        ({ last_used_at: _at, ...rest }: { last_used_at: unknown }) => rest,
      )
      const secrets = await gateway.store.webhooks.getWebhookSecrets(webhook.id)
      return [
        keys,
        secrets.map(secret => Buffer.from(secret).toString('hex')),
        await read('/v1/webhooks'),
        await read('/v1/endpoints'),
        await read('/v1/messages'),
        await read(`/v1/messages/${message.message_id}`),
        await read('/v1/sessions'),
        await read('/v1/deliveries'),
        await read(`/v1/webhooks/${webhook.id}/replay/${replay.id}`),
        await gateway.store.pairings.getPairing(pairingId),
        await read('/v1/usage'),
        (await read('/v1/me')).account,
      ]
    },
  }
}

/** An event in delivery to the victim's webhook. */
async function publishCanary(gateway: TestGateway, account: TestAccount, session: TestSession): Promise<string> {
  const event: MessageEvent = {
    kind: 'message',
    message_id: 'canary-event',
    session_id: session.jid,
    sender_jid: '15550001111@s.whatsapp.net',
    sender_name: 'canary-name',
    chat_jid: '15550001111@s.whatsapp.net',
    is_group: false,
    broadcast: false,
    type: 'text',
    text: 'canary-body',
    timestamp_unix: 1,
  }
  return (await gateway.store.events.publishEvent(makeEvent(gateway.context, account.id, event)))!
}
