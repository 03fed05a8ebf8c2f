import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Simulator } from '../../src/simulator/simulator.ts'
import { startSimulator } from '../../src/simulator/simulator.ts'
import type { Client } from './simulator-client.ts'
import { linkClient, linkClientByCode, openClient, prepareEngine, trust } from './simulator-client.ts'

const NUMBER = '999100200300'

let simulator: Simulator
const clients: Client[] = []

async function link(digits = NUMBER): Promise<Client> {
  const client = await linkClient(simulator, digits)
  clients.push(client)
  return client
}

beforeAll(async () => {
  prepareEngine()
  simulator = await startSimulator({ timing: { readDelayMs: 20 } })
  trust(simulator)
})
afterEach(async () => {
  for (const client of clients.splice(0)) await client.end()
})
afterAll(() => simulator.close())

describe('linking', () => {
  test('a client is linked by QR and opens', async () => {
    const client = await link()
    expect(client.auth.creds.me?.id).toMatch(/^999100200300:\d+@s\.whatsapp\.net$/)
    expect(simulator.numbers().map(number => number.digits)).toContain(NUMBER)
  })

  test('a client is linked by a code typed on the phone', async () => {
    const client = await linkClientByCode(simulator, '999100200301')
    clients.push(client)
    expect(client.auth.creds.me?.id).toMatch(/^999100200301:/)
  })

  test('a server with another root is refused', async () => {
    const other = await startSimulator()
    await expect(linkClient(other, NUMBER)).rejects.toThrow()
    await other.close()
  })
})

describe('messages', () => {
  test('a text to a phone is decrypted there, acknowledged, delivered and read', async () => {
    const client = await link()
    const sent = await client.socket.sendMessage('5511888880000@s.whatsapp.net', { text: 'hello phone' })
    const id = sent?.key.id ?? ''
    const held = await simulator.until(() => simulator.phone('5511888880000').message(id))
    expect(held.message.extendedTextMessage?.text).toBe('hello phone')
    const ack = await client.waitFor(() => client.stanzas.find(s => s.tag === 'ack' && s.attrs.id === id))
    expect(ack.attrs).toMatchObject({ class: 'message', from: '5511888880000@s.whatsapp.net' })
    const types = () => client.stanzas.filter(s => s.tag === 'receipt' && s.attrs.id === id).map(s => s.attrs.type)
    await client.waitFor(() => types().includes(undefined as never) && types().includes('read'))
  })

  test('a text from a phone arrives', async () => {
    const client = await link()
    const phone = simulator.phone('5511888880001')
    phone.name = 'Alice'
    const { id } = await phone.sendTo(NUMBER, { type: 'text', text: 'hello client' })
    const message = await client.waitFor(() => client.messages.find(m => m.key.id === id))
    expect(message.message?.conversation).toBe('hello client')
    expect(message.pushName).toBe('Alice')
    await simulator.until(() => phone.tick(id, NUMBER) === 'delivered')
  })

  test('what was sent while the client was away arrives when it is back', async () => {
    const client = await link()
    await client.end()
    const phone = simulator.phone('5511888880002')
    const { id } = await phone.sendTo(NUMBER, { type: 'text', text: 'while away' })
    const again = await openClient(simulator, client.auth)
    clients.push(again)
    const message = await again.waitFor(() => again.messages.find(m => m.key.id === id))
    expect(message.message?.conversation).toBe('while away')
    expect(again.stanzas.find(s => s.attrs.id === id)?.attrs.offline).toBeDefined()
    await simulator.until(() =>
      simulator.numbers().every(n => n.devices.every(d => !d.connected || d.unacknowledged === 0)),
    )
  })
})
