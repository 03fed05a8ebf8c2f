import { Deferred } from '../../src/runtime/deferred.ts'
import { startOpenSimulator } from '../harness/simulator.ts'
import { downloadMediaMessage, type WAMessage } from 'baileys'
import { Agent, request } from 'undici'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type Client, hidden, linkClient, openClient, prepareEngine, startClient, trust } from './simulator-client.ts'

const NUMBER = '999100200330'
const ALICE = '5511444440001'

let simulator: Awaited<ReturnType<typeof startOpenSimulator>>
const clients: Client[] = []

async function link(): Promise<Client> {
  const client = await linkClient(simulator, NUMBER, { keepAliveIntervalMs: 300 })
  clients.push(client)
  return client
}

async function open(client: Client): Promise<Client> {
  const again = await openClient(simulator, client.auth)
  clients.push(again)
  return again
}

const ackOf = (client: Client, id: string | null | undefined) =>
  client.stanzas.find(stanza => stanza.tag === 'ack' && stanza.attrs.class === 'message' && stanza.attrs.id === id)

const send = (client: Client, messageId: string) =>
  client.socket.sendMessage(hidden(simulator, ALICE), { text: messageId }, { messageId })

beforeAll(async () => {
  prepareEngine()
  simulator = await startOpenSimulator({ timing: { readDelayMs: 20 } })
  trust(simulator)
})
afterEach(async () => {
  for (const client of clients.splice(0)) await client.end()
  simulator.faults.logOut(NUMBER)
})
afterAll(() => simulator.close())

describe('An ack of the simulator', () => {
  test('can be withheld, and the same message sent again is one message on the phone', async () => {
    const client = await link()
    simulator.faults.withholdAcks(NUMBER)
    await send(client, '3EB0AA01')
    await send(client, '3EB0AA02')
    await client.waitFor(() => ackOf(client, '3EB0AA02'))
    expect(ackOf(client, '3EB0AA01')).toBeUndefined()
    expect(simulator.phone(ALICE).message('3EB0AA01')).toBeUndefined()
    await send(client, '3EB0AA02')
    const held = await simulator.until(() =>
      simulator
        .phone(ALICE)
        .inbox(NUMBER)
        .find(m => m.copies === 2),
    )
    expect(held.id).toBe('3EB0AA02')
  })

  test('can be an error', async () => {
    const client = await link()
    simulator.faults.rejectMessages(NUMBER, 479)
    await send(client, '3EB0AA03')
    expect((await client.waitFor(() => ackOf(client, '3EB0AA03'))).attrs.error).toBe('479')
  })

  test('can be late', async () => {
    const client = await link()
    const release = simulator.faults.holdAcks(NUMBER, 1)
    await send(client, '3EB0AA04')
    await send(client, '3EB0AA05')
    await client.waitFor(() => ackOf(client, '3EB0AA05'))
    release()
    await client.waitFor(() => ackOf(client, '3EB0AA04'))
    const acks = client.stanzas.filter(({ tag }) => tag === 'ack').map(({ attrs }) => attrs.id)
    expect(acks.indexOf('3EB0AA05')).toBeLessThan(acks.indexOf('3EB0AA04'))
  })
})

describe('The simulator', () => {
  test('can send a stanza twice', async () => {
    const client = await link()
    await simulator.until(() => simulator.numbers().every(n => n.devices.every(d => d.unacknowledged === 0)))
    simulator.faults.duplicate(NUMBER)
    const { id } = await simulator.phone(ALICE).sendTo(NUMBER, { type: 'text', text: 'twice' })
    await client.waitFor(() => client.stanzas.filter(s => s.tag === 'message' && s.attrs.id === id).length === 2)
  })

  test('can cut the link in the middle of the offline batch', async () => {
    const client = await link()
    await client.end()
    for (let n = 0; n < 5; n += 1) await simulator.phone(ALICE).sendTo(NUMBER, { type: 'text', text: `${n}` })
    simulator.faults.cutAfter(NUMBER, 2)
    const cut = startClient(simulator, client.auth)
    expect(await cut.closed).toBe(428)
    expect(cut.stanzas.some(s => s.tag === 'ib' && JSON.stringify(s).includes('"offline"'))).toBe(false)
    const again = await open(client)
    await again.waitFor(() => again.stanzas.filter(s => s.tag === 'message').length >= 3)
  })
})

describe('The offline queue', () => {
  test('sends no more stanzas than the client requested', async () => {
    const client = await link()
    await simulator.until(() => simulator.numbers().every(n => n.devices.every(d => d.unacknowledged === 0)))
    await client.end()
    for (let n = 0; n < 103; n += 1) await simulator.phone(ALICE).sendTo(NUMBER, { type: 'text', text: `${n}` })
    const again = await open(client)
    const messages = () => again.stanzas.filter(s => s.tag === 'message').length
    const isOver = () => again.stanzas.some(s => s.tag === 'ib' && JSON.stringify(s).includes('"offline"'))
    await again.waitFor(() => messages() === 100)
    expect(isOver()).toBe(false)
    const more = { tag: 'offline_batch', attrs: { count: '200' } }
    await again.socket.sendNode({ tag: 'ib', attrs: {}, content: [more] })
    await again.waitFor(isOver)
    expect(messages()).toBe(103)
  })
})

