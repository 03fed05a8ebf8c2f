import { type Simulator, startSimulator } from '../harness/simulator.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Control } from '../../src/sandbox/control.ts'
import { Sandbox } from '../../src/sandbox/sandbox.ts'
import { type Client, hidden, linkClient, prepareEngine, trust } from '../conformance/simulator-client.ts'
import { type Answer, expectError } from '../harness/client.ts'
import { startTestGateway, type TestAccount, type TestGateway } from '../harness/gateway.ts'
import { takeSandbox } from '../harness/leases.ts'

const PHONE = '999100200300'
const OTHER = '999100200301'
const ADA = '15551230001'
const sessionId = (phone: string) => `${phone}:1@s.whatsapp.net`

let gateway: TestGateway
let simulator: Simulator
let client: Client
let neighbour: Client
let account: TestAccount
let other: TestAccount
let control: Promise<void>
const stopping = new AbortController()

async function register(phone: string, owner: TestAccount): Promise<void> {
  const id = `${phone}@s.whatsapp.net`
  const session = {
    accountId: owner.id,
    id,
    phone,
    device: 1,
    label: '',
    platform: 'sandbox',
    maxSessions: null,
  } as const
  await gateway.store.sessions.registerSession(session)
}

beforeAll(async () => {
  prepareEngine()
  gateway = await startTestGateway('sqlite', { POSTERN_ROLES: 'api' })
  simulator = await startSimulator({ timing: { readDelayMs: 3_600_000 } })
  trust(simulator)
  client = await linkClient(simulator, PHONE)
  neighbour = await linkClient(simulator, OTHER)
  account = await gateway.account()
  other = await gateway.account()
  await register(PHONE, account)
  await register(OTHER, other)
  control = new Control(gateway.context, await takeSandbox(gateway.store), new Sandbox(simulator)).run(stopping.signal)
})
afterAll(async () => {
  await client.end()
  await neighbour.end()
  stopping.abort()
  await control
  await simulator.close()
  await gateway.stop()
})

const path = (what: string, phone = PHONE) => `/sandbox/sessions/${encodeURIComponent(sessionId(phone))}/${what}`
const write = (body: object, who = account, phone = PHONE) =>
  who.ask('POST', path('incoming', phone), { from: ADA, ...body })
const act = (body: object) => account.ask('POST', path('actions'), body)
const arrived = (answer: Answer) =>
  client.waitFor(() => client.messages.find(({ key }) => key.id === answer.json.message_id))

/** The message that the engine received from a contact. */
async function arrives(body: object) {
  const answer = await write(body)
  expect(answer.status, answer.text).toBe(202)
  return { id: answer.json.message_id as string, message: await arrived(answer) }
}

