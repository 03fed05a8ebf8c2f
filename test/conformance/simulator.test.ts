import { createServerKeys } from '@postern/simulator/wire/certificate'
import { type Simulator, startSimulator } from '../harness/simulator.ts'
import { type BinaryNode, jidDecode } from 'baileys'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import {
  type Client,
  goOnline,
  hidden,
  linkClient,
  linkClientByCode,
  openClient,
  prepareEngine,
  trust,
} from './simulator-client.ts'

const NUMBER = '999100200300'

let simulator: Simulator
const clients: Client[] = []

async function link(digits = NUMBER): Promise<Client> {
  const client = await linkClient(simulator, digits)
  clients.push(client)
  return client
}

async function open(client: Client): Promise<Client> {
  const again = await openClient(simulator, client.auth)
  clients.push(again)
  return again
}

const jid = (digits: string): string => `${digits}@s.whatsapp.net`

function receipts(client: Client, id: string): string[] {
  const found = client.stanzas.filter(stanza => stanza.tag === 'receipt' && stanza.attrs.id === id)
  return found.map(stanza => stanza.attrs.type ?? 'delivered')
}

function ackOf(client: Client, id: string | null | undefined) {
  return client.stanzas.find(stanza => stanza.tag === 'ack' && stanza.attrs.id === id)
}

/** Queries the server for keys; returns the first part of the answer. */
async function ask(client: Client, content: BinaryNode[]): Promise<BinaryNode | undefined> {
  const attrs = { to: 's.whatsapp.net', type: 'get', xmlns: 'encrypt' }
  const result = (await client.socket.query({ tag: 'iq', attrs, content })) as BinaryNode
  return (result.content as BinaryNode[])[0]
}

const unacknowledged = (digits: string): number =>
  simulator
    .numbers()
    .filter(number => number.digits === digits)
    .flatMap(number => number.devices.filter(device => device.connected))
    .reduce((sum, device) => sum + device.unacknowledged, 0)

beforeAll(async () => {
  prepareEngine()
  simulator = await startSimulator({ timing: { readDelayMs: 20 } })
  trust(simulator)
})
afterEach(async () => {
  for (const client of clients.splice(0)) await client.end()
  simulator.faults.logOut(NUMBER)
})
afterAll(() => simulator.close())

describe('Linking with the simulator', () => {
  test('a client is linked by QR, opens, and has its prekeys on the server', async () => {
    const client = await link()
    expect(client.auth.creds.me?.id).toMatch(/^999100200300:\d+@s\.whatsapp\.net$/)
    expect(client.auth.creds.me?.lid).toMatch(/^\d{15}:\d+@lid$/)
    expect(Number((await ask(client, [{ tag: 'count', attrs: {} }]))?.attrs.value)).toBeGreaterThan(800)
  })

  test('a client is linked by a code entered on the phone', async () => {
    const client = await linkClientByCode(simulator, '999100200301')
    clients.push(client)
    expect(client.auth.creds.me?.id).toMatch(/^999100200301:/)
  })

  test('a wrong code does not link', async () => {
    await expect(linkClientByCode(simulator, '999100200302', () => 'WRONGCOD')).rejects.toThrow('the code is wrong')
    expect(simulator.numbers().map(number => number.digits)).not.toContain('999100200302')
  })

  test('a code that no client shows does not link, and a client that leaves ends its pairing', async () => {
    await expect(simulator.linkByQr('2@nobody,a,b,c', NUMBER)).rejects.toThrow('no client shows this code')
    await expect(linkClientByCode(simulator, '999100200303', code => code, true)).rejects.toThrow(
      'the client has disconnected',
    )
  })

  test('a server with another root is refused', async () => {
    const other = await startSimulator({ serverKeys: createServerKeys() })
    await expect(linkClient(other, NUMBER)).rejects.toThrow('pairing ended')
    await other.close()
  })

  test('keys, history and the name of the phone reach a new device', async () => {
    simulator.phone(NUMBER).name = 'The Shop'
    const client = await link()
    await client.waitFor(() => client.auth.creds.myAppStateKeyId)
    await client.waitFor(() => client.auth.creds.accountSyncCounter > 0)
    await client.waitFor(() => client.auth.creds.me?.name === 'The Shop')
    await simulator.until(() => unacknowledged(NUMBER) === 0)
  })

  test('the library reads and changes the settings of chats that the phone shares', async () => {
    const contact = '5511888880011'
    const phone = simulator.phone(NUMBER)
    const client = await link()
    await client.waitFor(() => client.auth.creds.myAppStateKeyId)
    const { jid } = simulator.phone(contact)
    // The library fetches snapshots from WhatsApp's own servers, so its change comes first.
    await client.socket.chatModify({ pin: true }, jid)
    expect(phone.chat(contact).pinned).toBe(true)
    await phone.changeChat(contact, { archived: true, pinned: false }, 'pn')
    expect(phone.chat(contact).pinned).toBe(false)
    await client.socket.chatModify({ pin: true }, jid)
    expect(phone.chat(contact)).toMatchObject({ archived: true, pinned: true })
    await simulator.until(() => unacknowledged(NUMBER) === 0)
  })

  test('the signed prekey is rotated', async () => {
    const client = await link()
    await client.socket.rotateSignedPreKey()
    const { id } = await simulator.phone('5511888880009').sendTo(NUMBER, { type: 'text', text: 'after rotation' })
    const message = await client.waitFor(() => client.messages.find(m => m.key.id === id))
    expect(message.message?.conversation).toBe('after rotation')
  })

  test('a device whose prekeys run low is notified, and uploads more', async () => {
    const client = await link()
    const left = async (): Promise<number> => Number((await ask(client, [{ tag: 'count', attrs: {} }]))?.attrs.value)
    const user = { tag: 'user', attrs: { jid: client.auth.creds.me!.id } }
    const spare = await left()
    await ask(client, [{ tag: 'key', attrs: {}, content: Array.from({ length: spare - 4 }, () => user) }])
    await client.waitFor(() => client.stanzas.find(s => s.tag === 'notification' && s.attrs.type === 'encrypt'))
    await simulator.until(() => unacknowledged(NUMBER) === 0)
    expect(await left()).toBeGreaterThan(4)
  })

  test('a logged-out client cannot reconnect', async () => {
    const client = await link()
    await client.socket.logout()
    await expect(openClient(simulator, client.auth)).rejects.toMatchObject({ output: { statusCode: 401 } })
  })
})

