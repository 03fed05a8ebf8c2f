import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { GroupHandle } from '@postern/simulator/handles'
import { userOf } from '@postern/simulator/people'
import type { Phone } from '@postern/simulator/phone/phone'
import { node } from '@postern/simulator/wire/node'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Content } from '../../src/domain/message.ts'
import { inSize } from '../harness/matrix.ts'
import { type Stack, type StackNumber, startStack } from '../harness/whatsapp-stack.ts'
import { deviceOf, say, type Wire } from '../harness/wire-fuzz/wire.ts'

const DIGITS = '999340000001'

let stack: Stack
let number: StackNumber
let ana: Phone
let ben: Phone
let group: GroupHandle
let files: Server

beforeAll(async () => {
  files = createServer((request, response) => {
    if (request.url === '/never') return
    response.writeHead(Number(request.url?.slice(1)) || 404, { location: '/200' }).end('x')
  })
  await new Promise<void>(resolve => files.listen(0, '127.0.0.1', resolve))
  stack = await startStack()
  number = await stack.link(DIGITS)
  ana = stack.simulator.phone('5511904000001')
  ben = stack.simulator.phone('5511904000002')
  const members = [DIGITS, ben.digits]
  group = stack.simulator.group({ subject: 'Team', owner: ana.digits, members, addressing: 'lid' })
})
afterAll(async () => {
  await stack.close()
  files.closeAllConnections()
  await new Promise(resolve => files.close(resolve))
})
beforeEach(() => number.forget())

const picture = (path: string): Content => {
  const url = `http://127.0.0.1:${(files.address() as AddressInfo).port}${path}`
  return { type: 'media', mediaType: 'image', url, caption: '', mentions: [], filename: null, viewOnce: false }
}
const receiptsOf = (platformId: string, from = number) =>
  from.events.flatMap(event => (event.kind === 'receipt' && event.messenger_message_id === platformId ? [event] : []))

/** Waits until the platform has accepted the number again, and the worker knows. */
const isBack = (of = number, on = stack) =>
  of.until(async () => {
    const linked = on.simulator.numbers().find(({ jid }) => jid === of.jid)
    return linked?.devices[0]?.connected && (await on.bed.store.sessions.getSession(of.jid))?.state === 'connected'
  })

