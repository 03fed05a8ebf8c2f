import { createServerKeys } from '@postern/simulator/wire/certificate'
import { startSimulator } from '../harness/simulator.ts'
import { textOfMessage } from '@postern/simulator/phone/message-text'
import { initAuthCreds, makeWASocket } from 'baileys'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Clock, systemClock } from '../../src/runtime/clock.ts'
import { makePlatformId } from '../../src/domain/ids.ts'
import { type PairingStep, type Platform, PlatformError } from '../../src/platform/platform.ts'
import { baseConfig, directRoute, mediaRouteOf } from '../../src/platform/whatsapp/engine/socket-config.ts'
import type { WhatsAppOptions } from '../../src/platform/whatsapp/options.ts'
import { createWhatsApp } from '../../src/platform/whatsapp/whatsapp.ts'
import { createDeviceStorage } from '../harness/device-storage.ts'
import { PairingAttempt } from '../harness/pairing-attempt.ts'
import { startRelay } from '../harness/relay.ts'
import { hostDevice, type Hosted, type Rig, startRig, text } from '../harness/whatsapp-rig.ts'

/** A replaced link waits for at least half of this; nothing else waits about as long, not even the expiry of a code. */
const REPLACED_MS = 3_600_000
/** The wait of a replaced connection, which passes immediately. */
const waits: number[] = []
const clock: Clock = {
  ...systemClock,
  sleep: async (ms, signal) => {
    const isReplaced = ms >= REPLACED_MS / 2 && ms <= REPLACED_MS
    if (isReplaced) waits.push(ms)
    await systemClock.sleep(isReplaced ? 20 : ms, signal)
  },
}

let rig: Rig
let number: Hosted
beforeAll(async () => {
  const backoff = { lost: [20, 200], replaced: [REPLACED_MS, REPLACED_MS] } as const
  rig = await startRig({ platform: { clock, keepAliveIntervalMs: 400, backoff } })
  number = await rig.link('999100000001')
})
afterAll(() => rig.close())

const quiet = baseConfig({ kind: 'whatsapp' }, directRoute(mediaRouteOf({ kind: 'whatsapp' }, 1_000)), 1_000).logger
const states = (hosted: Hosted) => hosted.links.map(link => link.state)

/** The engine by another route to the same network, or to none. */
async function platformAt(url: string, options: Partial<WhatsAppOptions> = {}): Promise<Platform> {
  const { rootKey, mediaCa, mediaHost } = rig.simulator
  return await createWhatsApp({
    clock: systemClock,
    network: { kind: 'sandbox', url, rootKey, mediaCa, mediaHost },
    download: () => Promise.reject(new Error('nothing is downloaded here')),
    ackTimeoutMs: 1_000,
    ...options,
  })
}

test('a number is paired by QR, and texts arrive in both directions', async () => {
  const contact = rig.simulator.phone('5511888880000')
  contact.name = 'Ana'
  await expect(number.send(contact.jid, text('hello'))).resolves.toMatchObject({ kind: 'sent' })
  await rig.simulator.until(() => contact.inbox().length === 1)
  expect(textOfMessage(contact.inbox()[0]!.message)).toBe('hello')
  await contact.sendTo(number.jid, { type: 'text', text: 'good day' })
  const event = await number.until(() => number.events[0])
  expect(event).toMatchObject({ kind: 'message', text: 'good day', sender_jid: contact.jid, sender_name: 'Ana' })
  await number.until(() => number.receipts[0]?.type === 'delivered')
})

test('a number is paired by a code entered on the phone', async () => {
  const attempt = new PairingAttempt(rig.platform, { method: 'code', phone: '999100000002' })
  const { code } = await attempt.step('code')
  await rig.simulator.linkByCode('999100000002', code)
  const device = await attempt.linked
  expect(device).toMatchObject({ sessionId: '999100000002@s.whatsapp.net', phone: '999100000002' })
  expect(attempt.kinds).toEqual(['code', 'scanned'])
  const hosted = rig.host(device)
  await hosted.open()
  await hosted.close()
})

test('pairing ends when it is cancelled', async () => {
  const cancel = new AbortController()
  const pairing = rig.platform.pair({ method: 'qr' }, () => cancel.abort(new Error('cancelled')), cancel.signal)
  await expect(pairing).rejects.toThrow('cancelled')
})

