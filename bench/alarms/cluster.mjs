import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newCluster, runServer, runStatement } from '../shared/postgres.mjs'
import { startNode } from './node-process.mjs'
import { startSlowRelay } from './slow-relay.mjs'

/** PostgreSQL with one process for each role, all connected through a relay that can be slow. */
export async function startCluster(token, receiver) {
  const folder = mkdtempSync(join(tmpdir(), 'postern-alarms-cluster-'))
  const server = await newCluster()
  const postgres = await runServer(server)
  const relay = await startSlowRelay(postgres.port)
  const env = {
    POSTERN_DATABASE_URL: postgres.url.replace(`:${postgres.port}`, `:${relay.port}`),
    POSTERN_DATA_DIR: folder,
    POSTERN_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
    POSTERN_OPERATOR_TOKEN: token,
    POSTERN_LEASE_TTL: '3s',
    POSTERN_SANDBOX: 'on',
  }
  const start = (roles, more = {}) => startNode({ ...more, env: { ...env, POSTERN_ROLES: roles, ...more.env } })
  const api = await start('api')
  const worker = await start('worker')
  const dispatcher = await start('dispatcher,simulator')
  const customer = await makeCustomer(api.url, token, receiver)
  return {
    start,
    nodes: { api, worker, dispatcher },
    customer,
    relay,
    halt: () => postgres.end('SIGINT'),
    resume: () => postgres.start(),
    runStatement: sql => runStatement(postgres.url, sql),
    stop: async nodes => {
      await Promise.all(nodes.map(node => node.end()))
      relay.stop()
      await postgres.end('SIGQUIT')
      server.remove()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function makeCustomer(url, token, receiver) {
  const ask = async (method, path, body, key) => {
    const answer = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(20_000),
    })
    return { status: answer.status, json: await answer.json().catch(() => undefined) }
  }
  const account = await ask('POST', '/operator/accounts', { name: 'Alarms', plan: 'max', accept_tos: true }, token)
  const { key } = account.json.api_key
  const own = (method, path, body) => ask(method, path, body, key)
  const session = (await own('POST', '/v1/sessions', { platform: 'sandbox' })).json
  const hooks = { messages_url: receiver.url, status_url: receiver.url }
  const webhook = await own('POST', '/v1/webhooks', { session_id: session.id, ...hooks })
  if (webhook.status !== 201) throw new Error(JSON.stringify(webhook))
  const message = text => ({ session_id: session.id, to: '15550001234', text })
  return {
    accountId: account.json.account.id,
    session,
    webhook: webhook.json,
    ask: own,
    send: text => own('POST', '/v1/messages', message(text)),
  }
}