describe('Kind status', () => {
  test('sent has every field, after the server’s ack', async () => {
    const sent = await number.send(ana.jid, 'hello', { requestKey: 'order-1' })
    expect(await number.next('status')).toEqual({
      kind: 'status',
      session_id: number.jid,
      request_id: 'order-1',
      message_id: sent.messageId,
      messenger_message_id: sent.platformId,
      to: ana.jid,
      status: 'sent',
      timestamp_unix: expect.any(Number),
    })
    expect(ana.message(sent.platformId)?.id).toBe(sent.platformId)
  })

  test('request_id is the message_id if no Idempotency-Key was given', async () => {
    const sent = await number.send(ana.jid, 'hello')
    expect(await number.next('status')).toMatchObject({ request_id: sent.messageId, message_id: sent.messageId })
  })

  test('sent carries server_id for a channel that the number manages', async () => {
    const channel = stack.simulator.channel({ name: 'Ours', owner: DIGITS })
    await number.send(channel.jid, 'news')
    expect(await number.next('status')).toMatchObject({
      status: 'sent',
      to: channel.jid,
      server_id: channel.posts()[0]?.serverId,
    })
  })

  test('sent is published only after the ack', async () => {
    stack.simulator.faults.withholdAcks(number.jid, 1)
    const { platformId } = await number.send(ana.jid, 'slow')
    await number.next('status')
    // The first copy was lost, and no event was published for it.
    expect(ana.message(platformId)?.id).toBe(platformId)
    expect(number.events.filter(event => event.kind === 'status')).toHaveLength(1)
  })

  const refused = (): [string, string] => {
    stack.simulator.faults.rejectMessages(number.jid, 479, 1)
    return [ana.jid, '?']
  }
  type Failure = [string, string, () => [string, Content | string], RegExp]
  const failures: Failure[] = [
    ['INVALID_RECIPIENT', 'a number that is not on the platform', () => ['5511904000404', '?'], /platform/],
    ['INVALID_RECIPIENT', 'a group that does not exist', () => ['120363000000000001@g.us', '?'], /group/],
    ['MEDIA_FAILED', '403', () => [ana.jid, picture('/403')], /403/],
    ['MEDIA_FAILED', '404', () => [ana.jid, picture('/404')], /404/],
    ['MEDIA_FAILED', 'a redirect', () => [ana.jid, picture('/302')], /redirect/],
    ['SEND_FAILED', 'the platform refuses', refused, /479/],
  ]
  const failsAs = async (from: StackNumber, [reason, , make, detail]: Failure) => {
    const [to, content] = make()
    const { messageId } = await from.send(to, content)
    const event = await from.until(() => from.events.find(one => one.kind === 'status' && one.message_id === messageId))
    expect(event).toEqual({
      kind: 'status',
      session_id: from.jid,
      request_id: messageId,
      message_id: messageId,
      to: to.includes('@') ? to : `${to}@s.whatsapp.net`,
      status: 'failed',
      reason,
      detail: expect.stringMatching(detail),
      timestamp_unix: expect.any(Number),
    })
    expect(await from.message({ messageId } as never)).toMatchObject({ state: 'failed', reason })
  }
  test.each(failures)('failed has the reason %s: %s', (...failure) => failsAs(number, failure))

  // These wait for deadlines: at the same time, each with a number of its own.
  const slowFailures: Failure[] = [
    ['MEDIA_FAILED', 'a timeout', () => [ana.jid, picture('/never')], /time/],
    ['RETRIES_EXHAUSTED', 'no ack in 5 attempts', () => ['5511904000503', '?'], /acknowledge/],
  ]
  test.concurrent.each(slowFailures)('failed has the reason %s: %s', async (...failure) => {
    const digits = failure[0] === 'MEDIA_FAILED' ? '999340000007' : '999340000008'
    await failsAs(await stack.link(digits), failure)
  })

  test.concurrent('failed replaces sent and is final: no receipt follows', async () => {
    const slow = await stack.link('999340000009')
    // All of its attempts arrive after the last of them was abandoned.
    const release = stack.simulator.faults.holdAcks(slow.jid, 5)
    const late = await slow.dropped('receipt_after_end')
    const { platformId, messageId } = await slow.send(ana.jid, 'too late')
    await slow.next('status', event => event.message_id === messageId)
    release()
    await slow.until(async () => (await slow.dropped('receipt_after_end')) > late)
    const published = slow.events.filter(event => event.kind === 'status' && event.message_id === messageId)
    expect(published).toMatchObject([{ status: 'failed', reason: 'RETRIES_EXHAUSTED' }])
    expect(receiptsOf(platformId, slow)).toEqual([])
    expect(await slow.message({ messageId } as never)).toMatchObject({ state: 'failed' })
  })

  test('after 463 the message is failed with SEND_FAILED, the session shows the end of the restriction, and messages to strangers wait', async () => {
    const cold = await stack.link('999340000005')
    const before = Date.now()
    stack.simulator.faults.restrict(cold.jid, 3_600_000)
    const { messageId } = await cold.send('5511904000463', '?')
    const event = await cold.next('status', one => one.message_id === messageId)
    expect(event).toMatchObject({ status: 'failed', reason: 'SEND_FAILED', detail: expect.stringContaining('463') })
    const session = await cold.until(async () => {
      const found = await stack.bed.store.sessions.getSession(cold.jid)
      return found?.restrictedUntil ? found : undefined
    })
    expect(session.restrictedUntil).toBeGreaterThan(before)
    const stranger = await cold.send('5511904999999', 'cold')
    await ana.sendTo(cold.jid, { type: 'text', text: 'I have written first' })
    await cold.next('message')
    await cold.send(ana.jid, 'warm')
    await cold.next('status', one => one.status === 'sent' && one.to === ana.jid)
    expect((await cold.message(stranger)).state).toBe('queued')
  })
})