test('a pairing that is cancelled after the phone has accepted returns the device, so that it can be removed again', async () => {
  const digits = '999100000042'
  const cancel = new AbortController()
  const device = await rig.platform.pair(
    { method: 'qr' },
    step => {
      if (step.kind === 'qr') rig.simulator.linkByQr(step.qr, digits).catch(() => {})
      if (step.kind === 'scanned') cancel.abort(new Error('cancelled'))
    },
    cancel.signal,
  )
  expect(device).toMatchObject({ phone: digits })
  await rig.platform.discard(device, new AbortController().signal)
})

test('a pairing that cannot reach the platform reports that, and continues when it can', async () => {
  const gone = await startSimulator()
  const { url } = gone
  await gone.close()
  const platform = await platformAt(url)
  const cancel = new AbortController()
  const steps: PairingStep[] = []
  const onStep = (step: PairingStep): void => {
    steps.push(step)
    if (steps.length === 2) cancel.abort(new Error('cancelled'))
  }
  await expect(platform.pair({ method: 'qr' }, onStep, cancel.signal)).rejects.toThrow('cancelled')
  expect(steps).toEqual(Array(2).fill({ kind: 'trouble', why: 'the platform cannot be reached' }))
})

test('a send that was abandoned before it began is not sent', async () => {
  const contact = rig.simulator.phone('5511888880044')
  const outgoing = { content: text('too late'), quote: null }
  const given = { kind: 'send', messageId: 'msg_1', platformId: makePlatformId(), to: contact.jid, outgoing } as const
  const sending = number.session.execute(given, AbortSignal.abort())
  await expect(sending).rejects.toMatchObject({ failure: { kind: 'link_down' } })
  await number.send(contact.jid, text('in time'))
  await rig.simulator.until(() => contact.inbox().length > 0)
  expect(contact.inbox().map(held => textOfMessage(held.message))).toEqual(['in time'])
})

test('a short drop is followed by a new connection', async () => {
  number.links.length = 0
  rig.simulator.faults.cut(number.jid)
  await number.until(() => states(number).join() === 'closed,open')
})

test('a restart that the platform requests publishes no event', async () => {
  number.links.length = 0
  rig.simulator.faults.streamError(number.jid, 'restart')
  await number.until(() => states(number).join() === 'open')
})

test('a link that is open but dead is detected and replaced', async () => {
  number.links.length = 0
  rig.simulator.faults.silence(number.jid)
  await number.until(() => states(number).join() === 'closed,open')
})

test('a login that the platform accepts without any further response is abandoned and retried', async () => {
  const url = new URL(rig.simulator.url)
  const relay = await startRelay(Number(url.port))
  url.port = String(relay.port)
  const backoff = { lost: [20, 200], replaced: [REPLACED_MS, REPLACED_MS] } as const
  const platform = await platformAt(url.href, { answerTimeoutMs: 2_000, backoff })
  const device = await rig.pair('999100000015')
  relay.silence()
  const waiting = hostDevice(platform, device, createDeviceStorage(device))
  await waiting.until(() => waiting.links.length > 0)
  expect(waiting.links[0]).toMatchObject({ state: 'closed', reason: 'the platform did not answer' })
  relay.resume()
  await waiting.until(() => waiting.links.at(-1)?.state === 'open')
  await waiting.close()
  await relay.close()
})

/** Longer than any lost link stays down. */
const aWhile = async () => {
  const other = await rig.link('999100000010')
  rig.simulator.faults.cut(other.jid, 500)
  await other.until(() => other.links.at(-1)?.state === 'closed')
  await other.open()
  await other.close()
}

test('a connection that another process has taken over is not reclaimed', async () => {
  number.links.length = 0
  waits.length = 0
  rig.simulator.faults.streamError(number.jid, 'replaced')
  await number.until(() => states(number).join() === 'closed,open')
  expect(number.links[0]).toMatchObject({ state: 'closed', reason: expect.stringContaining('another process') })
  expect(waits).toHaveLength(1)
})

test('commands wait for a link that is down without spending an attempt', async () => {
  rig.simulator.faults.cut(number.jid, 60_000)
  await number.until(() => number.links.at(-1)?.state === 'closed')
  const failure = await number.send('5511888880000@s.whatsapp.net', text('x')).catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(PlatformError)
  expect((failure as PlatformError).failure.kind).toBe('link_down')
  rig.simulator.faults.cut(number.jid, 0)
  await number.open()
})

