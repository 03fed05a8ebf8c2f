import { createHash } from 'node:crypto'
import type { GroupHandle } from '@postern/simulator/handles'
import type { Phone } from '@postern/simulator/phone/phone'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { aboutAutoReject } from '../../src/domain/sealed.ts'
import { type Stack, type StackNumber, startStack } from '../harness/whatsapp-stack.ts'

let stack: Stack
let number: StackNumber
let ana: Phone
let ben: Phone
let group: GroupHandle
let hiddenGroup: GroupHandle

beforeAll(async () => {
  stack = await startStack()
  number = await stack.link('999320000001')
  ana = stack.simulator.phone('5511902000001')
  ben = stack.simulator.phone('5511902000002')
  group = stack.simulator.group({ subject: 'Plain', owner: ana.digits, members: ['999320000001'], addressing: 'pn' })
  hiddenGroup = stack.simulator.group({
    subject: 'Hidden',
    owner: ana.digits,
    members: ['999320000001', ben.digits],
    addressing: 'lid',
  })
})
afterAll(() => stack.close())
beforeEach(() => number.forget())

describe('Kind poll_vote', () => {
  const hash = (option: string) => createHash('sha256').update(option).digest('hex')
  const sendPoll = async (to: string, options: string[], reader: Phone) => {
    const poll = { type: 'poll', name: 'Lunch?', options, selectableCount: 0 } as const
    const sent = await number.sendAndSettle(to, poll)
    await stack.simulator.until(() => reader.message(sent.platformId))
    return sent
  }

  test.each([
    ['pn', 'pn'],
    ['lid', 'pn'],
    ['pn', 'lid'],
    ['lid', 'lid'],
  ] as const)(
    'has the hashes of the chosen options, with the creator named by %s and the voter by %s',
    async (creatorAddressing, voterAddressing) => {
      const { platformId, requestId } = await sendPoll(ana.jid, ['Pizza', 'Soup', 'Salad'], ana)
      const before = Math.floor(Date.now() / 1000)
      await ana.vote(number.jid, platformId, ['Pizza', 'Salad'], { creatorAddressing, voterAddressing })
      const event = await number.next('poll_vote')
      expect(event).toEqual({
        kind: 'poll_vote',
        session_id: number.jid,
        voter_jid: ana.jid,
        chat_jid: ana.jid,
        poll_message_id: platformId,
        poll_request_id: requestId,
        selected_hashes: expect.any(Array),
        timestamp_unix: expect.any(Number),
      })
      expect([...event.selected_hashes].sort()).toEqual([hash('Pizza'), hash('Salad')].sort())
      expect(event.timestamp_unix).toBeGreaterThanOrEqual(before)
      expect(event.timestamp_unix).toBeLessThanOrEqual(Date.now() / 1000)
    },
  )

  test('has an empty array if the voter withdrew the vote', async () => {
    const { platformId } = await sendPoll(ana.jid, ['a', 'b'], ana)
    await ana.vote(number.jid, platformId, [])
    expect(await number.next('poll_vote')).toMatchObject({ selected_hashes: [] })
  })

  test('is published again if the vote changes', async () => {
    const { platformId } = await sendPoll(ana.jid, ['a', 'b'], ana)
    await ana.vote(number.jid, platformId, ['a'])
    await number.next('poll_vote')
    await ana.vote(number.jid, platformId, ['b'])
    await number.next('poll_vote', event => event.selected_hashes.includes(hash('b')))
  })

  test('is published for a group member', async () => {
    const { platformId } = await sendPoll(hiddenGroup.jid, ['1', '2'], ben)
    await ben.vote(hiddenGroup.jid, platformId, ['2'])
    expect(await number.next('poll_vote')).toMatchObject({
      chat_jid: hiddenGroup.jid,
      voter_jid: ben.lid,
      poll_message_id: platformId,
      selected_hashes: [hash('2')],
    })
  })

  test('on another person’s poll names its message, and no request', async () => {
    const { id } = await ana.sendTo(hiddenGroup.jid, {
      type: 'poll',
      name: '?',
      options: ['x', 'y'],
      selectableCount: 1,
    })
    const poll = await number.next('message', event => event.message_id === id)
    await ben.vote(hiddenGroup.jid, id, ['y'])
    const event = await number.next('poll_vote')
    expect(event).toMatchObject({ poll_message_id: poll.message_id, selected_hashes: [hash('y')] })
    expect(event).not.toHaveProperty('poll_request_id')
  })

  test('on an unknown poll is counted, and no event is published', async () => {
    const vote = { encPayload: Buffer.alloc(40), encIv: Buffer.alloc(12) }
    const pollCreationMessageKey = { id: '3EB0NOSUCHPOLL', remoteJid: number.jid, fromMe: false }
    await ana.sendTo(number.jid, { type: 'raw', message: { pollUpdateMessage: { pollCreationMessageKey, vote } } })
    await number.until(async () => (await number.dropped('vote_on_unknown_poll')) > 0)
    expect(number.events).toEqual([])
  })
})