describe('Kind receipt', () => {
  test('delivered, read and played have every field and come in order', async () => {
    const sent = await number.send(ana.jid, 'ticks', { requestKey: 'order-2' })
    await number.next('receipt')
    ana.read(sent.platformId)
    ana.play(sent.platformId)
    await number.until(() => receiptsOf(sent.platformId).length === 3)
    const fields = {
      kind: 'receipt',
      session_id: number.jid,
      request_id: 'order-2',
      messenger_message_id: sent.platformId,
      recipient_jid: ana.jid,
      timestamp_unix: expect.any(Number),
    }
    expect(receiptsOf(sent.platformId)).toEqual(
      ['delivered', 'read', 'played'].map(type => ({ ...fields, receipt_type: type })),
    )
    expect((await number.message(sent)).state).toBe('played')
  })

  test('request_id survives a restart of the worker in between', async () => {
    const sent = await number.sendAndSettle(ana.jid, 'before', {})
    await number.next('receipt')
    await number.run({ kind: 'restart' })
    await isBack()
    ana.read(sent.platformId)
    const receipt = await number.next('receipt', event => event.receipt_type === 'read')
    expect(receipt).toMatchObject({ request_id: sent.requestId, messenger_message_id: sent.platformId })
  })

  test('recipient_jid equals the to of the send, even if that is a hidden identifier', async () => {
    await number.send(ana.lid, 'to lid')
    expect(await number.next('receipt')).toMatchObject({ recipient_jid: ana.lid, receipt_type: 'delivered' })
  })

  test('in a group each recipient gives its own receipt', async () => {
    const { platformId } = await number.send(group.jid, 'hello all')
    await number.until(() => receiptsOf(platformId).length === 2)
    expect(
      receiptsOf(platformId)
        .map(event => event.recipient_jid)
        .sort(),
    ).toEqual([ana.jid, ben.jid].sort())
  })

  test('the same receipt twice is one event', async () => {
    const { platformId } = await number.sendAndSettle(ana.jid, 'once')
    await number.next('receipt')
    stack.simulator.faults.duplicate(number.jid, 3, 1)
    ana.read(platformId)
    await number.next('receipt', event => event.receipt_type === 'read')
    const after = await number.sendAndSettle(ana.jid, 'after')
    await number.next('receipt', event => event.messenger_message_id === after.platformId)
    expect(receiptsOf(platformId).map(event => event.receipt_type)).toEqual(['delivered', 'read'])
  })

  test('a receipt that comes before the ack first publishes sent', async () => {
    stack.simulator.faults.withholdAcks(number.jid, 1)
    const { platformId, messageId } = await number.send(ana.jid, 'retried')
    await number.next('receipt', event => event.messenger_message_id === platformId)
    const published = number.events.filter(
      event => (event.kind === 'status' && event.message_id === messageId) || event.kind === 'receipt',
    )
    expect(published[0]).toMatchObject({ kind: 'status', status: 'sent' })
  })

  test('a receipt of a message that was not sent through the gateway is counted, and no event is published', async () => {
    // The receipt of a linked number goes to every device of the sender; the receipt of a phone goes to the sending
    // device.
    const linked = await stack.link('999340000006')
    const before = await number.dropped('receipt_of_unknown_message')
    const { id } = await stack.simulator.phone(number.jid).sendTo(linked.jid, { type: 'text', text: 'from my phone' })
    await number.until(async () => (await number.dropped('receipt_of_unknown_message')) > before)
    expect(receiptsOf(id)).toEqual([])
  })
})

