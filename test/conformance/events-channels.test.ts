import type { ChannelHandle } from '@postern/simulator/handles'
import type { Phone } from '@postern/simulator/phone/phone'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { type Stack, type StackNumber, startStack } from '../harness/whatsapp-stack.ts'
import { deviceOf } from '../harness/wire-fuzz/wire.ts'

const DIGITS = '999330000001'
const LIVE_MS = 5_000

let stack: Stack
let number: StackNumber
let ana: Phone
let channel: ChannelHandle

beforeAll(async () => {
  stack = await startStack({ timing: { liveUpdatesMs: LIVE_MS } })
  number = await stack.link(DIGITS)
  ana = stack.simulator.phone('5511903000001')
  channel = stack.simulator.channel({ name: 'News', owner: ana.digits, followers: [DIGITS] })
})
afterAll(() => stack.close())
beforeEach(() => number.forget())

const watched = (of = channel) => stack.simulator.until(() => of.watchers().includes(DIGITS))
const isOf = (post: { id: string }) => (event: { message_id: string }) => event.message_id === post.id

describe('Kind newsletter_message', () => {
  test.each(['message', 'live_updates'] as const)(
    'a post of a followed channel as %s arrives with both ids',
    async form => {
      await watched()
      const post = await channel.post({ type: 'text', text: 'breaking' }, form)
      expect(await number.next('newsletter_message', isOf(post))).toEqual({
        kind: 'newsletter_message',
        session_id: number.jid,
        newsletter_jid: channel.jid,
        server_id: post.serverId,
        message_id: post.id,
        type: 'text',
        text: 'breaking',
        timestamp_unix: expect.any(Number),
      })
    },
  )

  test.each(['image', 'video'] as const)('a post with a %s has its type and its caption', async type => {
    const post = await channel.post({ type, data: Buffer.from('x'), caption: 'look' })
    expect(await number.next('newsletter_message', isOf(post))).toMatchObject({ type, text: 'look' })
  })

  test('type may be empty for a post without a type of its own', async () => {
    const post = await channel.post({ type: 'contacts', contacts: [{ name: 'Bob', phone: '5511900000003' }] })
    expect(await number.next('newsletter_message', isOf(post))).toMatchObject({ type: '', text: 'Bob\n+5511900000003' })
  })

  test('text is empty when the update carries only ids', async () => {
    await watched()
    const post = await channel.post({ type: 'raw', message: {} }, 'live_updates')
    const event = await number.next('newsletter_message', isOf(post))
    expect(event).toMatchObject({ text: '', type: '', server_id: post.serverId })
  })

  test('a post that comes in both forms is published once', async () => {
    await watched()
    const twice = await channel.post({ type: 'text', text: 'both' }, 'both')
    const after = await channel.post({ type: 'text', text: 'after' })
    await number.next('newsletter_message', isOf(after))
    const published = number.events.filter(
      event => event.kind === 'newsletter_message' && event.message_id === twice.id,
    )
    expect(published).toHaveLength(1)
  })

  test('a post of a channel that the number manages is not published', async () => {
    const before = await number.dropped('channel_managed')
    const own = stack.simulator.channel({ name: 'Ours', owner: DIGITS, followers: [DIGITS] })
    await own.post({ type: 'text', text: 'from us' })
    await number.until(async () => (await number.dropped('channel_managed')) > before)
    expect(number.events).toEqual([])
  })

  test('posts made while the number is offline arrive afterwards', async () => {
    stack.simulator.faults.cut(number.jid, 60_000)
    const post = await channel.post({ type: 'text', text: 'missed' })
    stack.simulator.faults.cut(number.jid, 0)
    await number.next('newsletter_message', isOf(post))
  })

  test('both ids together allow a reaction', async () => {
    const post = await channel.post({ type: 'text', text: 'react to me' })
    const { server_id: serverId, message_id: messageId } = await number.next('newsletter_message', isOf(post))
    await number.run({ kind: 'newsletter_react', newsletterJid: channel.jid, serverId, messageId, emoji: '🔥' })
    expect(
      channel
        .posts()
        .find(({ id }) => id === post.id)
        ?.reactions.get(DIGITS),
    ).toBe('🔥')
  })
})

describe('Live updates of followed channels', () => {
  const liveArrives = async (of = channel) => {
    await watched(of)
    const post = await of.post({ type: 'text', text: 'live' }, 'live_updates')
    await number.next('newsletter_message', isOf(post))
  }

  test('continue after a reconnect', async () => {
    stack.simulator.faults.cut(number.jid)
    await stack.simulator.until(() => channel.watchers().length === 0)
    await liveArrives()
  })

  test('continue after a restart of the session', async () => {
    await number.run({ kind: 'restart' })
    await stack.simulator.until(() => channel.watchers().length === 0)
    await liveArrives()
  })

  test('are renewed before they expire', async () => {
    const timers = vi.spyOn(globalThis, 'setTimeout')
    stack.simulator.faults.cut(number.jid)
    await stack.simulator.until(() => channel.watchers().length === 0)
    await watched()
    const device = deviceOf(stack.simulator.network, DIGITS)
    const endsAt = () => device.liveUpdates.get(channel.jid) ?? 0
    const first = endsAt()
    await number.until(() => endsAt() > first)
    expect(timers.mock.calls.map(([, ms]) => ms)).toContain(LIVE_MS * 0.8)
    timers.mockRestore()
    await liveArrives()
  })

  test('begin when a channel is followed from the phone, and end when it is unfollowed', async () => {
    const other = stack.simulator.channel({ name: 'Other', owner: ana.digits })
    other.follow(DIGITS)
    await liveArrives(other)
    other.unfollow(DIGITS)
    await stack.simulator.until(() => other.watchers().length === 0, LIVE_MS * 2)
  })
})