describe('Messages of the simulator', () => {
  test('a text to a phone is decrypted there, acknowledged, delivered and read', async () => {
    const client = await link()
    const sent = await client.socket.sendMessage(hidden(simulator, '5511888880000'), { text: 'hello phone' })
    const id = sent?.key.id ?? ''
    const held = await simulator.until(() => simulator.phone('5511888880000').message(id))
    expect(held.message.extendedTextMessage?.text).toBe('hello phone')
    const ack = await client.waitFor(() => ackOf(client, id))
    expect(ack.attrs).toMatchObject({ class: 'message', from: hidden(simulator, '5511888880000') })
    expect(Number(ack.attrs.t)).toBeGreaterThan(1.7e9)
    await client.waitFor(() => receipts(client, id).includes('read'))
    expect(receipts(client, id)).toEqual(['sender', 'delivered', 'read'])
  })

  test('the number’s own phone gets a copy of what a device sends', async () => {
    const client = await link()
    const sent = await client.socket.sendMessage(hidden(simulator, '5511888880000'), { text: 'copied' })
    const own = simulator.phone(NUMBER)
    const held = await simulator.until(() => own.message(sent?.key.id ?? ''))
    expect(held).toMatchObject({ fromMe: true, chat: '5511888880000' })
  })

  test('a text from a phone arrives and is ticked', async () => {
    const client = await link()
    goOnline(client)
    const phone = simulator.phone('5511888880001')
    phone.name = 'Alice'
    const { id } = await phone.sendTo(NUMBER, { type: 'text', text: 'hello client' })
    const message = await client.waitFor(() => client.messages.find(m => m.key.id === id))
    expect(message.message?.conversation).toBe('hello client')
    expect(message.pushName).toBe('Alice')
    await simulator.until(() => phone.tick(id, NUMBER) === 'delivered')
    await client.socket.readMessages([message.key])
    await simulator.until(() => phone.tick(id, NUMBER) === 'read')
  })

  test('one receipt marks all messages of a chat as read', async () => {
    const client = await link()
    const phone = simulator.phone('5511777770201')
    const ids: string[] = []
    for (const text of ['one', 'two', 'three']) {
      ids.push((await client.socket.sendMessage(phone.lid, { text }))?.key.id ?? '')
    }
    await simulator.until(() => ids.every(id => phone.message(id)))
    phone.read(NUMBER)
    const read = await client.waitFor(() => client.stanzas.find(s => s.tag === 'receipt' && s.attrs.type === 'read'))
    expect(read.attrs.id).toBe(ids[0])
    expect(read.content).toMatchObject([{ tag: 'list', content: ids.slice(1).map(id => ({ attrs: { id } })) }])
    await simulator.until(() => unacknowledged(NUMBER) === 0)
  })

  test('a phone sends its history to its devices', async () => {
    const client = await link()
    await simulator.phone('5511888880008').sendTo(NUMBER, { type: 'text', text: 'old news' })
    simulator.phone(NUMBER).sendHistory()
    const known = () => client.history.flatMap(set => set.messages).map(message => message.message?.conversation)
    await client.waitFor(() => known().includes('old news'))
  })

  test('a conversation continues in both directions, by number and by hidden identifier', async () => {
    const client = await link()
    const phone = simulator.phone('5511888880003')
    for (const addressing of ['pn', 'lid', 'pn', 'lid'] as const) {
      const { id } = await phone.sendTo(NUMBER, { type: 'text', text: `ping ${addressing}` }, { addressing })
      const message = await client.waitFor(() => client.messages.find(m => m.key.id === id))
      expect(message.message?.conversation).toBe(`ping ${addressing}`)
      expect(message.key.remoteJidAlt).toBe(addressing === 'lid' ? phone.jid : phone.lid)
      const answer = await client.socket.sendMessage(phone.lid, { text: 'pong' })
      await simulator.until(() => phone.message(answer?.key.id ?? ''))
    }
  })

  test('two linked numbers write to each other', async () => {
    const first = await link()
    const second = await link('999100200399')
    const sent = await first.socket.sendMessage(hidden(simulator, '999100200399'), { text: 'between numbers' })
    const id = sent?.key.id ?? ''
    const message = await second.waitFor(() => second.messages.find(m => m.key.id === id))
    expect(message.message?.extendedTextMessage?.text).toBe('between numbers')
    expect(jidDecode(message.key.remoteJidAlt!)?.user).toBe(NUMBER)
    await first.waitFor(() => receipts(first, id).includes('delivered'))
    await second.socket.readMessages([message.key])
    await first.waitFor(() => receipts(first, id).includes('read'))
    const answer = await second.socket.sendMessage(hidden(simulator, NUMBER), { text: 'and back' })
    await first.waitFor(() => first.messages.find(m => m.key.id === answer?.key.id))
  })

  test('a device gets a copy of what the number’s own phone sends', async () => {
    const client = await link()
    const { id } = await simulator.phone(NUMBER).sendTo('5511888880000', { type: 'text', text: 'from my phone' })
    const message = await client.waitFor(() => client.messages.find(m => m.key.id === id))
    expect(message.key).toMatchObject({ fromMe: true, remoteJid: hidden(simulator, '5511888880000') })
    await simulator.until(() => unacknowledged(NUMBER) === 0)
  })
})

