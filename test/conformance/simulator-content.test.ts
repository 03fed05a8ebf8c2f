import { createHash } from 'node:crypto'
import { type Simulator, startSimulator } from '../harness/simulator.ts'
import type { Content } from '@postern/simulator/phone/content'
import type { SendOptions } from '@postern/simulator/phone/writing'
import { decryptPollVote, downloadMediaMessage, normalizeMessageContent, type WAMessage } from 'baileys'
import { Agent } from 'undici'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Client, hidden, linkClient, prepareEngine, trust } from './simulator-client.ts'

const NUMBER = '999100200320'
const ALICE = '5511555550001'

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

const received = (id: string): Promise<WAMessage> =>
  client.waitFor(() => client.messages.find(m => m.key.id === id && m.message))

async function arrive(content: Content, options?: SendOptions) {
  const { id } = await simulator.phone(ALICE).sendTo(NUMBER, content, options)
  const message = await received(id)
  return { id, message, content: normalizeMessageContent(message.message)! }
}

function download(message: WAMessage): Promise<Buffer> {
  const dispatcher = new Agent({ connect: { ca: simulator.mediaCa } })
  return downloadMediaMessage(message, 'buffer', { options: { dispatcher } as never })
}

const key = { id: 'ANOTHER', chat: `${NUMBER}@s.whatsapp.net` }