describe('A contact writes', () => {
  test('text, with a name, as a reply, and in a group that is made for it', async () => {
    const { id, message } = await arrives({ from_name: 'Ada', type: 'text', text: 'hello' })
    expect(message.pushName).toBe('Ada')
    expect(message.message?.extendedTextMessage?.text ?? message.message?.conversation).toBe('hello')
    const reply = await arrives({ type: 'text', text: 'and', quoted_message_id: id })
    expect(reply.message.message?.extendedTextMessage?.contextInfo?.stanzaId).toBe(id)
    const group = await arrives({ type: 'text', text: 'all', group: 'Friends' })
    expect(group.message.key.remoteJid).toMatch(/@g\.us$/)
    const again = await arrives({ from: '15551230002', type: 'text', text: 'me too', group: 'Friends' })
    expect(again.message.key.remoteJid).toBe(group.message.key.remoteJid)
  })

  test('a view-once message that only the phone may open: the gateway gets a stub', async () => {
    const { message } = await arrives({ type: 'text', text: 'once', withheld: 'view_once' })
    expect(message.key.isViewOnce).toBe(true)
    expect(message.message ?? null).toBeNull()
  })

  test.each([
    ['image', { type: 'image', text: 'look', media: { mimetype: 'image/png', data: 'aGVsbG8=' } }, 'imageMessage'],
    ['document', { type: 'document', media: { filename: 'a.pdf', size: 5_000_000 } }, 'documentMessage'],
    ['voice', { type: 'voice', media: { size: 10 } }, 'audioMessage'],
    ['location', { type: 'location', location: { latitude: 1.5, longitude: 2.5 } }, 'locationMessage'],
    ['poll', { type: 'poll', poll: { name: 'Tea?', options: ['yes', 'no'] } }, 'pollCreationMessageV3'],
    [
      'a pressed button',
      { type: 'button_response', button_response: { id: 'b1', text: 'Yes' } },
      'buttonsResponseMessage',
    ],
    [
      'a pressed button, named as in the event',
      { type: 'button_response', button_response: { selected_id: 'b2', selected_text: 'No' } },
      'buttonsResponseMessage',
    ],
    [
      'the answer to a flow',
      { type: 'button_response', button_response: { selected_id: 'b3', params_json: '{"id":"b3"}' } },
      'interactiveResponseMessage',
    ],
    ['a card', { type: 'contact', text: 'Bob' }, 'contactMessage'],
    ['an unknown content', { type: 'other' }, 'messageContextInfo'],
  ])('%s, and it arrives', async (_name, body, field) => {
    const { message } = await arrives(body)
    expect(Object.keys(message.message ?? {})).toContain(field)
  })

  test('a Status post that reaches this number and no other', async () => {
    const { id, message } = await arrives({ type: 'text', text: 'my day', broadcast: true })
    expect(message.key.remoteJid).toBe('status@broadcast')
    const later = await write({ from: '15551230009', type: 'text', text: 'later' }, other, OTHER)
    await neighbour.waitFor(() => neighbour.messages.find(({ key }) => key.id === later.json.message_id))
    expect(neighbour.messages.some(({ key }) => key.id === id)).toBe(false)
  })

  test('and an incomplete request is rejected with the name of the field', async () => {
    expectError(await write({ type: 'text' }), 400, /^text is required/)
    expectError(await write({ type: 'image' }), 400, /^media is required/)
    expectError(await write({ type: 'reaction', text: '👍' }), 400, /^reacted_message_id/)
    expectError(await write({ type: 'telepathy' }), 400, /^type must be one of/)
    expectError(await write({ from: 'nobody', type: 'text', text: 'x' }), 400, /^from/)
    expectError(await write({ type: 'text', text: 'x', group: '1203630123456789@g.us' }), 400, /^group/)
  })
})

