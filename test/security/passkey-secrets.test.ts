import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ask } from '../harness/client.ts'
import { OPERATOR_TOKEN } from '../harness/gateway.ts'
import { startProcess } from '../harness/process.ts'
import { newPlace } from '../harness/stores.ts'
import { until } from '../harness/until.ts'

const PHONE = '999717277539'

it('neither challenge, ticket, assertion nor code of a pairing with a passkey is in the database or the log', async () => {
  const place = await newPlace('sqlite')
  const gateway = await startProcess(place, {
    POSTERN_ROLES: 'api,worker,dispatcher,simulator',
    POSTERN_LOG_LEVEL: 'debug',
  })
  const made = await ask(gateway.url, 'POST', '/operator/accounts', {
    key: OPERATOR_TOKEN,
    body: { name: 'x', plan: 'max', accept_tos: true },
  })
  const key: string = made.json.api_key.key
  const call = (method: string, path: string, body?: object) =>
    ask(gateway.url, method, path, { key, ...(body && { body }) })
  const { id } = (await call('POST', '/v1/pairings', { platform: 'sandbox', method: 'qr', phone: PHONE })).json
  const pairing = async () => (await call('GET', `/v1/pairings/${id}`)).json
  const becomes = (status: string) => until(async () => (await pairing()).status === status)
  await becomes('waiting')
  await call('POST', `/sandbox/pairings/${id}/scan`)
  await becomes('passkey')

  const secrets: string[] = []
  const note = async () => {
    const { options, link } = (await pairing()).passkey
    const { assertion } = (await call('POST', `/sandbox/pairings/${id}/passkey`)).json
    const { clientDataJSON, signature } = assertion.response
    secrets.push(options.challenge, new URL(link).hash.slice(1), assertion.id, clientDataJSON, signature)
    return assertion
  }
  const refused = await note()
  const wrong = { ...refused, response: { ...refused.response, signature: 'MEUCIQDx_wrong_signature_bytes' } }
  expect((await call('POST', `/v1/pairings/${id}/passkey`, wrong)).status).toBe(400)
  const ticket = new URL((await pairing()).passkey.link).hash.slice(1)
  expect((await ask(gateway.url, 'GET', `/passkey/${id}`, { key: ticket })).status).toBe(200)
  expect((await ask(gateway.url, 'GET', `/passkey/${id}`, { key: `${ticket}x` })).status).toBe(401)
  await call('POST', `/v1/pairings/${id}/passkey`, { ...(await note()), compare_codes: true })
  await becomes('confirm')
  secrets.push((await pairing()).code)
  await call('POST', `/v1/pairings/${id}/confirm`)
  await becomes('linked')
  gateway.kill('SIGTERM')
  await gateway.exited

  const files = readdirSync(place.dataDir).filter(name => name.startsWith('postern.db'))
  const stored = Buffer.concat(files.map(name => readFileSync(join(place.dataDir, name))))
  const logs = gateway.stdout() + gateway.stderr()
  expect(stored.includes(id)).toBe(true)
  expect(logs).toContain('"msg":"pairing.attended"')
  expect(secrets.length).toBe(11)
  for (const secret of secrets) {
    expect(stored.includes(secret), `${secret} in the database`).toBe(false)
    expect(logs.includes(secret), `${secret} in the log`).toBe(false)
  }
  place.remove()
})