describe('Everything that a phone can send arrives', () => {
  test('as text with mentions, and as a reply', async () => {
    const { id } = await arrive({ type: 'text', text: 'first' })
    const { content } = await arrive(
      { type: 'text', text: 'second', mentions: [`${NUMBER}@s.whatsapp.net`] },
      { quoted: id, addressing: 'pn' },
    )
    expect(content.extendedTextMessage).toMatchObject({
      text: 'second',
      contextInfo: { stanzaId: id, participant: `${ALICE}@s.whatsapp.net`, mentionedJid: [`${NUMBER}@s.whatsapp.net`] },
    })
  })

  test.each(['image', 'video', 'audio', 'voice', 'document', 'sticker'] as const)('as %s with its file', async type => {
    const data = createHash('sha256').update(type).digest()
    const caption = type === 'image' || type === 'video' || type === 'document' ? 'look' : undefined
    const { message, content } = await arrive({ type, data, filename: 'a.pdf', ...(caption ? { caption } : {}) })
    expect(await download(message)).toEqual(data)
    const part = Object.values(content).find(value => value?.mediaKey) as Record<string, unknown>
    expect(part.caption ?? undefined).toBe(caption)
    expect(Number(part.fileLength)).toBe(32)
    expect(Buffer.from(part.fileSha256 as Uint8Array)).toEqual(createHash('sha256').update(data).digest())
    if (type === 'voice') expect(part.ptt).toBe(true)
    if (type === 'document') expect(part.fileName).toBe('a.pdf')
  })

  test('as a large file, and as one with a wrong size', async () => {
    const large = await arrive({ type: 'video', size: 5 * 1024 * 1024 })
    expect((await download(large.message)).length).toBe(5 * 1024 * 1024)
    const lie = await arrive({ type: 'image', size: 100_000, claimedSize: 10 })
    expect(Number(lie.content.imageMessage?.fileLength)).toBe(10)
    expect((await download(lie.message)).length).toBe(100_000)
  })

  test('as location and live location', async () => {
    const place = { latitude: -23.5, longitude: -46.6, name: 'Here', address: 'Street 1' }
    const { content } = await arrive({ type: 'location', ...place })
    expect(content.locationMessage).toMatchObject({
      degreesLatitude: -23.5,
      degreesLongitude: -46.6,
      name: 'Here',
      address: 'Street 1',
    })
    const live = await arrive({ type: 'live_location', ...place })
    expect(live.content.liveLocationMessage?.degreesLatitude).toBe(-23.5)
  })

  test('as contacts', async () => {
    const one = await arrive({ type: 'contacts', contacts: [{ name: 'Bob', phone: '5511' }] })
    expect(one.content.contactMessage?.vcard).toContain('waid=5511')
    const two = await arrive({
      type: 'contacts',
      contacts: [
        { name: 'Bob', phone: '5511' },
        { name: 'Eve', phone: '5512' },
      ],
    })
    expect(two.content.contactsArrayMessage?.contacts).toHaveLength(2)
  })

  test('as answers to buttons, templates, lists and flows', async () => {
    const answer = { type: 'button_response', id: 'yes', text: 'Yes' } as const
    const buttons = await arrive({ ...answer, style: 'buttons' })
    expect(buttons.content.buttonsResponseMessage).toMatchObject({
      selectedButtonId: 'yes',
      selectedDisplayText: 'Yes',
    })
    const template = await arrive({ ...answer, style: 'template' })
    expect(template.content.templateButtonReplyMessage).toMatchObject({ selectedId: 'yes', selectedDisplayText: 'Yes' })
    const list = await arrive({ ...answer, style: 'list' })
    expect(list.content.listResponseMessage).toMatchObject({
      title: 'Yes',
      singleSelectReply: { selectedRowId: 'yes' },
    })
    const flow = await arrive({ ...answer, style: 'native_flow', paramsJson: '{"id":"yes"}' })
    expect(flow.content.interactiveResponseMessage?.nativeFlowResponseMessage?.paramsJson).toBe('{"id":"yes"}')
  })

  test('as reactions, edits and revokes', async () => {
    const { id } = await arrive({ type: 'text', text: 'before' })
    const alice = simulator.phone(ALICE)
    const sealed = await received((await alice.edit(NUMBER, id, 'after')).id)
    expect(sealed.message?.secretEncryptedMessage).toMatchObject({ targetMessageKey: { id }, secretEncType: 2 })
    const edit = await received((await alice.edit(NUMBER, id, 'after', { isPlain: true })).id)
    const edited = normalizeMessageContent(edit.message)?.protocolMessage
    expect(edited).toMatchObject({ key: { id }, editedMessage: { conversation: 'after' } })
    for (const each of [sealed, edit])
      expect(client.stanzas.find(s => s.attrs.id === each.key.id)?.attrs.edit).toBe('1')
    const revoke = await received((await alice.revoke(NUMBER, id)).id)
    expect(revoke.message?.protocolMessage).toMatchObject({ type: 0, key: { id } })
    const { content } = await arrive({ type: 'reaction', target: key, emoji: '' })
    expect(content.reactionMessage).toMatchObject({ text: '', key: { id: 'ANOTHER', fromMe: true } })
  })

  test('as view-once and disappearing messages', async () => {
    const once = await arrive({ type: 'image', size: 10 }, { viewOnce: true })
    expect(once.message.message?.viewOnceMessageV2?.message?.imageMessage).toBeTruthy()
    const { message, content } = await arrive({ type: 'text', text: 'soon gone' }, { ephemeralSeconds: 86_400 })
    expect(message.message?.ephemeralMessage).toBeTruthy()
    expect(content.extendedTextMessage).toMatchObject({ text: 'soon gone', contextInfo: { expiration: 86_400 } })
  })
})

describe('Polls of the simulator', () => {
  test.each([
    ['pn', 'pn'],
    ['lid', 'lid'],
    ['lid', 'pn'],
  ] as const)(
    'a vote in a poll of the client is decrypted with its secret (creator by %s, voter by %s)',
    async (creator, voter) => {
      const sent = await client.socket.sendMessage(hidden(simulator, ALICE), {
        poll: { name: 'Lunch?', values: ['Soup', 'Salad'], selectableCount: 1 },
      })
      const pollId = sent?.key.id ?? ''
      const alice = simulator.phone(ALICE)
      await simulator.until(() => alice.message(pollId))
      const options = { creatorAddressing: creator, voterAddressing: voter }
      for (const choice of [['Salad'], []]) {
        const vote = await received((await alice.vote(NUMBER, pollId, choice, options)).id)
        const update = vote.message?.pollUpdateMessage
        expect(update?.pollCreationMessageKey?.id).toBe(pollId)
        const opened = decryptPollVote(update!.vote!, {
          pollMsgId: pollId,
          pollEncKey: sent!.message!.messageContextInfo!.messageSecret!,
          pollCreatorJid: creator === 'lid' ? simulator.phone(NUMBER).lid : `${NUMBER}@s.whatsapp.net`,
          voterJid: voter === 'lid' ? alice.lid : alice.jid,
        })
        const hashes = choice.map(option => createHash('sha256').update(option).digest('hex'))
        expect(opened.selectedOptions?.map(hash => Buffer.from(hash).toString('hex'))).toEqual(hashes)
      }
    },
  )

  test('a poll of a phone arrives with its secret', async () => {
    const { content, message } = await arrive({ type: 'poll', name: 'Which?', options: ['A', 'B'], selectableCount: 0 })
    expect(content.pollCreationMessage).toMatchObject({
      name: 'Which?',
      options: [{ optionName: 'A' }, { optionName: 'B' }],
    })
    expect(message.message?.messageContextInfo?.messageSecret).toHaveLength(32)
  })
})

