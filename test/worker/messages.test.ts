import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { systemClock } from '../../src/runtime/clock.ts'
import type { ReceiptEvent, StatusEvent } from '../../src/domain/event.ts'
import { incomingText, receiptOf } from '../harness/fake-platform.ts'
import { type HostedNumber, type HostingBed, openHosting } from '../harness/hosting.ts'
import { ONE_STORE } from '../harness/stores.ts'
import { until } from '../harness/until.ts'

const ADA = '15550001111@s.whatsapp.net'
const BOB = '15550002222@s.whatsapp.net'

describe.each(ONE_STORE)('Outbound messages on %s', kind => {
  let bed: HostingBed
  let number: HostedNumber
  let worker: ReturnType<HostingBed['startWorker']>

  const open = async (env: Record<string, string> = {}): Promise<void> => {
    bed = await openHosting(kind, env)
    number = await bed.addNumber()
    worker = bed.startWorker()
    await bed.connected(number)
  }
  beforeEach(() => open())
  afterEach(() => bed.close())

  const statuses = async (): Promise<StatusEvent[]> =>
    (await bed.events(number)).filter((event): event is StatusEvent => event.kind === 'status')
  const receipts = async (): Promise<ReceiptEvent[]> =>
    (await bed.events(number)).filter((event): event is ReceiptEvent => event.kind === 'receipt')

  /** An attempt has time to prepare, and three times as long as the platform's ack may take. The lease is renewed. */
  const passAttempt = async (): Promise<void> => {
    for (const ms of [150_000, 3 * bed.context.config.ackTimeoutMs]) {
      bed.clock.pass(ms)
      await bed.nextBeat(1)
    }
  }

  it('the status sent carries request_id, message_id, messenger_message_id and to', async () => {
    const handle = await bed.send(number, ADA, 'hello', { requestKey: 'order-1' })
    await until(async () => (await statuses()).length === 1)
    expect((await statuses())[0]).toMatchObject({
      kind: 'status',
      session_id: number.sessionId,
      request_id: 'order-1',
      message_id: handle.messageId,
      messenger_message_id: handle.platformId,
      to: ADA,
      status: 'sent',
    })
    expect(bed.network.frames).toHaveLength(1)
    expect(bed.network.frames[0]).toMatchObject({ text: 'hello', platformId: handle.platformId })
    expect(await bed.stateOf(handle)).toBe('sent')
    expect(await bed.query('select * from commands')).toHaveLength(0)
  })

  it('a message that costs the number its link each time is abandoned after 10 minutes, and delays no other for longer', async () => {
    await worker.stop()
    let aheadMs = 0
    const clock = { ...systemClock, now: () => new Date(Date.now() + aheadMs) }
    worker = bed.startWorker({ clock })
    await bed.connected(number)
    let attempts = 0
    bed.network.treat(command => {
      if (command.kind !== 'send' || command.to !== ADA) return 'ack'
      attempts++
      return { kind: 'link_down', detail: 'the link was lost' }
    })
    const poison = await bed.send(number, ADA, 'poison')
    await until(() => attempts > 2)
    expect(await bed.stateOf(poison)).toBe('queued')
    aheadMs = 11 * 60_000
    await until(async () => (await bed.stateOf(poison)) === 'failed')
    expect((await bed.store.messages.getMessage(poison.messageId))!.reason).toBe('RETRIES_EXHAUSTED')
    const other = await bed.send(number, BOB, 'fine')
    await until(async () => (await bed.stateOf(other)) === 'sent')
  })

  it('messages to one recipient are never unacknowledged together and keep their order through retries', async () => {
    let inFlight = 0
    let most = 0
    bed.network.treat((command, nth) => {
      if (command.kind === 'send' && command.to === ADA && nth === 1) return { kind: 'transient', detail: 'busy' }
      inFlight++
      most = Math.max(most, inFlight)
      return { ackAfter: new Promise<void>(resolve => setTimeout(resolve, 5)).then(() => void inFlight--) }
    })
    const texts = Array.from({ length: 12 }, (_, i) => `m${i}`)
    for (const text of texts) await bed.send(number, ADA, text)
    await until(async () => (await statuses()).length === 12)
    expect(bed.network.frames.map(frame => frame.text)).toEqual(texts)
    expect(most).toBe(1)
  })

  it('a recipient that never acknowledges delays no other recipient', async () => {
    let release: () => void = () => {}
    const ackAfter = new Promise<void>(resolve => (release = resolve))
    bed.network.treat(command => (command.kind === 'send' && command.to === ADA ? { ackAfter } : 'ack'))
    const stuck = await bed.send(number, ADA, 'stuck')
    const behind = await bed.send(number, ADA, 'behind it')
    const others = await Promise.all(
      Array.from({ length: 40 }, (_, i) => bed.send(number, `1555000${String(3000 + i)}`, `other ${i}`)),
    )
    await until(async () => (await statuses()).filter(event => event.status === 'sent').length >= others.length)
    expect(await Promise.all([stuck, behind].map(bed.stateOf))).toEqual(['queued', 'queued'])
    expect(bed.network.frames.filter(frame => frame.to === ADA)).toHaveLength(1)
    release()
    await until(async () => (await bed.stateOf(behind)) === 'sent')
  })

  it('a message that is never acknowledged is sent 5 times and is then RETRIES_EXHAUSTED', async () => {
    await bed.close()
    await open({ POSTERN_ACK_TIMEOUT: '60s' })
    bed.network.treat(() => 'silent')
    const stuck = await bed.send(number, ADA, 'never')
    await until(async () => {
      await passAttempt()
      return (await bed.stateOf(stuck)) === 'failed'
    })
    const failed = (await statuses()).find(event => event.message_id === stuck.messageId)!
    expect(failed).toMatchObject({ status: 'failed', reason: 'RETRIES_EXHAUSTED' })
    expect(bed.network.frames.filter(frame => frame.platformId === stuck.platformId)).toHaveLength(5)
  })

  it('an attempt may take longer to prepare than the platform may take to acknowledge', async () => {
    await bed.close()
    await open({ POSTERN_ACK_TIMEOUT: '1s' })
    let prepared: () => void = () => {}
    const ackAfter = new Promise<void>(resolve => (prepared = resolve))
    bed.network.treat(() => ({ ackAfter }))
    const slow = await bed.send(number, ADA, 'to a large group')
    await until(() => bed.network.frames.length === 1)
    bed.clock.pass(60_000)
    prepared()
    await until(async () => (await bed.stateOf(slow)) === 'sent')
    expect(bed.network.frames).toHaveLength(1)
  })

  it('an attempt to send a carousel has time to fetch and upload each of its pictures', async () => {
    let uploaded: () => void = () => {}
    const ackAfter = new Promise<void>(resolve => (uploaded = resolve))
    bed.network.treat(() => ({ ackAfter }))
    const card = { title: '', text: 'a card', picture: 'https://example.com/x.png', buttons: [{ id: 'a', text: 'A' }] }
    const cards = [card, card, { ...card, picture: null }]
    const slow = await bed.send(number, ADA, { type: 'carousel', text: 'cards', footer: '', cards })
    await until(() => bed.network.frames.length === 1)
    // As much as an attempt with one picture has, and a little more.
    bed.clock.pass(2 * 150_000 + 3 * bed.context.config.ackTimeoutMs + 1_000)
    uploaded()
    await until(async () => (await bed.stateOf(slow)) === 'sent')
    expect(bed.network.frames).toHaveLength(1)
  })

  it('up to 16 messages to different recipients await their acks at once', async () => {
    let release: () => void = () => {}
    const ackAfter = new Promise<void>(resolve => (release = resolve))
    bed.network.treat(() => ({ ackAfter }))
    for (let i = 0; i < 30; i++) await bed.send(number, `1555111${String(1000 + i)}`, `m${i}`)
    await until(() => bed.network.frames.length === 16)
    expect(bed.network.executed).toHaveLength(16)
    release()
    await until(async () => (await statuses()).length === 30)
  })

  it('a permanent failure is published once with its reason, and no receipt follows', async () => {
    bed.network.treat(() => ({ kind: 'permanent', reason: 'INVALID_RECIPIENT', detail: 'not on the platform' }))
    const handle = await bed.send(number, ADA, 'x')
    await until(async () => (await statuses()).length === 1)
    expect((await statuses())[0]).toMatchObject({
      status: 'failed',
      reason: 'INVALID_RECIPIENT',
      detail: 'not on the platform',
    })
    await bed.network.receive(number.sessionId, receiptOf([handle.platformId], ADA, 'delivered'))
    await bed.network.receive(number.sessionId, incomingText(number.sessionId, '15550009999', 'after'))
    await until(async () => (await bed.events(number)).some(event => event.kind === 'message'))
    expect(await receipts()).toHaveLength(0)
    expect(await bed.stateOf(handle)).toBe('failed')
  })

  it('after about 5 attempts a transient failure is RETRIES_EXHAUSTED', async () => {
    bed.network.treat(() => ({ kind: 'transient', detail: 'upload failed' }))
    await bed.send(number, ADA, 'x')
    await until(async () => (await statuses()).length === 1)
    expect((await statuses())[0]).toMatchObject({ status: 'failed', reason: 'RETRIES_EXHAUSTED' })
    expect(bed.network.executed.filter(each => each.command.kind === 'send')).toHaveLength(5)
  })

  it('a receipt that comes before the ack first publishes sent; read without delivered first publishes delivered', async () => {
    let release: () => void = () => {}
    const ackAfter = new Promise<void>(resolve => (release = resolve))
    bed.network.treat(() => ({ ackAfter }))
    const handle = await bed.send(number, ADA, 'x', { requestKey: 'k' })
    await until(() => bed.network.frames.length === 1)
    const atMs = Date.now() - 5_000
    const chatNames = ['999@lid', ADA]
    await bed.network.receive(number.sessionId, receiptOf([handle.platformId], '999@lid', 'read', { atMs, chatNames }))
    await until(async () => (await receipts()).length === 2)
    release()
    await until(async () => (await bed.query('select * from commands')).length === 0)
    const published = await bed.events(number)
    expect(
      published.map(event => ('receipt_type' in event ? event.receipt_type : 'status' in event ? event.status : '')),
    ).toEqual(['', 'sent', 'delivered', 'read'])
    for (const receipt of await receipts()) {
      expect(receipt).toMatchObject({
        request_id: 'k',
        messenger_message_id: handle.platformId,
        recipient_jid: ADA,
        timestamp_unix: Math.floor(atMs / 1000),
      })
    }
    expect(await bed.stateOf(handle)).toBe('read')
  })

  it('a receipt counts only from the chat that the message was sent to', async () => {
    const handle = await bed.send(number, ADA, 'x')
    await until(async () => (await statuses()).length === 1)
    const { sessionId } = number
    const receive = (from: string) =>
      bed.network.receive(sessionId, receiptOf([handle.platformId], from, 'read'), { kind: 'receipt' })
    await receive(BOB)
    await receive(ADA)
    await until(async () => (await receipts()).length === 2)
    expect((await receipts()).map(({ recipient_jid: to, receipt_type: type }) => [to, type])).toEqual([
      [ADA, 'delivered'],
      [ADA, 'read'],
    ])
    const { values } = await bed.context.metrics.stanzas.get()
    expect(values.find(({ labels }) => labels.reason === 'receipt_of_other')?.value).toBeGreaterThan(0)
  })

  it('several devices of one recipient give one delivered; in a group each recipient has its own', async () => {
    const direct = await bed.send(number, ADA, 'x')
    const chat = '120363000000000001@g.us'
    const group = await bed.send(number, chat, 'y')
    await until(async () => (await statuses()).length === 2)
    for (let i = 0; i < 3; i++) {
      await bed.network.receive(number.sessionId, receiptOf([direct.platformId], ADA, 'delivered'), { kind: 'receipt' })
    }
    for (const from of [ADA, BOB, ADA]) {
      const receipt = receiptOf([group.platformId], from, 'delivered', { chatNames: [chat] })
      await bed.network.receive(number.sessionId, receipt, { kind: 'receipt' })
    }
    await bed.network.receive(number.sessionId, incomingText(number.sessionId, '15550009999', 'last'))
    await until(async () => (await bed.events(number)).some(event => event.kind === 'message'))
    const published = (await receipts()).map(receipt => [receipt.messenger_message_id, receipt.recipient_jid])
    expect(published).toEqual([
      [direct.platformId, ADA],
      [group.platformId, ADA],
      [group.platformId, BOB],
    ])
  })

  it('a scheduled message is sent within 1 s of its time, never before', async () => {
    const handle = await bed.send(number, ADA, 'later', { sendAt: Date.now() + 3_600_000 })
    bed.clock.pass(10_000)
    const other = await bed.send(number, ADA, 'now')
    await until(async () => (await bed.stateOf(other)) === 'sent')
    expect(await bed.stateOf(handle)).toBe('scheduled')
    bed.clock.stand()
    // Its time has come, and no signal wakes the worker.
    await bed.query(`update commands set due_at = due_at - 3600000 returning id`)
    await until(() => {
      bed.clock.pass(1_000)
      return bed.network.frames.length === 2
    })
    bed.clock.goOn()
    expect(bed.network.frames.map(frame => frame.text)).toEqual(['now', 'later'])
  })

  it('a message that no worker has begun can be cancelled, one that was begun cannot', async () => {
    let release: () => void = () => {}
    const ackAfter = new Promise<void>(resolve => (release = resolve))
    bed.network.treat(() => ({ ackAfter }))
    const first = await bed.send(number, ADA, 'begun')
    const second = await bed.send(number, ADA, 'waits')
    await until(() => bed.network.frames.length === 1)
    expect(await bed.store.messages.cancelMessage(first.messageId)).toBe('not_waiting')
    expect(await bed.store.messages.cancelMessage(second.messageId)).toBe('cancelled')
    release()
    await until(async () => (await bed.stateOf(first)) === 'sent')
    expect(bed.network.frames.some(frame => frame.text === 'waits')).toBe(false)
  })

  it('a message waits without spending attempts while the link is down', async () => {
    bed.network.drop(number.sessionId)
    bed.network.treat((_, nth) => (nth <= 6 ? { kind: 'link_down', detail: 'down again' } : 'ack'))
    const handle = await bed.send(number, ADA, 'waits')
    await bed.network.reconnect(number.sessionId)
    await until(async () => (await bed.stateOf(handle)) !== 'queued')
    expect(await bed.stateOf(handle)).toBe('sent')
    expect(bed.network.executed).toHaveLength(7)
    expect(bed.network.frames).toHaveLength(1)
  })

  it('queued messages fail immediately with SEND_FAILED when the device is logged out', async () => {
    bed.network.drop(number.sessionId)
    const handles = await Promise.all(Array.from({ length: 5 }, (_, i) => bed.send(number, ADA, `m${i}`)))
    const scheduled = await bed.send(number, ADA, 'later', { sendAt: Date.now() + 60_000 })
    bed.network.logOut(number.sessionId)
    await until(async () => (await statuses()).length === 5)
    for (const event of await statuses()) expect(event).toMatchObject({ status: 'failed', reason: 'SEND_FAILED' })
    for (const handle of handles) expect(await bed.stateOf(handle)).toBe('failed')
    expect(await bed.stateOf(scheduled)).toBe('scheduled')
    expect((await bed.store.sessions.getSession(number.sessionId))!.hosted).toBe(false)
  })

  it('a restriction pauses messages to strangers and shows on the session', async () => {
    await bed.network.receive(number.sessionId, incomingText(number.sessionId, '15550001111', 'hi'))
    await until(async () => (await bed.events(number)).some(event => event.kind === 'message'))
    const until_ = Date.now() + 3_600_000
    bed.network.restrict(number.sessionId, until_)
    await until(async () => (await bed.store.sessions.getSession(number.sessionId))!.restrictedUntil === until_)
    const cold = await bed.send(number, BOB, 'cold')
    const warm = await bed.send(number, ADA, 'warm')
    await until(async () => (await bed.stateOf(warm)) === 'sent')
    expect(await bed.stateOf(cold)).toBe('queued')
  })

  it('the pause between messages of one session holds across recipients', async () => {
    const PACE_MS = 60_000
    await bed.store.sessions.updateSession({ id: number.sessionId, accountId: number.accountId, paceMs: PACE_MS })
    await bed.send(number, ADA, 'settles the setting')
    await until(() => bed.network.frames.length === 1)
    const times: number[] = []
    bed.network.treat(() => {
      times.push(bed.clock.monotonicMs())
      return 'ack'
    })
    for (let i = 0; i < 4; i++) await bed.send(number, `1555222${String(1000 + i)}`, `m${i}`)
    for (let i = 0; i < 4; i++) {
      bed.clock.pass(PACE_MS)
      await until(() => times.length > i)
    }
    for (let i = 1; i < times.length; i++) expect(times[i]! - times[i - 1]!).toBeGreaterThanOrEqual(PACE_MS)
  })

  it('a message to a channel that the number manages gets its server_id', async () => {
    const handle = await bed.send(number, '120363000000000002@newsletter', 'post')
    await until(async () => (await bed.store.messages.getMessage(handle.messageId))!.serverId === 77)
    expect((await statuses())[0]).toMatchObject({ status: 'sent', server_id: 77 })
  })
})
