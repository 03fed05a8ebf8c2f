import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Gateway } from '../../src/gateway.ts'
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts'
import { ask } from '../harness/client.ts'
import { startCluster } from '../harness/cluster.ts'
import { OPERATOR_TOKEN } from '../harness/gateway.ts'
import { type Receiver, startReceiver } from '../harness/receiver.ts'
import { newPlace, type Place, pooled } from '../harness/stores.ts'
import { until } from '../harness/until.ts'

async function placeBehindPooler(): Promise<Place> {
  const place = await newPlace('postgres')
  return { ...place, env: { ...place.env, ...(await pooled(place.databaseUrl!)) } }
}

it('a pooler that is not configured is named, with the remedy', async () => {
  const place = await placeBehindPooler()
  const store = await openPostgresStore({ url: place.env['POSTERN_DATABASE_URL']! })
  await expect(store.nodes.listNodes()).rejects.toThrow(
    'a pooler answers there. Set POSTERN_DATABASE_DIRECT_URL, or give the address of the database itself',
  )
  await store.close()
  place.remove()
})

describe.each([
  ['a way past it', {}],
  ['no way past it', { POSTERN_DATABASE_DIRECT_URL: 'none' }],
])('Three processes behind a pooler in transaction mode, with %s', (_name, env) => {
  let place: Place
  let gateway: Gateway
  let receiver: Receiver
  let key: string
  beforeAll(async () => {
    place = await placeBehindPooler()
    receiver = await startReceiver()
    gateway = await startCluster(place, env)
    const account = { name: 'test', plan: 'max', accept_tos: true, limits: { messages_per_second: null } }
    const made = await ask(gateway.url!, 'POST', '/operator/accounts', { key: OPERATOR_TOKEN, body: account })
    key = made.json.api_key.key
  })
  afterAll(async () => {
    await gateway.stop()
    await receiver.close()
    place.remove()
  })

  const post = (path: string, body: unknown) => ask(gateway.url!, 'POST', path, { key, body })

  it('link a number, send many simultaneous messages, and deliver the event of each', async () => {
    const { json, status, text } = await post('/v1/sessions', { platform: 'sandbox' })
    expect(status, text).toBe(201)
    const hook = { session_id: json.id, status_url: receiver.url() }
    expect((await post('/v1/webhooks', hook)).status).toBe(201)
    const asked = Array.from({ length: 60 }, (_, i) =>
      post('/v1/messages', { session_id: json.id, to: `1555000${1000 + (i % 5)}`, text: `${i}` }),
    )
    const ids = (await Promise.all(asked)).map(answer => answer.json.message_id as string)
    const sent = () =>
      receiver.ledger
        .map(({ body }) => JSON.parse(body.toString()) as { status: string; message_id: string })
        .filter(event => event.status === 'sent')
        .map(event => event.message_id)
    await until(() => ids.every(id => sent().includes(id)))
    expect(sent().length).toBe(ids.length)
  })
})

describe('A transaction that waits for a lock', () => {
  it.each([
    ['the database itself', false],
    ['a pooler', true],
  ])('is cancelled by the server after some seconds, behind %s', async (_name, isPooled) => {
    const place = await placeBehindPooler()
    const directUrl = place.databaseUrl!
    const store = await openPostgresStore(
      isPooled ? { url: place.env['POSTERN_DATABASE_URL']!, directUrl } : { url: directUrl },
    )
    const node = { id: 'node_x', roles: '', address: '', version: '', listens: '[]', clockAheadMs: 0 }
    await store.nodes.announceNode(node)
    const holder = new pg.Client({ connectionString: directUrl })
    await holder.connect()
    await holder.query(`begin; select 1 from nodes for update`)
    await expect(store.nodes.touchNode('node_x')).rejects.toThrow('canceling statement due to statement timeout')
    await holder.query('rollback')
    await store.nodes.touchNode('node_x')
    await holder.end()
    await store.close()
    place.remove()
  })
})