describe('Contacts of the simulator behave by their last digits', () => {
  test('0404 is not on the platform', async () => {
    const client = await link()
    const [absent] = (await client.socket.onWhatsApp('5511777770404')) ?? []
    expect(absent?.exists ?? false).toBe(false)
    const [present] = (await client.socket.onWhatsApp('5511777770405')) ?? []
    expect(present).toEqual({ jid: jid('5511777770405'), exists: true })
  })

  test('0463 is refused', async () => {
    const client = await link()
    const sent = await client.socket.sendMessage(hidden(simulator, '5511777770463'), { text: 'x' })
    const ack = await client.waitFor(() => ackOf(client, sent?.key.id))
    expect(ack.attrs.error).toBe('463')
  })

  test('0503 never acknowledges, and delays no other contact', async () => {
    const client = await link()
    const silent = await client.socket.sendMessage(hidden(simulator, '5511777770503'), { text: 'x' })
    const other = await client.socket.sendMessage(hidden(simulator, '5511888880000'), { text: 'y' })
    await client.waitFor(() => receipts(client, other?.key.id ?? '').includes('read'))
    expect(ackOf(client, silent?.key.id)).toBeUndefined()
  })

  test('0201 receives but never reads', async () => {
    const client = await link()
    const unread = await client.socket.sendMessage(hidden(simulator, '5511777770201'), { text: 'x' })
    const other = await client.socket.sendMessage(hidden(simulator, '5511888880000'), { text: 'y' })
    await client.waitFor(() => receipts(client, other?.key.id ?? '').includes('read'))
    expect(receipts(client, unread?.key.id ?? '')).toEqual(['sender', 'delivered'])
  })
})

