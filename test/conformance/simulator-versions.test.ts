import { once } from 'node:events'
import { request } from 'node:https'
import { type Simulator, startSimulator } from '../harness/simulator.ts'
import { text } from 'node:stream/consumers'
import type { IncomingMessage } from 'node:http'
import { DEFAULT_CONNECTION_CONFIG, proto } from 'baileys'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { linkClient, openClient, prepareEngine, showCode, startClient, trust } from './simulator-client.ts'

/** The sandbox accepts no version of the web client that the platform would not accept. */

let simulator: Simulator
beforeAll(async () => {
  prepareEngine()
  simulator = await startSimulator()
  trust(simulator)
})
afterAll(() => simulator.close())

const BUILT_IN = DEFAULT_CONNECTION_CONFIG.version as [number, number, number]
/** Too old for linking, but accepted at a login. */
const older = (): [number, number, number] => [2, 3000, 1_046_600_000]

test('a client as old as the library is refused with 405, whether it is linked or not', async () => {
  const unlinked = showCode(simulator, { version: BUILT_IN })
  expect(await unlinked.client.closed).toBe(405)
  const { auth, end } = await linkClient(simulator, '999560000001')
  await end()
  expect(await startClient(simulator, auth, { version: BUILT_IN }).closed).toBe(405)
})

test('a client that is slightly older still logs in; it is shown codes, which the phone rejects without notifying the client', async () => {
  const { auth, end } = await linkClient(simulator, '999560000002')
  await end()
  const again = await openClient(simulator, auth, { version: older() })
  await again.end()
  const shown = showCode(simulator, { version: older() })
  await expect(simulator.linkByQr(await shown.qr, '999560000003')).rejects.toThrow(/too old/)
  expect(shown.client.stanzas).toEqual([])
  await shown.client.end()
})

test('the phone rejects a client whose build does not belong to its version', async () => {
  const { fromObject } = proto.ClientPayload
  const forging = vi.spyOn(proto.ClientPayload, 'fromObject').mockImplementation(object => {
    const data = object['devicePairingData'] as { buildHash?: Uint8Array } | undefined
    if (data) data.buildHash = Buffer.alloc(16)
    return fromObject(object)
  })
  const shown = showCode(simulator)
  await expect(simulator.linkByQr(await shown.qr, '999560000004')).rejects.toThrow(/too old/)
  forging.mockRestore()
  await shown.client.end()
})

async function get(path: string, headers: Record<string, string>): Promise<{ status: number; body: string }> {
  const asked = request(`https://${simulator.mediaHost}${path}`, { ca: simulator.mediaCa, headers }).end()
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  return { status: answer.statusCode ?? 0, body: await text(answer) }
}

test('the page names the version only to browsers, and the list names it to all clients', async () => {
  const revision = String(simulator.clientVersion[2])
  const browser = { 'user-agent': 'Mozilla/5.0', 'sec-fetch-site': 'none' }
  expect((await get('/sw.js', browser)).body).toContain(`client_revision\\":${revision}`)
  expect((await get('/sw.js', { 'user-agent': 'Postern', 'sec-fetch-site': 'none' })).status).toBe(400)
  expect((await get('/sw.js', { 'user-agent': 'Mozilla/5.0' })).status).toBe(400)
  expect(JSON.parse((await get('/wa-version/versions.json', {})).body)).toMatchObject({
    currentVersion: `2.3000.${revision}-alpha`,
  })
})