describe('The sandbox of a number', () => {
  test('keeps on the contacts’ phones what the number sent, decrypted, and what they wrote themselves', async () => {
    const sent = await client.socket.sendMessage(hidden(simulator, ADA), { text: 'from the number' })
    await simulator.until(() => simulator.phone(ADA).message(sent!.key.id!))
    const answer = await account.ask('GET', `${path('messages')}?contact=${ADA}&limit=2`)
    expect(answer.status, answer.text).toBe(200)
    const held = answer.json.data.find((message: { message_id: string }) => message.message_id === sent!.key.id)
    expect(held).toMatchObject({
      from_me: false,
      type: 'text',
      text: 'from the number',
      status: 'delivered',
      copies: 1,
    })
    expect(answer.json.next_cursor).not.toBeNull()
    const next = await account.ask(
      'GET',
      `${path('messages')}?contact=${ADA}&limit=100&cursor=${answer.json.next_cursor}`,
    )
    expect(next.json.data.length).toBeGreaterThan(5)
    expect(next.json.data.every((message: { from_me: boolean }) => message.from_me)).toBe(true)
    expect(next.json.next_cursor).toBeNull()

    expect((await act({ action: 'read', from: ADA })).status).toBe(202)
    await client.waitFor(() =>
      client.stanzas.find(({ tag, attrs }) => tag === 'receipt' && attrs.id === sent!.key.id && attrs.type === 'read'),
    )
    const reaction = await write({ type: 'reaction', text: '👍', reacted_message_id: sent!.key.id })
    expect((await arrived(reaction)).message?.reactionMessage?.key?.id).toBe(sent!.key.id)
  })

  test('lets a contact call and hang up and vote, and a channel post', async () => {
    const call = await act({ action: 'call', from: ADA, video: true })
    expect(call.status, call.text).toBe(202)
    await client.waitFor(() => client.stanzas.find(({ tag }) => tag === 'call'))
    expectError(await act({ action: 'call', from: ADA, event: 'terminate', call_id: 'nope' }), 400, /call_id/)
    const end = await act({ action: 'call', from: ADA, event: 'terminate', call_id: call.json.call_id })
    expect(end.status).toBe(202)
    const poll = await client.socket.sendMessage(hidden(simulator, ADA), {
      poll: { name: 'Tea?', values: ['yes', 'no'], selectableCount: 1 },
    })
    await simulator.until(() => simulator.phone(ADA).message(poll!.key.id!))
    const vote = await act({ action: 'vote', from: ADA, message_id: poll!.key.id, options: ['yes'] })
    expect((await arrived(vote)).message?.pollUpdateMessage?.pollCreationMessageKey?.id).toBe(poll!.key.id)
    const post = await act({ action: 'newsletter_post', name: 'News', text: 'today' })
    expect(post.json).toMatchObject({ newsletter_jid: expect.stringMatching(/@newsletter$/), server_id: 101 })
    const again = await act({ action: 'newsletter_post', newsletter: post.json.newsletter_jid, text: 'tomorrow' })
    expect(again.json.server_id).toBe(102)
  })

  test('lets a contact have a new phone, and a device that is listed and removed', async () => {
    const EVE = '5511988880077'
    await client.socket.sendMessage(hidden(simulator, EVE), { text: 'to the old phone' })
    expect((await act({ action: 'lose_device', from: EVE })).status).toBe(202)
    expect((await act({ action: 'new_phone', from: EVE })).status).toBe(202)
    await client.waitFor(() =>
      client.stanzas.find(({ tag, attrs }) => tag === 'notification' && attrs.type === 'encrypt'),
    )
    expectError(await act({ action: 'lose_device', from: EVE }), 400, /^from: nothing is linked/)
  })

  test('reports a contact’s new phone to the numbers of the account that requested it, and to no other account’s', async () => {
    const FAY = '5511988880078'
    const identityNotices = ({ stanzas }: Client) =>
      stanzas.filter(
        ({ tag, attrs }) => tag === 'notification' && attrs.type === 'encrypt' && attrs.from?.includes(FAY),
      )
    for (const each of [client, neighbour]) await each.socket.sendMessage(hidden(simulator, FAY), { text: 'hello' })
    for (let i = 0; i < 3; i += 1) expect((await act({ action: 'new_phone', from: FAY })).status).toBe(202)
    await client.waitFor(() => identityNotices(client).length === 3)
    // Arrives after everything else in progress.
    await simulator.phone(ADA).call(OTHER, { video: false })
    await neighbour.waitFor(() => neighbour.stanzas.find(({ tag }) => tag === 'call'))
    expect(identityNotices(neighbour)).toEqual([])
  })

  test('names the field that an action needs', async () => {
    expectError(await act({ action: 'read' }), 400, 'from is required')
    expectError(await act({ action: 'play', from: ADA }), 400, /^message_id/)
    expectError(await act({ action: 'vote', from: ADA }), 400, /^message_id/)
    expectError(await act({ action: 'vote', from: ADA, message_id: 'X' }), 400, 'the phone does not know this poll')
    expectError(await act({ action: 'dance' }), 400, /^action must be one of/)
    expectError(await act({ action: 'newsletter_post', newsletter: '12036300000000000@newsletter' }), 400, /newsletter/)
  })
})