test('a version that the platform no longer accepts is not retried automatically, and is tried once more after a restart', async () => {
  number.links.length = 0
  rig.simulator.faults.failLogins(number.jid, 405, 1)
  rig.simulator.faults.cut(number.jid)
  await number.until(() => number.links.some(link => link.state === 'closed' && /version/.test(link.reason)))
  await aWhile()
  expect(number.links.at(-1)?.state).toBe('closed')
  await number.close()
  number = rig.host(number.device, number.storage)
  await number.open()
})

test('a device that was removed on the phone is logged out', async () => {
  const hosted = await rig.link('999100000003')
  rig.simulator.faults.logOut(hosted.jid)
  await hosted.until(() => hosted.links.at(-1)?.state === 'logged_out')
})

test('a number that the platform has banned is logged out, with a readable reason', async () => {
  const hosted = await rig.link('999100000004')
  rig.simulator.faults.failLogins(hosted.jid, 403, 1)
  rig.simulator.faults.cut(hosted.jid)
  await hosted.until(() => hosted.links.at(-1)?.state === 'logged_out')
  expect(hosted.links.at(-1)).toMatchObject({ reason: expect.stringContaining('banned') })
})

test('unlinking removes the device on the platform', async () => {
  const hosted = await rig.link('999100000005')
  await hosted.session.unlink()
  expect(hosted.links.at(-1)?.state).toBe('logged_out')
  await rig.simulator.until(() => !rig.simulator.numbers().some(({ digits }) => digits === '999100000005'))
})

test('a device that was linked and is not wanted is removed from the phone again, and its number stays', async () => {
  const kept = await rig.link('999100000007')
  const second = await rig.pair('999100000007')
  const devices = () => rig.simulator.numbers().find(({ jid }) => jid === kept.jid)?.devices.length
  expect(devices()).toBe(2)
  await rig.platform.discard(second, new AbortController().signal)
  expect(devices()).toBe(1)
  await expect(kept.send('5511888880000@s.whatsapp.net', text('still here'))).resolves.toMatchObject({ kind: 'sent' })
  await rig.platform.discard(second, new AbortController().signal)
})

test('what a device received can be read from its storage alone, without a link', async () => {
  const hosted = await rig.link('999100000008')
  hosted.paused = true
  const ana = rig.simulator.phone('5511888880002')
  const { id } = await ana.sendTo(hosted.jid, { type: 'image', size: 300, caption: 'look' }, { addressing: 'lid' })
  const item = await hosted.until(() => [...hosted.storage.inbox.values()].find(({ key }) => key.endsWith(id)))
  rig.simulator.faults.logOut(hosted.jid)
  await hosted.until(() => hosted.links.at(-1)?.state === 'logged_out')
  const reader = rig.platform.readOffline(hosted.device, hosted.storage)
  const meaning = await reader.interpret(item, new AbortController().signal)
  expect(meaning).toMatchObject({
    kind: 'events',
    events: [{ message_id: id, text: 'look', sender_jid: ana.jid, media: { status: 'downloaded' } }],
  })
})

test('a server with another root of trust is refused', async () => {
  const stranger = await startSimulator({ serverKeys: createServerKeys() })
  const sock = makeWASocket({
    auth: { creds: initAuthCreds(), keys: { get: async () => ({}), set: async () => {} } },
    logger: quiet,
    waWebSocketUrl: stranger.url,
  })
  const ended = await new Promise<string | undefined>(resolve => {
    sock.ev.on('connection.update', ({ connection, lastDisconnect, qr }) => {
      if (qr) resolve('accepted')
      if (connection === 'close') resolve(lastDisconnect?.error?.message)
    })
  })
  expect(ended).toContain('certificate signature invalid')
  await stranger.close()
})

test('nothing is emitted or written after closing', async () => {
  const hosted = await rig.link('999100000006')
  await hosted.close()
  const before = { links: hosted.links.length, commits: hosted.storage.commits.length }
  await rig.simulator.phone('5511888880001').sendTo(hosted.jid, { type: 'text', text: 'late' })
  await rig.simulator.until(() =>
    rig.simulator.numbers().some(({ jid, devices }) => jid === hosted.jid && (devices[0]?.unacknowledged ?? 0) > 0),
  )
  expect({ links: hosted.links.length, commits: hosted.storage.commits.length }).toEqual(before)
})
