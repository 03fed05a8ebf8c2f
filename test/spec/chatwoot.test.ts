import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ask } from '../harness/client.ts'
import { BridgeRig } from '../harness/chatwoot-bridge.ts'
import { until } from '../harness/until.ts'

const ADA = '15551234567'
/** A contact of the sandbox who hides their number. */
const HIDDEN = '0461'
const HOOK = '{"event":"message_created"}'
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAADElEQVR4AWNgGB4AAADIAAG/w8pxAAAAAElFTkSuQmCC',
  'base64',
)

/** Against a stand-in for Chatwoot: `test/harness/chatwoot.ts`. */
describe('The bridge to a Chatwoot inbox', () => {
  let rig: BridgeRig
  beforeAll(async () => {
    rig = await BridgeRig.start()
    await rig.startBridge()
  })
  afterAll(() => rig.close())
  beforeEach(() => {
    rig.chatwoot.fault = () => undefined
  })
  const signedAt = (seconds: number): Record<string, string> => {
    const time = String(Math.floor(seconds))
    const signature = createHmac('sha256', rig.chatwoot.secret!).update(`${time}.${HOOK}`).digest('hex')
    return { 'x-chatwoot-timestamp': time, 'x-chatwoot-signature': `sha256=${signature}` }
  }
  const conversationWithAda = async (): Promise<number> => {
    await rig.write(ADA, { type: 'text', text: 'Hello', from_name: 'Ada' })
    return await until(() => rig.chatwoot.conversationWith(`+${ADA}`))
  }

  it('brings a text into the conversation of its contact, sends the answer back to the phone, and reports it as read', async () => {
    await rig.write(ADA, { type: 'text', text: 'Is my *order* there?', from_name: 'Ada' })
    const brought = await rig.chatwoot.untilSaid('Is my **order** there?')
    expect(brought).toMatchObject({ type: 'incoming', private: false })
    expect(rig.chatwoot.contacts).toMatchObject([{ name: 'Ada', phone_number: `+${ADA}` }])
    const written = await rig.chatwoot.agentWrites(brought.conversation, 'On its **way**')
    expect(await rig.untilOnPhone('On its *way*')).toMatchObject({ type: 'text' })
    await until(() => written.status === 'read')
    expect(rig.chatwoot.conversations).toHaveLength(1)
  })

  it('shows replies as replies in both directions, edits as edits, and deletions and reactions as private notes', async () => {
    const conversation = await conversationWithAda()
    const asked = await rig.write(ADA, { type: 'text', text: 'First?' })
    const first = await rig.chatwoot.untilSaid('First?')
    const answer = await rig.chatwoot.agentWrites(conversation, 'Yes', {
      content_attributes: { in_reply_to: first.id },
    })
    const shown = await rig.untilOnPhone('Yes')
    await until(() => answer.status === 'read')
    await rig.write(ADA, { type: 'text', text: 'Thanks', quoted_message_id: shown.message_id })
    expect((await rig.chatwoot.untilSaid('Thanks')).content_attributes).toMatchObject({ in_reply_to: answer.id })
    await rig.write(ADA, { type: 'edit', text: 'First one?', edited_message_id: asked })
    const edited = await rig.chatwoot.untilSaid('*edited:*\nFirst one?')
    expect(edited).toMatchObject({ type: 'incoming', content_attributes: { in_reply_to: first.id } })
    await rig.write(ADA, { from_name: 'Ada', type: 'reaction', text: '👍', reacted_message_id: shown.message_id })
    const reaction = await rig.chatwoot.untilSaid(`Ada (+${ADA}) reacted with 👍.`)
    expect(reaction).toMatchObject({ private: true, content_attributes: { in_reply_to: answer.id } })
    await rig.write(ADA, { from_name: 'Ada', type: 'revoke', revoked_message_id: asked })
    expect(await rig.chatwoot.untilSaid(`Ada (+${ADA}) deleted this message.`)).toMatchObject({ private: true })
  })

  it('carries files in both directions, byte for byte', async () => {
    const conversation = await conversationWithAda()
    const media = { mimetype: 'image/png', data: PNG.toString('base64') }
    await rig.write(ADA, { type: 'image', text: 'The parcel', media })
    const brought = await rig.chatwoot.untilSaid('The parcel')
    expect(brought.files).toMatchObject([{ name: expect.stringMatching(/^image-\w+\.png$/), type: 'image/png' }])
    expect(brought.files[0]!.bytes.equals(PNG)).toBe(true)
    await rig.write(ADA, { type: 'video', text: 'Too much', media: { mimetype: 'video/mp4', size: 5_000_000 } })
    const large = await rig.chatwoot.untilSaid(
      'Too much\n[video: 4.8 MB, too large to be brought here; it is on the phone]',
    )
    expect(large.files).toEqual([])
    const files = [
      { name: 'label.png', type: 'image/png', bytes: PNG },
      { name: 'bill.pdf', type: 'application/pdf', bytes: Buffer.from('%PDF-1.4 a bill') },
    ]
    const written = await rig.chatwoot.agentWrites(conversation, 'Your label', { files })
    expect(await rig.untilOnPhone('Your label')).toMatchObject({ type: 'image' })
    await until(() => written.status === 'read')
    expect((await rig.onPhones()).filter(({ type }) => type === 'document')).toHaveLength(1)
  })

  it('fetches the files of agents from Chatwoot only', async () => {
    const conversation = await conversationWithAda()
    rig.chatwoot.fileHost = rig.gateway.url
    const files = [{ name: 'label.png', type: 'image/png', bytes: PNG }]
    const written = await rig.chatwoot.agentWrites(conversation, 'From elsewhere', { files })
    rig.chatwoot.fileHost = null
    await until(() => written.status === 'failed')
    expect(written.content_attributes.external_error).toContain('at a host that is not named')
  })

  it('identifies people without a number by their hidden identifier, and answers them', async () => {
    await rig.write(`1555123${HIDDEN}`, { type: 'text', text: 'Guess who', from_name: 'Zoe' })
    const brought = await rig.chatwoot.untilSaid('Guess who')
    const zoe = rig.chatwoot.contacts.find(({ name }) => name === 'Zoe')
    expect(zoe).toMatchObject({ phone_number: null, identifier: expect.stringMatching(/^\d+@lid$/) })
    const written = await rig.chatwoot.agentWrites(brought.conversation, 'Zoe?')
    await rig.untilOnPhone('Zoe?')
    await until(() => written.status === 'read')
  })

  it('writes first if an agent begins the conversation, and the answer arrives in that conversation', async () => {
    const conversation = rig.chatwoot.beginConversation({ name: 'Bob', phone_number: '+15557654321', identifier: null })
    await rig.chatwoot.agentWrites(conversation, 'Hello Bob')
    expect(await rig.untilOnPhone('Hello Bob')).toMatchObject({ contact: expect.stringContaining('15557654321') })
    await rig.write('15557654321', { type: 'text', text: 'Hello agent' })
    expect((await rig.chatwoot.untilSaid('Hello agent')).conversation).toBe(conversation)
  })

  it('writes failures back with their reason', async () => {
    const unreachable = rig.chatwoot.beginConversation({ name: 'No number', phone_number: null, identifier: null })
    const lost = await rig.chatwoot.agentWrites(unreachable, 'To nobody')
    await until(() => lost.status === 'failed')
    expect(lost.content_attributes.external_error).toBe('the contact has no phone number')
    const gone = rig.chatwoot.beginConversation({ name: 'Gone', phone_number: '+15551230404', identifier: null })
    const failed = await rig.chatwoot.agentWrites(gone, 'Are you there?')
    await until(() => failed.status === 'failed')
    expect(failed.content_attributes.external_error).toContain('INVALID_RECIPIENT')
  })

  it('reports a failure once in a private note if the status cannot be set, even if no response arrives', async () => {
    const unreachable = rig.chatwoot.beginConversation({ name: 'No number', phone_number: null, identifier: null })
    const [status, note] = ['/messages/', '/messages'].map(path => `/conversations/${unreachable}${path}`)
    let left = 2
    rig.chatwoot.fault = ({ method, path }) => {
      if (method === 'PATCH' && path.includes(status!)) return 403
      return method === 'POST' && path.endsWith(note!) && left-- > 0 ? 'late' : undefined
    }
    const lost = await rig.chatwoot.agentWrites(unreachable, 'To nobody either')
    await until(() => rig.lines().some(({ event, chatwoot_id }) => event === 'status' && chatwoot_id === lost.id))
    const said = rig.chatwoot.said('This message was not sent. the contact has no phone number')
    expect(said).toMatchObject([{ private: true, content_attributes: { in_reply_to: lost.id } }])
  })

  it('sends no private notes, none of the messages that it brought in, and no message twice', async () => {
    const conversation = await conversationWithAda()
    await rig.chatwoot.agentWrites(conversation, 'Only for us', { private: true })
    await rig.chatwoot.agentWrites(conversation, 'Once only')
    const payload = rig.chatwoot.messages.find(({ content }) => content === 'Once only')!
    await rig.untilOnPhone('Once only')
    await rig.chatwoot.hookAgain(payload)
    await rig.chatwoot.agentWrites(conversation, 'After it')
    await rig.untilOnPhone('After it')
    const texts = (await rig.onPhones()).map(({ text }) => text)
    expect(texts.filter(text => text === 'Once only')).toHaveLength(1)
    expect(texts).not.toContain('Only for us')
    expect(texts).not.toContain('Hello')
  })

  it('sends a message whose id was used before, and fails a message in a conversation that now belongs to another contact', async () => {
    const conversation = await conversationWithAda()
    const before = await rig.chatwoot.agentWrites(conversation, 'Before the backup')
    await until(() => before.status === 'read')
    Object.assign(before, { content: 'Another with its id', status: 'sent', created_at: '2027-01-01T00:00:00.000Z' })
    await rig.chatwoot.hookAgain(before)
    await rig.untilOnPhone('Another with its id')
    await until(() => before.status === 'read')
    const eve = { name: 'Eve', phone_number: '+15550001111', identifier: null }
    const of = (id: number) => rig.chatwoot.conversations.find(each => each.id === id)!
    of(conversation).contact = of(rig.chatwoot.beginConversation(eve)).contact
    const lost = await rig.chatwoot.agentWrites(conversation, 'For Eve')
    await until(() => lost.status === 'failed')
    expect(lost.content_attributes.external_error).toContain('belonged to another contact before')
    await rig.chatwoot.agentWrites(conversation, 'For Eve again')
    expect(await rig.untilOnPhone('For Eve again')).toMatchObject({ contact: expect.stringContaining('15550001111') })
    await rig.write(ADA, { type: 'text', text: 'For Ada' })
    expect((await rig.chatwoot.untilSaid('For Ada')).conversation).not.toBe(conversation)
    expect((await rig.onPhones()).map(({ text }) => text)).not.toContain('For Eve')
  })

  it('ignores groups and Status posts', async () => {
    await rig.write(ADA, { type: 'text', text: 'In a group', group: 'Friends' })
    await rig.write(ADA, { type: 'text', text: 'A post', broadcast: true })
    await rig.write(ADA, { type: 'text', text: 'Behind them' })
    await rig.chatwoot.untilSaid('Behind them')
    expect(rig.chatwoot.messages.filter(({ content }) => /In a group|A post/.test(content))).toEqual([])
  })

  it('begins another conversation after an agent has deleted the first', async () => {
    const conversation = await conversationWithAda()
    rig.chatwoot.conversations.splice(
      rig.chatwoot.conversations.findIndex(({ id }) => id === conversation),
      1,
    )
    await rig.write(ADA, { type: 'text', text: 'Still there?' })
    expect((await rig.chatwoot.untilSaid('Still there?')).conversation).not.toBe(conversation)
  })

  it.each([
    ['with a wrong secret in its path', () => ({ url: rig.webhookUrl().replace(/.{6}$/, 'wrong!') }), 404],
    ['without the signature', () => ({}), 401],
    [
      'with a wrong signature',
      () => ({ headers: { 'x-chatwoot-timestamp': '1', 'x-chatwoot-signature': 'sha256=0' } }),
      401,
    ],
    ['that was signed two days ago', () => ({ headers: signedAt(Date.now() / 1_000 - 172_800) }), 401],
    ['that is not a POST', () => ({ method: 'GET' }), 405],
    ['that is too large', () => ({ body: `"${'x'.repeat(5_000_000)}"` }), 413],
    ['to another path', () => ({ url: new URL('/admin', rig.webhookUrl()).href }), 404],
    [
      'for a file that was never offered',
      () => ({ url: new URL('/files/00', rig.webhookUrl()).href, method: 'GET' }),
      404,
    ],
  ])('rejects a request %s', async (_, make, status) => {
    const {
      url = rig.webhookUrl(),
      method = 'POST',
      headers = {},
      body = HOOK,
    } = make() as {
      url?: string
      method?: string
      headers?: Record<string, string>
      body?: string
    }
    const { origin, pathname } = new URL(url)
    const answer = await ask(origin, method, pathname, { headers, ...(method === 'POST' && { body }) })
    expect(answer.status).toBe(status)
  })

  it('names what is wrong with the configuration at the start, and how to fix it', async () => {
    const made = await ask(rig.gateway.url, 'POST', '/v1/keys', {
      key: rig.key,
      body: { label: 'r', scopes: ['read'] },
    })
    const other = (at: number) => ['--data', `${rig.dataDir}/other-${at}`]
    const starts: Array<[string[], Record<string, string>, RegExp]> = [
      [[], {}, /--data: \S+ is in use by another bridge/],
      [[...other(1)], { CHATWOOT_TOKEN: 'wrong' }, /refuses CHATWOOT_TOKEN for account 3 \(401\)/],
      [[...other(2), '--inbox', '8'], {}, /account 3 of Chatwoot at \S+ has no inbox 8 \(404\)/],
      [[...other(3), '--key', made.json.key], {}, /key lacks the scope send and manage/],
      [[...other(4), '--chatwoot', 'http://127.0.0.1:9'], {}, /no Chatwoot answers at http:\/\/127\.0\.0\.1:9/],
    ]
    const said = await Promise.all(
      starts.map(async ([args, env]) => {
        const running = rig.run(args, env)
        expect((await running.exited).code).toBe(1)
        return running.stderr()
      }),
    )
    for (const [at, [, , words]] of starts.entries()) expect(said[at]).toMatch(words)
    rig.chatwoot.channelType = 'Channel::WebWidget'
    const running = rig.run(other(1))
    await running.exited
    rig.chatwoot.channelType = 'Channel::Api'
    expect(running.stderr()).toMatch(
      /inbox 7 is of the type Channel::WebWidget, not API\. Add an inbox of the type API/,
    )
  })

  it('brings groups in if configured to, each as one conversation, with the author of each message', async () => {
    await rig.killBridge('SIGTERM')
    await rig.startBridge('--groups')
    await rig.write(ADA, { type: 'text', text: 'Hello all', group: 'Team', from_name: 'Ada' })
    const brought = await rig.chatwoot.untilSaid(`**Ada (+${ADA})**\nHello all`)
    const answer = await rig.chatwoot.agentWrites(brought.conversation, 'Hello team')
    await rig.untilOnPhone('Hello team')
    await until(() => answer.status === 'read')
  })

  it('has printed no content, no name or number of a contact, and no secret', () => {
    const printed = rig.printed()
    expect(printed).toContain('to_chatwoot')
    const secrets = [
      rig.chatwoot.env['CHATWOOT_TOKEN']!,
      rig.chatwoot.secret!,
      new URL(rig.webhookUrl()).pathname,
      rig.key,
    ]
    for (const each of [...secrets, ADA, 'order', 'Ada', 'parcel', '@lid']) expect(printed).not.toContain(each)
  })
})