describe('The simulator keeps everything that it pushed until it is acknowledged', () => {
  test('so messages, receipts, calls and notifications wait while the client is offline', async () => {
    const client = await link()
    const sent = await client.socket.sendMessage(hidden(simulator, '5511777770201'), { text: 'read me later' })
    const id = sent?.key.id ?? ''
    await simulator.until(() => receipts(client, id).length === 2 && unacknowledged(NUMBER) === 0)
    await client.end()
    const phone = simulator.phone('5511888880002')
    const texts: string[] = []
    for (let n = 0; n < 30; n += 1) texts.push((await phone.sendTo(NUMBER, { type: 'text', text: `${n}` })).id)
    const call = await phone.call(NUMBER)
    await phone.hangUp(call.id, { reason: 'timeout' })
    simulator.phone('5511777770201').read(id)
    simulator.group({ subject: 'new', owner: '5511888880002', members: [NUMBER] }).change('add', ['5511888880003'])

    const again = await open(client)
    const offline = await again.waitFor(() =>
      again.stanzas.find(s => s.tag === 'ib' && s.content?.[0] && (s.content[0] as { tag: string }).tag === 'offline'),
    )
    expect(offline).toBeDefined()
    await again.waitFor(() => texts.every(text => again.messages.some(m => m.key.id === text)))
    expect(again.messages.filter(m => texts.includes(m.key.id!)).map(m => m.message?.conversation)).toEqual(
      texts.map((_text, n) => `${n}`),
    )
    expect(receipts(again, id)).toEqual(['read'])
    expect(again.stanzas.filter(s => s.tag === 'call')).toHaveLength(2)
    expect(again.stanzas.filter(s => s.tag === 'notification' && s.attrs.type === 'w:gp2')).toHaveLength(2)
    expect(again.stanzas.filter(s => s.tag === 'message').every(s => s.attrs.offline !== undefined)).toBe(true)
    await simulator.until(() => unacknowledged(NUMBER) === 0)
  })

  test('and pushes it again if it was not acknowledged', async () => {
    const client = await link()
    await simulator.until(() => unacknowledged(NUMBER) === 0)
    simulator.faults.cutAfter(NUMBER, 2)
    const phone = simulator.phone('5511888880004')
    const ids: string[] = []
    for (let n = 0; n < 5; n += 1) ids.push((await phone.sendTo(NUMBER, { type: 'text', text: `${n}` })).id)
    expect(await client.closed).toBe(428)
    const again = await open(client)
    await again.waitFor(() => ids.every(id => again.stanzas.some(s => s.tag === 'message' && s.attrs.id === id)))
    await simulator.until(() => unacknowledged(NUMBER) === 0)
  })

  test('and a message that cannot be decrypted is requested again, and sent over a new session', async () => {
    const client = await link()
    goOnline(client)
    const phone = simulator.phone('5511888880005')
    await phone.sendTo(NUMBER, { type: 'text', text: 'fine' })
    simulator.faults.tamper(NUMBER)
    const { id } = await phone.sendTo(NUMBER, { type: 'text', text: 'broken on the way' })
    const message = await client.waitFor(() => client.messages.find(m => m.key.id === id && m.message))
    expect(message.message?.conversation).toBe('broken on the way')
    await simulator.until(() => phone.tick(id, NUMBER) === 'delivered')
    const after = await phone.sendTo(NUMBER, { type: 'text', text: 'fine again' })
    await client.waitFor(() => client.messages.find(m => m.key.id === after.id && m.message))
  })

  test('and a message that the phone cannot read is requested again, and read the second time', async () => {
    const sent = new Map<string, object>()
    const client = await linkClient(simulator, NUMBER, { sent })
    clients.push(client)
    const phone = simulator.phone('5511888880006')
    simulator.faults.makeUnreadable('5511888880006')
    sent.set('3EB0RETRY1', { conversation: 'say it again' })
    await client.socket.sendMessage(phone.lid, { text: 'say it again' }, { messageId: '3EB0RETRY1' })
    await simulator.until(() => phone.message('3EB0RETRY1'))
    await client.waitFor(() => receipts(client, '3EB0RETRY1').includes('delivered'))
  })
})