describe('The link to the simulator', () => {
  test.each([
    ['restart', 515],
    ['device_removed', 401],
    ['replaced', 440],
    ['unavailable', 503],
  ] as const)('can end with %s', async (kind, code) => {
    const client = await link()
    simulator.faults.streamError(NUMBER, kind)
    expect(await client.closed).toBe(code)
    if (kind === 'device_removed') await expect(open(client)).rejects.toMatchObject({ output: { statusCode: 401 } })
    else await open(client)
  })

  test('ends when a second login replaces the first', async () => {
    const client = await link()
    await open(client)
    expect(await client.closed).toBe(440)
  })

  test.each([403, 405, 503])('can fail at the login with %i', async reason => {
    const client = await link()
    await client.end()
    simulator.faults.failLogins(NUMBER, reason)
    expect(await startClient(simulator, client.auth).closed).toBe(reason)
    await open(client)
  })

  test('can be cut and then refused for some time', async () => {
    const client = await link()
    simulator.faults.cut(NUMBER, 60_000)
    expect(await client.closed).toBe(428)
    await expect(open(client)).rejects.toThrow()
    simulator.faults.cut(NUMBER)
    await open(client)
  })

  test('can be refused', async () => {
    const client = await link()
    await client.end()
    simulator.faults.refuseConnections(60_000)
    await expect(open(client)).rejects.toThrow()
    simulator.faults.refuseConnections(0)
    await open(client)
  })

  test('can become silent, until the client notices', async () => {
    const client = await link()
    simulator.faults.silence(NUMBER)
    expect(await client.closed).toBe(408)
    await open(client)
  })

  test('is refused to a device that was logged out while it was offline', async () => {
    const client = await link()
    await client.end()
    simulator.faults.logOut(NUMBER)
    await expect(open(client)).rejects.toMatchObject({ output: { statusCode: 401 } })
  })
})

describe('Media of the simulator', () => {
  const dispatcher = (): Agent => new Agent({ connect: { ca: simulator.mediaCa } })
  const download = (message: WAMessage): Promise<Buffer> =>
    downloadMediaMessage(message, 'buffer', { options: { dispatcher: dispatcher() } as never })

  async function arrived(client: Client): Promise<WAMessage> {
    const { id } = await simulator.phone(ALICE).sendTo(NUMBER, { type: 'image', data: Buffer.alloc(1000, 1) })
    return client.waitFor(() => client.messages.find(m => m.key.id === id && m.message))
  }

  test.each([404, 410, 500])('can be answered with %i', async status => {
    const message = await arrived(await link())
    simulator.faults.media({ kind: 'status', status })
    await expect(download(message)).rejects.toMatchObject({ output: { statusCode: status } })
    expect(await download(message)).toHaveLength(1000)
  })

  test('can be cut, corrupt or slow', async () => {
    const message = await arrived(await link())
    simulator.faults.media({ kind: 'cut', afterBytes: 100 })
    const { statusCode, body } = await request(message.message!.imageMessage!.url!, { dispatcher: dispatcher() })
    expect(statusCode).toBe(200)
    await expect(body.arrayBuffer()).rejects.toThrow()
    simulator.faults.media({ kind: 'corrupt' })
    const corrupt = await download(message).catch(() => Buffer.alloc(0))
    expect(corrupt.equals(Buffer.alloc(1000, 1))).toBe(false)
    const released = new Deferred<void>()
    simulator.faults.media({ kind: 'hold', until: released.promise })
    let isSlowThere = false
    const slow = download(message).finally(() => (isSlowThere = true))
    await simulator.until(() => simulator.network.faults.media.length === 0)
    expect(await download(message)).toHaveLength(1000)
    expect(isSlowThere).toBe(false)
    released.resolve()
    expect(await slow).toHaveLength(1000)
  })

  test('can be withdrawn, and is uploaded again by the phone on request', async () => {
    const client = await link()
    const message = await arrived(client)
    simulator.faults.withdrawMedia(message.message!.imageMessage!.directPath!, 410)
    await expect(download(message)).rejects.toMatchObject({ output: { statusCode: 410 } })
    await client.socket.refreshMediaConn()
    const updated = await client.socket.updateMediaMessage(message)
    expect(await download(updated)).toHaveLength(1000)
  })

  test('can be lost permanently', async () => {
    const client = await link()
    const message = await arrived(client)
    simulator.faults.withdrawMedia(message.message!.imageMessage!.directPath!, 404, true)
    await expect(client.socket.updateMediaMessage(message)).rejects.toThrow()
  })
})
