import { type Simulator, startSimulator } from '../harness/simulator.ts'
import type { AnyMessageContent, BinaryNode } from 'baileys'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Client, goOnline, linkClient, prepareEngine, trust } from './simulator-client.ts'

const NUMBER = '999100200310'
const ALICE = '5511666660001'
const BOB = '5511666660002'

let simulator: Simulator
let client: Client

beforeAll(async () => {
  prepareEngine()
  simulator = await startSimulator({ timing: { readDelayMs: 20 } })
  trust(simulator)
  client = await linkClient(simulator, NUMBER)
})
afterAll(async () => {
  await client.end()
  await simulator.close()
})

function groupReceipts(id: string): string[] {
  const found = client.stanzas.filter(stanza => stanza.tag === 'receipt' && stanza.attrs.id === id)
  return found.map(({ attrs }) => `${attrs.participant} ${attrs.type ?? 'delivered'}`)
}

const received = (id: string) => client.waitFor(() => client.messages.find(m => m.key.id === id && m.message))

describe('Groups of the simulator', () => {
  test.each(['lid', 'pn'] as const)(
    'messages go both ways in a group that names its members by %s',
    async addressing => {
      goOnline(client)
      const group = simulator.group({ subject: 'Team', owner: ALICE, members: [BOB, NUMBER], addressing })
      const alice = simulator.phone(ALICE)
      for (const text of ['first', 'second', 'third']) {
        const { id } = await alice.sendTo(group.jid, { type: 'text', text })
        const message = await received(id)
        expect(message.message?.conversation).toBe(text)
        expect(message.key.remoteJid).toBe(group.jid)
        expect(message.key.participant).toBe(addressing === 'lid' ? alice.lid : alice.jid)
        expect(message.key.participantAlt).toBe(addressing === 'lid' ? alice.jid : alice.lid)
        await simulator.until(() => alice.tick(id, NUMBER) === 'delivered')
      }
      for (const text of ['one', 'two', 'three']) {
        const sent = await client.socket.sendMessage(group.jid, { text })
        const id = sent?.key.id ?? ''
        for (const digits of [ALICE, BOB]) {
          const held = await simulator.until(() => simulator.phone(digits).message(id))
          expect(held.message.extendedTextMessage?.text).toBe(text)
          expect(held.chat).toBe(group.jid)
          const name = addressing === 'lid' ? simulator.phone(digits).lid : simulator.phone(digits).jid
          await client.waitFor(() => groupReceipts(id).includes(`${name} read`))
        }
      }
    },
  )

  test('a hidden member shows no number', async () => {
    const group = simulator.group({ subject: 'Hidden', owner: ALICE, members: [BOB, NUMBER], hidden: [BOB] })
    const { id } = await simulator.phone(BOB).sendTo(group.jid, { type: 'text', text: 'who am I' })
    const stanza = await client.waitFor(() => client.stanzas.find(s => s.tag === 'message' && s.attrs.id === id))
    expect(stanza.attrs).toMatchObject({ participant: simulator.phone(BOB).lid, addressing_mode: 'lid' })
    expect(stanza.attrs.participant_pn).toBeUndefined()
    const metadata = await client.socket.groupMetadata(group.jid)
    expect(metadata.participants.find(p => p.id === simulator.phone(BOB).lid)?.phoneNumber).toBeUndefined()
    expect(metadata.participants.find(p => p.id === simulator.phone(ALICE).lid)?.phoneNumber).toBe(
      `${ALICE}@s.whatsapp.net`,
    )
  })

  test('a person who hides their number shows it in no group, not even in one of their own', async () => {
    const [shy, added] = [simulator.phone('15550110461'), simulator.phone('15550120461')]
    const group = simulator.group({ subject: 'Shy', owner: shy.digits, members: [ALICE, NUMBER] })
    await client.socket.groupParticipantsUpdate(group.jid, [added.lid], 'add')
    for (const phone of [shy, added]) {
      const { id } = await phone.sendTo(group.jid, { type: 'text', text: 'who am I' })
      const stanza = await client.waitFor(() => client.stanzas.find(s => s.tag === 'message' && s.attrs.id === id))
      expect(stanza.attrs).toMatchObject({ participant: phone.lid })
      expect(stanza.attrs.participant_pn).toBeUndefined()
    }
    const metadata = await client.socket.groupMetadata(group.jid)
    expect(metadata).toMatchObject({ owner: shy.lid })
    expect(metadata.ownerPn).toBeUndefined()
    for (const { lid } of [shy, added]) {
      expect(metadata.participants.find(({ id }) => id === lid)).toMatchObject({ phoneNumber: undefined })
    }
  })

  test('a client creates a group, and changes its members', async () => {
    const created = await client.socket.groupCreate('Mine', [`${ALICE}@s.whatsapp.net`])
    expect(created.subject).toBe('Mine')
    expect(simulator.group(created.id).members()).toEqual([NUMBER, ALICE])
    await client.socket.groupParticipantsUpdate(created.id, [`${BOB}@s.whatsapp.net`], 'add')
    expect(simulator.group(created.id).members()).toContain(BOB)
    expect(Object.keys(await client.socket.groupFetchAllParticipating())).toContain(created.id)
    await client.socket.groupUpdateSubject(created.id, 'Ours')
    expect((await client.socket.groupMetadata(created.id)).subject).toBe('Ours')
  })

  test('a group message that cannot be decrypted is sent again', async () => {
    const group = simulator.group({ subject: 'Retry', owner: ALICE, members: [NUMBER] })
    const alice = simulator.phone(ALICE)
    await received((await alice.sendTo(group.jid, { type: 'text', text: 'fine' })).id)
    simulator.faults.tamper(NUMBER)
    const { id } = await alice.sendTo(group.jid, { type: 'text', text: 'broken' })
    expect((await received(id)).message?.conversation).toBe('broken')
    const after = await alice.sendTo(group.jid, { type: 'text', text: 'fine again' })
    expect((await received(after.id)).message?.conversation).toBe('fine again')
  })

  test('reactions, replies and votes name the message and its author', async () => {
    const group = simulator.group({ subject: 'Refer', owner: ALICE, members: [NUMBER] })
    const alice = simulator.phone(ALICE)
    const sent = await client.socket.sendMessage(group.jid, { text: 'react to me' })
    const target = sent?.key.id ?? ''
    await simulator.until(() => alice.message(target))
    const reaction = await received((await alice.react(group.jid, target, '👍')).id)
    expect(reaction.message?.reactionMessage).toMatchObject({ text: '👍', key: { id: target, fromMe: true } })
    const { id } = await alice.sendTo(group.jid, { type: 'text', text: 'reply' }, { quoted: target })
    const { contextInfo } = (await received(id)).message?.extendedTextMessage ?? {}
    expect(contextInfo).toMatchObject({ stanzaId: target, participant: simulator.phone(NUMBER).lid })
    expect(contextInfo?.quotedMessage?.extendedTextMessage?.text).toBe('react to me')
  })
})