describe('A list response has a maximum size', () => {
  const EVE = '15551230077'
  const eve = (limit = 100) => `${path('messages')}?contact=${EVE}&limit=${limit}`

  /** The files of all messages, requested page by page. */
  async function allFiles(limit: number): Promise<Map<string, number>> {
    const files = new Map<string, number>()
    for (let cursor: string | null = ''; cursor !== null; ) {
      const query = `${path('messages')}?contact=${EVE}&include_media=true&limit=${limit}&cursor=${cursor}`
      const page: Answer = await account.ask('GET', cursor === '' ? query.replace('&cursor=', '') : query)
      expect(page.status, page.text.slice(0, 300)).toBe(200)
      for (const { message_id: id, media } of page.json.data) if (media?.data) files.set(id, media.data.length)
      cursor = page.json.next_cursor
    }
    return files
  }

  test('in which files fit as far as there is room, the newest first; the others are marked as omitted', async () => {
    const sent: string[] = []
    for (let i = 0; i < 6; i++) {
      const document = { document: Buffer.alloc(1_000_000, i), mimetype: 'application/octet-stream' }
      const { key } = (await client.socket.sendMessage(hidden(simulator, EVE), document))!
      await simulator.until(() => simulator.phone(EVE).message(key.id!))
      sent.unshift(key.id!)
    }
    const full = await account.ask('GET', `${eve()}&include_media=true`)
    expect(full.status).toBe(200)
    expect(full.text.length).toBeLessThan(4 * 1024 * 1024)
    const media = full.json.data.map((message: { media: { data?: string; data_omitted?: true } }) => message.media)
    expect(media.map((each: { data?: string }) => each.data !== undefined)).toEqual([
      true,
      true,
      ...Array(4).fill(false),
    ])
    expect(media.map((each: { data_omitted?: true }) => each.data_omitted)).toEqual([
      undefined,
      undefined,
      ...Array(4).fill(true),
    ])
    expect([...(await allFiles(2)).keys()]).toEqual(sent)
    // A reader of a list without files gets some of it with them, from any of its cursors.
    const without = await account.ask('GET', eve(4))
    const page = await account.ask('GET', `${eve(2)}&include_media=true&cursor=${without.json.next_cursor}`)
    expect(page.status, page.text.slice(0, 300)).toBe(200)
    expect(page.json.data.map((message: { message_id: string }) => message.message_id)).toEqual(sent.slice(4, 6))
    expect(page.json.data.every((message: { media: { data?: string } }) => message.media.data !== undefined)).toBe(true)
  })

  test('so long messages make a page shorter, and the next page continues', async () => {
    const before = (await account.ask('GET', eve())).json.data.length
    for (let i = 0; i < 20; i++) {
      expect((await write({ from: EVE, type: 'text', text: 'ж'.repeat(65_536) })).status).toBe(202)
    }
    const seen = new Set<string>()
    let cursor: string | null = ''
    for (; cursor !== null; ) {
      const page: Answer = await account.ask('GET', cursor === '' ? eve() : `${eve()}&cursor=${cursor}`)
      expect(page.text.length).toBeLessThan(1024 * 1024)
      for (const { message_id: id } of page.json.data) seen.add(id)
      cursor = page.json.next_cursor
    }
    expect(seen.size).toBe(before + 20)
  })

  test('in which a file that the network has deleted takes no space from the others', async () => {
    const { key } = (await client.socket.sendMessage(hidden(simulator, EVE), {
      document: Buffer.alloc(10),
      mimetype: 'a/b',
    }))!
    await simulator.until(() => simulator.phone(EVE).message(key.id!))
    const { data } = (await account.ask('GET', `${eve(1)}&include_media=true`)).json
    expect(data[0].media.data).toBe(Buffer.alloc(10).toString('base64'))
    // As many files as it keeps follow, of the same owner.
    const send = () => simulator.phone('15551230078').sendTo(OTHER, { type: 'image', size: 10 })
    for (let i = 0; i < 520; i++) await simulator.onBehalfOf(PHONE, send)
    const later = await account.ask('GET', `${eve(1)}&include_media=true`)
    expect(later.status, later.text.slice(0, 300)).toBe(200)
    expect(later.json.data[0]).toMatchObject({ message_id: key.id, media: { file_length: 10 } })
    expect(later.json.data[0].media.data).toBeUndefined()
  })
})

describe('The sandbox of an account', () => {
  test('gives another account neither the number nor what it wrote to a contact that both know', async () => {
    for (const what of ['incoming', 'actions']) {
      const body = what === 'incoming' ? { from: ADA, type: 'text', text: 'x' } : { action: 'log_out' }
      expectError(await other.ask('POST', path(what), body), 403, 'session does not belong to this tenant')
    }
    expectError(await other.ask('GET', path('messages')), 403)
    await write({ type: 'text', text: 'to the neighbour' }, other, OTHER)
    const { data } = (await other.ask('GET', `${path('messages', OTHER)}?contact=${ADA}`)).json
    expect(data.map((message: { text: string }) => message.text)).toEqual(['to the neighbour'])
    expectError(await other.ask('POST', path('actions', OTHER), { action: 'play', from: ADA, message_id: 'X' }), 400)
  })

  test('lets no contact write in the name of a linked number', async () => {
    expectError(await write({ from: PHONE, type: 'text', text: 'x' }, other, OTHER), 400, /linked number/)
    expectError(await other.ask('POST', path('actions', OTHER), { action: 'read', from: PHONE }), 400, /linked number/)
  })

  test('does not include real numbers', async () => {
    const real = await gateway.session(account)
    const id = encodeURIComponent(real.id)
    expectError(await account.ask('GET', `/sandbox/sessions/${id}/messages`), 400, /sandbox/)
  })
})

describe('The link of a sandbox number', () => {
  test('can be dropped and logged out on request', async () => {
    const code = neighbour.closed
    expect((await other.ask('POST', path('actions', OTHER), { action: 'log_out' })).status).toBe(202)
    expect(await code).toBe(401)
    const dropped = client.closed
    expect((await act({ action: 'drop', seconds: 0 })).status).toBe(202)
    await dropped
  })
})

test('the sandbox routes do not exist if the sandbox is off', async () => {
  const off = await startTestGateway('sqlite', { POSTERN_SANDBOX: 'off' })
  const owner = await off.account()
  expectError(await owner.ask('GET', path('messages')), 404)
  await off.stop()
})
