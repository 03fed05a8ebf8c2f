import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { inspect } from 'node:util'
import { type Simulator, startSimulator } from '../harness/simulator.ts'
import { Curve, initAuthCreds, makeWASocket } from 'baileys'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '../../src/runtime/clock.ts'
import { silenceLibrary } from '../../src/platform/whatsapp/engine/library.ts'
import { baseConfig, directRoute, mediaRouteOf } from '../../src/platform/whatsapp/engine/socket-config.ts'
import { createWhatsApp, type WhatsAppNetwork } from '../../src/platform/whatsapp/whatsapp.ts'

const verifyOfLibrary = Curve.verify

let simulator: Simulator
beforeAll(async () => {
  simulator = await startSimulator()
})
afterAll(() => simulator.close())

const create = (network: WhatsAppNetwork) =>
  createWhatsApp({
    clock: systemClock,
    network,
    ackTimeoutMs: 1_000,
    download: () => Promise.reject(new Error('not here')),
  })

/** The output of the Signal library when it closes a session, including private keys. */
function makeLibraryTalk(): void {
  const require = createRequire(import.meta.url)
  const SessionRecord = createRequire(require.resolve('baileys'))('libsignal/src/session_record.js')
  const session = {
    indexInfo: { closed: -1, baseKey: Buffer.from('base') },
    currentRatchet: { ephemeralKeyPair: { privKey: 'canary-private-key' } },
  }
  new SessionRecord().closeSession(session)
}

test('E14: no private key that the Signal library prints is logged; other output is', () => {
  const said: string[] = []
  const console_ = globalThis.console as unknown as Record<string, (...words: unknown[]) => void>
  const before = { ...console_ }
  for (const method of ['log', 'info', 'warn', 'error'])
    console_[method] = (...words) => void said.push(inspect(words, { depth: 9 }))
  try {
    makeLibraryTalk()
    expect(said.join()).toContain('canary-private-key')
    said.length = 0
    silenceLibrary()
    makeLibraryTalk()
    console_.info?.('our own words')
    expect(said.join()).not.toContain('canary-private-key')
    expect(said.join()).toContain('our own words')
  } finally {
    Object.assign(console_, before)
  }
})

test('the sandbox root is never trusted on a link to the real platform', async () => {
  await create({ kind: 'whatsapp' })
  const sock = makeWASocket({
    ...baseConfig({ kind: 'whatsapp' }, directRoute(mediaRouteOf({ kind: 'whatsapp' }, 1_000)), 15_000),
    waWebSocketUrl: simulator.url,
    auth: { creds: initAuthCreds(), keys: { get: async () => ({}), set: async () => {} } },
  })
  const outcome = await new Promise<string>(resolve => {
    sock.ev.on('connection.update', ({ qr, connection, lastDisconnect }) => {
      if (qr) resolve('accepted')
      if (connection === 'close') resolve(lastDisconnect?.error?.message ?? '')
    })
  })
  expect(outcome).toContain('certificate signature invalid')
})

test('a thread that serves one network refuses the other', async () => {
  const { url, rootKey, mediaCa, mediaHost } = simulator
  await expect(create({ kind: 'sandbox', url, rootKey, mediaCa, mediaHost })).rejects.toThrow(/another network/)
  await expect(create({ kind: 'whatsapp' })).resolves.toBeTruthy()
})

test('an unhandled rejection of the library does not end the process; any other does', async () => {
  const run = async (failing: string): Promise<{ code: number; out: string }> => {
    const script = `
      const { bindThread } = await import('${new URL('../../dist/platform/whatsapp/engine/library.js', import.meta.url).href}')
      const baileys = await import('baileys')
      bindThread({ kind: 'whatsapp' })
      ${failing}
      setTimeout(() => { process.stdout.write('alive'); process.exit(0) }, 200)`
    return new Promise(resolve => {
      execFile(process.execPath, ['--input-type=module', '-e', script], { cwd: process.cwd() }, (error, out) =>
        resolve({ code: typeof error?.code === 'number' ? error.code : 0, out }),
      )
    })
  }
  expect(await run(`void baileys.downloadContentFromMessage({}, 'image')`)).toEqual({ code: 0, out: 'alive' })
  const bundled = new URL('../../dist/bundled/', import.meta.url)
  const file = readdirSync(bundled).find(name => /^baileys-.*\.js$/.test(name))!
  const fromBundle = `
    const exported = Object.values(await import('${new URL(file, bundled).href}'))
    void exported.find(each => each?.name === 'prepareWAMessageMedia')({}, {})`
  expect(await run(fromBundle)).toEqual({ code: 0, out: 'alive' })
  expect(await run(`void Promise.reject(new Error('ours'))`)).toMatchObject({ code: 1, out: '' })
})

test('the library accepts any signature as valid; the gateway does not', () => {
  const pair = Curve.generateKeyPair()
  const other = Curve.generateKeyPair()
  const message = Buffer.from('message')
  const signature = Curve.sign(pair.private, message)
  expect(verifyOfLibrary(other.public, message, signature)).toBe(true)
  expect(Curve.verify(pair.public, message, signature)).toBe(true)
  expect(Curve.verify(Buffer.concat([Buffer.from([5]), pair.public]), message, signature)).toBe(true)
  expect(Curve.verify(other.public, message, signature)).toBe(false)
  expect(Curve.verify(pair.public, Buffer.from('massage'), signature)).toBe(false)
  const forged = Buffer.from(signature)
  forged[0]! ^= 1
  expect(Curve.verify(pair.public, message, forged)).toBe(false)
  expect(Curve.verify(pair.public, message, Buffer.alloc(3))).toBe(false)
})