describe('Media of the client', () => {
  test('is uploaded, and opened on the phone', async () => {
    const data = Buffer.alloc(300_000, 7)
    const sent = await client.socket.sendMessage(hidden(simulator, ALICE), {
      document: data,
      mimetype: 'application/pdf',
      fileName: 'bill.pdf',
    })
    const alice = simulator.phone(ALICE)
    await simulator.until(() => alice.message(sent?.key.id ?? ''))
    expect(alice.openMedia(sent?.key.id ?? '')).toEqual(data)
    alice.play(sent?.key.id ?? '')
    await client.waitFor(() => client.stanzas.find(s => s.tag === 'receipt' && s.attrs.type === 'played'))
  })
})

describe('Presence, typing and calls of the simulator', () => {
  test('presence is sent to a client that subscribed and is available', async () => {
    const alice = simulator.phone(ALICE)
    await client.waitFor(() => client.auth.creds.me?.name)
    await client.socket.sendPresenceUpdate('available')
    await client.socket.presenceSubscribe(alice.jid)
    const last = () => client.stanzas.filter(s => s.tag === 'presence').at(-1)?.attrs
    await client.waitFor(() => last()?.type === 'unavailable')
    alice.presence({ online: true })
    await client.waitFor(() => last()?.type === 'available' && last()?.from === alice.jid)
    alice.presence({ online: false, lastSeen: 1_700_000_000 })
    await client.waitFor(() => last()?.last === '1700000000')
    alice.presence({ online: false, lastSeen: 'hidden' })
    await client.waitFor(() => last()?.last === 'deny')
    alice.typing(NUMBER, 'composing')
    alice.typing(NUMBER, 'recording')
    alice.typing(NUMBER, 'paused')
    await client.waitFor(() => client.stanzas.filter(s => s.tag === 'chatstate').length === 3)
    const states = client.stanzas.filter(s => s.tag === 'chatstate').map(s => s.content)
    expect(states).toEqual([
      [{ tag: 'composing', attrs: {} }],
      [{ tag: 'composing', attrs: { media: 'audio' } }],
      [{ tag: 'paused', attrs: {} }],
    ])
    // In the engine's form, with its own name, it is not shown.
    await client.socket.sendPresenceUpdate('composing', alice.jid)
    const recording = { tag: 'composing', attrs: { media: 'audio' } }
    await client.socket.sendNode({ tag: 'chatstate', attrs: { to: alice.jid }, content: [recording] })
    await simulator.until(() => alice.typingFrom(NUMBER) === 'recording')
  })

  test('a call rings, is rejected, and ends', async () => {
    const alice = simulator.phone(ALICE)
    const call = await alice.call(NUMBER, { video: true })
    const offer = await client.waitFor(() => client.stanzas.find(s => s.tag === 'call'))
    expect(offer.content).toMatchObject([
      { tag: 'offer', attrs: { 'call-id': call.id, 'call-creator': alice.lid, caller_pn: alice.jid } },
    ])
    await client.socket.rejectCall(call.id, alice.lid)
    expect(alice.calls()[0]?.state).toBe('rejected')
    await alice.hangUp(call.id, { reason: 'timeout' })
    const end = await client.waitFor(() => client.stanzas.filter(s => s.tag === 'call')[1])
    expect(end.content).toMatchObject([{ tag: 'terminate', attrs: { reason: 'timeout' } }])
  })
})