describe('Kind typing', () => {
  test.each([
    ['composing', true, 'text'],
    ['recording', true, 'audio'],
    ['paused', false, 'text'],
  ] as const)('is published for %s', async (state, typing, media) => {
    ana.typing(number.jid, state)
    expect(await number.next('typing')).toEqual({
      kind: 'typing',
      session_id: number.jid,
      sender_jid: ana.jid,
      chat_jid: ana.jid,
      is_group: false,
      typing,
      media,
    })
  })

  test('is published in a group', async () => {
    ana.typing(group.jid, 'composing')
    expect(await number.next('typing')).toMatchObject({
      chat_jid: group.jid,
      sender_jid: ana.jid,
      is_group: true,
      typing: true,
    })
  })
})

describe('Kind presence', () => {
  test('is published only after a subscription, and survives a reconnect', async () => {
    ben.presence({ online: true })
    ana.typing(number.jid, 'composing')
    await number.next('typing')
    expect(number.events.some(event => event.kind === 'presence')).toBe(false)
    await number.run({ kind: 'presence_subscribe', contactJid: ben.jid })
    const fields = { kind: 'presence', session_id: number.jid, contact_jid: ben.jid }
    expect(await number.next('presence')).toEqual({ ...fields, online: true, last_seen_unix: 0 })
    number.forget()
    ben.presence({ online: false, lastSeen: 1_700_000_000 })
    expect(await number.next('presence')).toEqual({ ...fields, online: false, last_seen_unix: 1_700_000_000 })
    stack.simulator.faults.cut(number.jid)
    await number.until(() => {
      ben.presence({ online: true })
      return number.events.some(event => event.kind === 'presence' && event.online)
    })
  })

  test('has last_seen_unix 0 if the contact hides it', async () => {
    await number.run({ kind: 'presence_subscribe', contactJid: ben.jid })
    number.forget()
    ben.presence({ online: false, lastSeen: 'hidden' })
    const event = await number.next('presence', one => !one.online)
    expect(event.last_seen_unix).toBe(0)
  })
})

describe('Kind call', () => {
  test.each([
    [false, 'pn'],
    [true, 'lid'],
  ] as const)('has offer and terminate, with video %s and the caller named by %s', async (video, addressing) => {
    const { id } = await ana.call(number.jid, { video, addressing })
    expect(await number.next('call')).toEqual({
      kind: 'call',
      session_id: number.jid,
      call_id: id,
      from_jid: ana.jid,
      event: 'offer',
      video,
      rejected: false,
      timestamp_unix: expect.any(Number),
    })
    number.forget()
    await ana.hangUp(id, { reason: 'timeout', addressing })
    expect(await number.next('call')).toEqual({
      kind: 'call',
      session_id: number.jid,
      call_id: id,
      from_jid: ana.jid,
      event: 'terminate',
      video,
      reason: 'timeout',
      rejected: false,
      timestamp_unix: expect.any(Number),
    })
  })

  test('has a reason only on terminate, and only if there is one', async () => {
    const { id } = await ana.call(number.jid)
    expect(await number.next('call')).not.toHaveProperty('reason')
    await ana.hangUp(id)
    expect(await number.next('call', event => event.event === 'terminate')).not.toHaveProperty('reason')
  })

  const autoReject = (enabled: boolean, message: Uint8Array | null = null) =>
    stack.bed.store.sessions.updateSession({
      id: number.jid,
      accountId: number.accountId,
      autoReject: { enabled, message },
    })
  /** The worker receives the setting shortly afterwards. */
  const rejectedCall = () =>
    number.until(async () => {
      const { id } = await ana.call(number.jid)
      const offer = await number.next('call', event => event.call_id === id)
      if (!offer.rejected) await ana.hangUp(id)
      return offer.rejected ? offer : undefined
    })

  test('has rejected true if the gateway auto-rejected the call; the caller gets the message', async () => {
    await autoReject(true, stack.bed.seal.seal('Please write instead', aboutAutoReject(number.jid)))
    const rejected = await rejectedCall()
    await stack.simulator.until(() => ana.calls().find(({ id }) => id === rejected.call_id)?.state === 'rejected')
    await stack.simulator.until(() =>
      ana.inbox().some(({ message: held }) => held.extendedTextMessage?.text === 'Please write instead'),
    )
    await autoReject(false)
  })

  test('is published and not rejected for a call that rang while the number was offline', async () => {
    await autoReject(true)
    await rejectedCall()
    stack.simulator.faults.cut(number.jid, 60_000)
    const { id } = await ana.call(number.jid)
    stack.simulator.faults.cut(number.jid, 0)
    const offer = await number.next('call', event => event.call_id === id)
    expect(offer).toMatchObject({ event: 'offer', rejected: false })
    await rejectedCall()
    expect(ana.calls().find(call => call.id === id)?.state).toBe('ringing')
    await autoReject(false)
  })
})