describe('A receipt counts only if its author is a recipient', () => {
  const wireOf = (sender: Phone): Wire => {
    const { network } = stack.simulator
    return { network, device: deviceOf(network, DIGITS), sender: userOf(network, sender.digits), label: 'a receipt' }
  }
  /** A receipt that this person makes up; resolves when it is counted and ignored. */
  const expectIgnored = async (author: Phone, attrs: Record<string, string>): Promise<void> => {
    const before = await number.dropped('receipt_of_other')
    say(wireOf(author), node('receipt', { t: String(Math.floor(Date.now() / 1000)), ...attrs }))
    await number.until(async () => (await number.dropped('receipt_of_other')) > before)
  }
  let mallory: Phone
  beforeAll(async () => {
    mallory = stack.simulator.phone('5511904000003')
    // A contact of the number, whose names are known.
    await number.sendAndSettle(mallory.jid, 'hello')
    await number.next('receipt', event => event.recipient_jid === mallory.jid)
  })

  test('of another contact who knows the id of a message is counted, and no event is published', async () => {
    const { platformId } = await number.sendAndSettle(ana.jid, 'for Ana')
    await number.until(() => receiptsOf(platformId).length === 1)
    for (const from of [mallory.jid, mallory.lid])
      for (const type of ['read', 'played']) await expectIgnored(mallory, { from, id: platformId, type })
    await expectIgnored(mallory, { from: mallory.lid, participant: ana.lid, id: platformId, type: 'read' })
    expect(receiptsOf(platformId).map(event => event.receipt_type)).toEqual(['delivered'])
  })

  test('of a person outside the group is counted, and no event is published', async () => {
    const { platformId } = await number.sendAndSettle(group.jid, 'for the group')
    await number.until(() => receiptsOf(platformId).length === 2)
    for (const participant of [mallory.jid, mallory.lid])
      await expectIgnored(mallory, { from: group.jid, participant, id: platformId, type: 'read' })
    await expectIgnored(mallory, { from: mallory.lid, id: platformId, type: 'read' })
    // A member of the group reports a message that went to another chat.
    const direct = await number.sendAndSettle(ana.jid, 'for Ana')
    await expectIgnored(ben, { from: group.jid, participant: ben.lid, id: direct.platformId, type: 'read' })
    ben.read(platformId)
    await number.next('receipt', event => event.messenger_message_id === platformId && event.receipt_type === 'read')
    expect(receiptsOf(platformId).filter(event => event.recipient_jid === mallory.jid)).toEqual([])
    expect(receiptsOf(direct.platformId).filter(event => event.receipt_type === 'read')).toEqual([])
  })

  test('of a person outside the audience of a status post is counted, and no event is published', async () => {
    const stranger = stack.simulator.phone('5511904000004')
    const { platformId } = await number.sendAndSettle('status@broadcast', 'my day')
    await number.until(() => receiptsOf(platformId).some(event => event.recipient_jid === ana.jid))
    await expectIgnored(stranger, { from: 'status@broadcast', participant: stranger.lid, id: platformId, type: 'read' })
    ana.read(platformId)
    await number.next('receipt', event => event.messenger_message_id === platformId && event.receipt_type === 'read')
  })
})

describe('Kind connection', () => {
  const connections = (of: StackNumber) => of.events.flatMap(event => (event.kind === 'connection' ? [event] : []))

  test('connected has every field after pairing', async () => {
    const fresh = await stack.link('999340000002')
    expect(connections(fresh)).toEqual([
      { kind: 'connection', session_id: fresh.jid, event: 'connected', timestamp_unix: expect.any(Number) },
    ])
  })

  const DROPS = inSize(5, 100)
  test('short drops publish no event, however many there are', async () => {
    const patient = await startStack({ env: { POSTERN_DISCONNECT_GRACE: '10m' } })
    const steady = await patient.link('999340000005')
    steady.forget()
    for (let drop = 0; drop < DROPS; drop += 1) {
      patient.simulator.faults.cut(steady.jid)
      await isBack(steady, patient)
    }
    await steady.sendAndSettle(patient.simulator.phone('5511904000001').jid, 'still here')
    expect(connections(steady)).toEqual([])
    await patient.close()
  })

  test('disconnected is published if the link does not recover within the grace, and connected once it does', async () => {
    stack.simulator.faults.cut(number.jid, 600_000)
    const down = await number.next('connection')
    expect(down).toEqual({
      kind: 'connection',
      session_id: number.jid,
      event: 'disconnected',
      timestamp_unix: expect.any(Number),
    })
    stack.simulator.faults.cut(number.jid, 0)
    expect(await number.next('connection', event => event !== down)).toMatchObject({ event: 'connected' })
  })

  test('logged_out is published immediately and is final, and waiting messages fail', async () => {
    const gone = await stack.link('999340000003')
    stack.simulator.faults.withholdAcks(gone.jid, 9)
    const waiting = await gone.send(ana.jid, 'too late')
    gone.forget()
    stack.simulator.faults.logOut(gone.jid)
    expect(await gone.next('connection')).toMatchObject({ event: 'logged_out', session_id: gone.jid })
    await gone.next('status', event => event.message_id === waiting.messageId && event.reason === 'SEND_FAILED')
    expect((await stack.bed.store.sessions.getSession(gone.jid))?.state).toBe('logged_out')
  })

  test('a number that the platform has banned is logged_out', async () => {
    const banned = await stack.link('999340000004')
    banned.forget()
    stack.simulator.faults.failLogins(banned.jid, 403, 1)
    stack.simulator.faults.cut(banned.jid)
    expect(await banned.next('connection')).toMatchObject({ event: 'logged_out' })
  })
})