describe('Status and broadcast lists of the simulator', () => {
  test('a status post of a contact arrives', async () => {
    const alice = simulator.phone(ALICE)
    const { id } = await alice.sendTo('status@broadcast', { type: 'text', text: 'my day' }, { audience: [NUMBER] })
    const message = await received(id)
    expect(message.key).toMatchObject({ remoteJid: 'status@broadcast', participant: alice.jid })
    expect(message.message?.conversation).toBe('my day')
  })

  test('a status post of the client reaches the phones that it names', async () => {
    const id = await client.socket.relayMessage(
      'status@broadcast',
      { conversation: 'our offer' },
      {
        // The engine is given its phone as recipient: with hidden identifiers it would also name itself.
        statusJidList: [simulator.phone(ALICE).lid, simulator.phone(NUMBER).lid.replace('@', ':0@')],
        additionalNodes: [{ tag: 'meta', attrs: { status_setting: 'contacts' } }],
      },
    )
    const held = await simulator.until(() => simulator.phone(ALICE).message(id))
    expect(held).toMatchObject({ chat: 'status@broadcast', from: NUMBER })
    expect(simulator.phone(BOB).message(id)).toBeUndefined()
  })

  test('a message of a broadcast list arrives', async () => {
    const alice = simulator.phone(ALICE)
    const { id } = await alice.sendTo('1700000000@broadcast', { type: 'text', text: 'to all' }, { audience: [NUMBER] })
    const message = await received(id)
    expect(message.key).toMatchObject({ remoteJid: '1700000000@broadcast', participant: alice.jid })
    expect(message.broadcast).toBe(true)
  })
})

