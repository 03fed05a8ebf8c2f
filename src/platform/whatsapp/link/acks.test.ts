import { expect, it } from 'vitest'
import { systemClock } from '../../../runtime/clock.ts'
import { type Ack, Acks, readAck } from './acks.ts'

const NOW = 1_800_000_000_000

it.each<{ attrs: Record<string, string>; ack: Ack }>([
  { attrs: { t: '1700000000' }, ack: { ok: true, atMs: 1_700_000_000_000, serverId: null } },
  { attrs: { t: '1700000000', server_id: '17' }, ack: { ok: true, atMs: 1_700_000_000_000, serverId: 17 } },
  { attrs: {}, ack: { ok: true, atMs: NOW, serverId: null } },
  { attrs: { t: 'soon', server_id: '-1' }, ack: { ok: true, atMs: NOW, serverId: null } },
  { attrs: { error: '463', t: '1700000000' }, ack: { ok: false, code: 463 } },
  { attrs: { error: '503' }, ack: { ok: false, code: 503, isTemporary: true } },
  { attrs: { error: '475', backoff: '60' }, ack: { ok: false, code: 475, isTemporary: true } },
])('an ack with $attrs means $ack', ({ attrs, ack }) => expect(readAck({ attrs }, NOW)).toEqual(ack))

const acknowledge = (id: string) => ({ tag: 'ack', attrs: { id, t: '1700000000' } })

it('of two attempts under one id the later one gets the ack, and the end of the link ends the wait', async () => {
  const acks = new Acks(systemClock, async () => true)
  const [first, second] = [acks.expect('A'), acks.expect('A')]
  acks.receive(acknowledge('A'))
  expect(await second.outcome).toMatchObject({ ok: true })
  first.within(1)
  expect(await first.outcome).toBe('timeout')
  const third = acks.expect('B')
  acks.lose()
  expect(await third.outcome).toBe('lost')
})

it('the timeout begins when the message is sent', async () => {
  const acks = new Acks(systemClock, async () => true)
  const expected = acks.expect('A')
  expected.within(5)
  expect(await expected.outcome).toBe('timeout')
  acks.receive(acknowledge('A'))
})

it('a missing ack of a server that answers no ping is a lost link', async () => {
  const expected = new Acks(systemClock, async () => false).expect('A')
  expected.within(5)
  expect(await expected.outcome).toBe('lost')
})

it('an ack that arrives during the ping counts', async () => {
  const acks = new Acks(systemClock, async () => {
    acks.receive(acknowledge('A'))
    return true
  })
  const expected = acks.expect('A')
  expected.within(5)
  expect(await expected.outcome).toMatchObject({ ok: true })
})
