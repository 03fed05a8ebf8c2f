import { afterEach, expect, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { type Gateway, startGateway } from '../../src/gateway.ts'
import { addSandboxNumber } from '../../src/actions/add-sandbox-number.ts'
import { makeId } from '../../src/domain/ids.ts'
import { newPlace, type Place } from '../harness/stores.ts'

let gateway: Gateway | undefined
let place: Place | undefined
afterEach(async () => {
  await gateway?.stop()
  place?.remove()
})

const addressOf = async (env: Record<string, string>): Promise<URL> => {
  place = await newPlace('sqlite')
  const roles = { POSTERN_ROLES: 'api,worker,simulator', POSTERN_PORT: '0', POSTERN_LOG_LEVEL: 'silent' }
  gateway = await startGateway(readConfig({ ...place.env, ...roles, ...env }))
  const { context } = gateway
  const id = makeId('acc')
  await context.store.accounts.createAccount({
    id,
    name: 'test',
    plan: 'max',
    limitOverrides: {},
    acceptTosVersion: '2026-01',
    user: null,
    key: null,
  })
  await addSandboxNumber(context, { accountId: id, phone: null, label: '' })
  return new URL((await context.store.simulator.readSimulatorAddress())!.url)
}

test('the sandbox network listens only on loopback, even if the gateway listens on every address', async () => {
  const { hostname } = await addressOf({ POSTERN_HOST: '0.0.0.0' })
  expect(hostname).toBe('127.0.0.1')
})

test('POSTERN_SANDBOX_HOST sets the address that workers connect to', async () => {
  const { hostname } = await addressOf({ POSTERN_SANDBOX_HOST: '127.0.0.2' })
  expect(hostname).toBe('127.0.0.2')
})