describe('Channels of the simulator', () => {
  test('a client posts to its own channel and receives the number of the post', async () => {
    const created = await client.socket.newsletterCreate('News', 'all of it')
    const metadata = await client.socket.newsletterMetadata('jid', created.id)
    expect((metadata as unknown as { viewer_metadata: { role: string } }).viewer_metadata.role).toBe('OWNER')
    const sent = await client.socket.sendMessage(created.id, { text: 'breaking' })
    const ack = await client.waitFor(() => client.stanzas.find(s => s.tag === 'ack' && s.attrs.id === sent?.key.id))
    const [post] = simulator.channel(created.id).posts()
    expect(post).toMatchObject({ text: 'breaking', serverId: Number(ack.attrs.server_id) })
  })

  test('posts of a followed channel arrive as messages and as live updates', async () => {
    const channel = simulator.channel({ name: 'Club', owner: ALICE })
    await client.socket.newsletterFollow(channel.jid)
    expect(await client.socket.subscribeNewsletterUpdates(channel.jid)).toEqual({ duration: '300' })
    const plain = await channel.post({ type: 'text', text: 'plain' })
    const message = await received(plain.id)
    expect(message.key).toMatchObject({ remoteJid: channel.jid, server_id: String(plain.serverId) })
    const live = await channel.post({ type: 'text', text: 'live' }, 'live_updates')
    const notification = await client.waitFor(() =>
      client.stanzas.find(s => s.tag === 'notification' && s.attrs.type === 'newsletter'),
    )
    expect(JSON.stringify(notification)).toContain(`"server_id":"${live.serverId}"`)
    const missed = (await client.socket.newsletterFetchMessages(channel.jid, 10, 0, plain.serverId)) as BinaryNode
    expect(JSON.stringify(missed)).toContain(live.id)
  })

  test('live updates reach a device on the link on which it requested them, until they expire', async () => {
    const digits = '999200000077'
    const own = await linkClient(simulator, digits)
    const channel = simulator.channel({ name: 'Club', owner: ALICE, followers: [digits] })
    expect(channel.watchers()).toEqual([])
    await own.socket.subscribeNewsletterUpdates(channel.jid)
    expect(channel.watchers()).toEqual([digits])
    simulator.faults.cut(digits)
    expect(channel.watchers()).toEqual([])
    await own.end()
  })

  test('a post to another person’s channel is refused', async () => {
    const channel = simulator.channel({ name: 'Theirs', owner: ALICE, followers: [NUMBER] })
    const sent = await client.socket.sendMessage(channel.jid, { text: 'let me in' })
    const ack = await client.waitFor(() => client.stanzas.find(s => s.tag === 'ack' && s.attrs.id === sent?.key.id))
    expect(ack.attrs.error).toBe('403')
    expect(channel.posts()).toEqual([])
  })

  test.each([
    ['a file', { image: Buffer.from('ffd8ffe0', 'hex'), jpegThumbnail: '' }],
    ['a poll', { poll: { name: 'Q?', values: ['a', 'b'] } }],
    ['an edit', { text: 'new', edit: { id: 'ABC', fromMe: true } }],
    ['a revoke', { delete: { id: 'ABC', fromMe: true } }],
  ])('%s in the library’s form is refused by a channel with 479', async (_what, content) => {
    const channel = simulator.channel({ name: 'Own', owner: NUMBER })
    const sent = await client.socket.sendMessage(channel.jid, content as AnyMessageContent)
    const ack = await client.waitFor(() => client.stanzas.find(s => s.tag === 'ack' && s.attrs.id === sent?.key.id))
    expect(ack.attrs.error).toBe('479')
    expect(channel.posts()).toEqual([])
  })

  test('a client reacts to a post, and removes the reaction', async () => {
    const channel = simulator.channel({ name: 'Club', owner: ALICE, followers: [NUMBER] })
    const { serverId } = await channel.post({ type: 'text', text: 'like me' })
    await client.socket.newsletterReactMessage(channel.jid, String(serverId), '🔥')
    expect(channel.posts()[0]?.reactions.get(NUMBER)).toBe('🔥')
    await client.socket.newsletterReactMessage(channel.jid, String(serverId))
    expect(channel.posts()[0]?.reactions.size).toBe(0)
  })
})
