import { expect, it } from 'vitest'
import { makeMetrics } from '../../src/observability/metrics.ts'
import { HostCounters } from '../../src/worker/host-counters.ts'
import { ask, expectError } from '../harness/client.ts'
import { onEachStore } from '../harness/gateway.ts'
import { queryPlace } from '../harness/stores.ts'

onEachStore(gateway => {
  it('labels have at most 100 characters, wherever one is given', async () => {
    const account = await gateway().account()
    const session = await gateway().session(account)
    const label = 'x'.repeat(101)
    const given: Array<[string, string, object]> = [
      ['POST', '/v1/keys', { scopes: ['send'] }],
      ['POST', '/v1/pairings', { method: 'qr' }],
      ['POST', '/v1/sessions', { platform: 'sandbox' }],
      ['PATCH', `/v1/sessions/${session.id}`, {}],
    ]
    for (const [method, path, body] of given)
      expectError(await account.ask(method, path, { ...body, label }), 400, /label/)
    expectError(
      await gateway().operator('POST', `/operator/accounts/${account.id}/keys`, { scopes: ['send'], label }),
      400,
      /label/,
    )
  })

  it('paths, methods and names that clients invent create no series in the metrics', async () => {
    const { url } = gateway()
    const series = async () => (await gateway().operator('GET', '/metrics')).text.match(/^.*route=.*(?= )/gm)
    const knock = (n: number) => ask(url, 'GET', `/v1/made-up-${n}/${n}?x=${n}`)
    await knock(0)
    await series()
    const before = await series()
    for (let n = 1; n <= 100; n++) await knock(n)
    expect(before).not.toBeNull()
    expect(await series()).toEqual(before)
  })

  it('an account has one user, whatever an operator sets', async () => {
    const account = await gateway().account()
    for (const n of [1, 2, 3])
      await gateway().operator('PATCH', `/operator/accounts/${account.id}`, { email: `${n}-${account.id}@example.com` })
    const users = await queryPlace(gateway().place, `select email from users where account_id = '${account.id}'`)
    expect(users.map(({ email }) => email)).toEqual([`3-${account.id}@example.com`.toLowerCase()])
  })
})

it('reasons that contacts can cause have a limited number of names in the metrics, and hide none that has an alert', async () => {
  const metrics = makeMetrics()
  const counters = new HostCounters(metrics, 'whatsapp')
  for (let n = 0; n < 5_000; n++) counters.stanza('dropped', `made up ${n}`)
  counters.stanza('dropped', 'poison')
  const { values } = await metrics.stanzas.get()
  const counted = new Map(values.map(({ labels, value }) => [labels.reason, value]))
  expect(counted.size).toBeLessThanOrEqual(201)
  expect([counted.get('other'), counted.get('poison')]).toEqual([4_801, 1])
})
