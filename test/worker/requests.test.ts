import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { sendSessionRequest } from '../../src/actions/send-request.ts'
import { followUp } from '../../src/actions/follow-up.ts'
import { aboutAutoReject } from '../../src/domain/sealed.ts'
import { StoreUnavailable } from '../../src/store/transaction.ts'
import { incomingText } from '../harness/fake-platform.ts'
import { type HostedNumber, type HostingBed, openHosting } from '../harness/hosting.ts'
import { ONE_STORE } from '../harness/stores.ts'
import { until } from '../harness/until.ts'
import { storeWith } from '../harness/store-with.ts'

const ADA = '15550001111@s.whatsapp.net'

describe.each(ONE_STORE)('Requests and follow-ups on %s', kind => {
  let bed: HostingBed
  let number: HostedNumber
  let worker: ReturnType<HostingBed['startWorker']>

  beforeEach(async () => {
    bed = await openHosting(kind)
    number = await bed.addNumber()
    worker = bed.startWorker()
    await bed.connected(number)
  })
  afterEach(() => bed.close())

  const executed = () => bed.network.executed.map(each => each.command)

  it('a request is executed by the worker and its response returns', async () => {
    const answer = await sendSessionRequest(bed.context, number, { kind: 'contact_check', phones: ['15550001111'] })
    expect(answer).toMatchObject({ kind: 'checked', numbers: [{ outcome: 'found', jid: ADA }] })
    expect(await bed.query('select id from commands')).toHaveLength(0)
  })

  it('a request does not wait behind waiting messages', async () => {
    let release: () => void = () => {}
    const ackAfter = new Promise<void>(resolve => (release = resolve))
    bed.network.treat(command => (command.kind === 'send' ? { ackAfter } : 'ack'))
    const stuck = await Promise.all(
      Array.from({ length: 20 }, (_, i) => bed.send(number, `1555333${String(1000 + i)}`, 'stuck')),
    )
    await until(() => bed.network.frames.length === 16)
    await sendSessionRequest(bed.context, number, { kind: 'typing', chatJid: ADA, typing: true, media: 'text' })
    expect(new Set(await Promise.all(stuck.map(bed.stateOf)))).toEqual(new Set(['queued']))
    release()
  })

  it('a refusal of the platform is 400, a link that is down 409, and a failure on the way 502', async () => {
    const react = {
      kind: 'newsletter_react',
      newsletterJid: '1@newsletter',
      serverId: 1,
      messageId: 'x',
      emoji: '+',
    } as const
    bed.network.treat(() => ({ kind: 'permanent', reason: 'SEND_FAILED', detail: 'no such channel' }))
    await expect(sendSessionRequest(bed.context, number, react)).rejects.toMatchObject({ kind: 'invalid' })
    bed.network.treat(() => ({ kind: 'transient', detail: 'no answer' }))
    await expect(sendSessionRequest(bed.context, number, react)).rejects.toMatchObject({ kind: 'unavailable' })
    bed.network.drop(number.sessionId)
    await expect(sendSessionRequest(bed.context, number, react)).rejects.toMatchObject({ kind: 'offline' })
  })

  it('a presence subscription survives a new device of the number', async () => {
    await sendSessionRequest(bed.context, number, { kind: 'presence_subscribe', contactJid: ADA })
    expect(await bed.store.sessions.readSubscriptions(number.sessionId)).toEqual([ADA])
  })

  it('auto-reject settings take effect immediately', async () => {
    expect(bed.network.autoReject(number.sessionId)).toBeNull()
    const message = bed.seal.seal('Please write', aboutAutoReject(number.sessionId))
    await bed.store.sessions.updateSession({
      id: number.sessionId,
      accountId: number.accountId,
      autoReject: { enabled: true, message },
    })
    await until(() => bed.network.autoReject(number.sessionId) !== null)
    expect(bed.network.autoReject(number.sessionId)).toEqual({ message: 'Please write' })
  })

  it('restart closes the link and opens it again without an event', async () => {
    const before = bed.network.linkId(number.sessionId)
    await sendSessionRequest(bed.context, number, { kind: 'restart' })
    await until(() => bed.network.linkId(number.sessionId) > before && bed.network.isOpen(number.sessionId))
    await bed.connected(number)
    expect((await bed.events(number)).filter(event => event.kind === 'connection')).toHaveLength(1)
  })

  it('simultaneous restarts are one: a device is never opened twice', async () => {
    const before = bed.network.linkId(number.sessionId)
    await Promise.all(Array.from({ length: 5 }, () => sendSessionRequest(bed.context, number, { kind: 'restart' })))
    await until(() => bed.network.linkId(number.sessionId) > before && bed.network.isOpen(number.sessionId))
    await bed.connected(number)
    expect(bed.network.openLinks(number.sessionId)).toBe(1)
  })

  it('a presence subscription made while the link is down is sent when it is back', async () => {
    bed.network.drop(number.sessionId)
    await sendSessionRequest(bed.context, number, { kind: 'presence_subscribe', contactJid: ADA })
    expect(executed()).toEqual([])
    await bed.network.reconnect(number.sessionId)
    await until(() => executed().some(command => command.kind === 'presence_subscribe'))
  })

  it('a presence subscription made while the link is down is sent by the next host if this one ends first', async () => {
    bed.network.drop(number.sessionId)
    await sendSessionRequest(bed.context, number, { kind: 'presence_subscribe', contactJid: ADA })
    await worker.stop()
    await bed.network.reconnect(number.sessionId)
    bed.startWorker()
    await until(() => executed().some(command => command.kind === 'presence_subscribe'))
  })

  it('a subscription that failed because the database was unreachable is made later', async () => {
    await worker.stop()
    await bed.store.sessions.addSubscription({ sessionId: number.sessionId, contactJid: ADA })
    let reads = 0
    const readSubscriptions: HostingBed['store']['sessions']['readSubscriptions'] = async id => {
      if (++reads === 1) throw new StoreUnavailable('the connection was lost')
      return await bed.store.sessions.readSubscriptions(id)
    }
    bed.startWorker({ store: storeWith(bed.store, { sessions: { readSubscriptions } }) })
    await until(() => executed().some(command => command.kind === 'presence_subscribe'))
    expect(reads).toBe(2)
  })

  it('a restart requested before the device is opened opens it once', async () => {
    await worker.stop()
    let isStarted = false
    let goOn: () => void = () => {}
    const held = new Promise<void>(resolve => (goOn = resolve))
    const readLastSeq: HostingBed['store']['inbox']['readLastSeq'] = async id => {
      await held
      return await bed.store.inbox.readLastSeq(id)
    }
    // This is read when the device has been opened.
    const readInbox: HostingBed['store']['inbox']['readInbox'] = async input => {
      isStarted = true
      return await bed.store.inbox.readInbox(input)
    }
    bed.startWorker({ store: storeWith(bed.store, { inbox: { readLastSeq, readInbox } }) })
    await until(async () => (await bed.store.sessions.getSession(number.sessionId))!.hosted)
    await sendSessionRequest(bed.context, number, { kind: 'restart' })
    goOn()
    await until(() => isStarted && bed.network.isOpen(number.sessionId))
    expect(bed.network.openLinks(number.sessionId)).toBe(1)
  })

  it('unlink is answered, and then the number can be deleted with all its data', async () => {
    const tables = ['device_creds', 'device_keys', 'inbox', 'sent_messages', 'commands']
    const filled = async () => {
      const rows = await Promise.all(tables.map(table => bed.query(`select 1 from ${table}`)))
      return tables.filter((_, i) => rows[i]!.length > 0)
    }
    const waiting = await bed.send(number, ADA, 'later', { sendAt: Date.now() + 60_000 })
    await bed.send(number, ADA, 'now')
    await bed.network.receive(number.sessionId, incomingText(number.sessionId, '15550001111', 'hi'))
    await until(async () => (await filled()).length === tables.length)
    expect(await sendSessionRequest(bed.context, number, { kind: 'unlink' })).toEqual({ kind: 'done' })
    await until(async () => (await bed.store.sessions.getSession(number.sessionId))!.state === 'logged_out')
    expect(await bed.store.sessions.forgetSession({ ...number, detail: 'unlinked' })).toBe(true)
    expect(await bed.store.sessions.getSession(number.sessionId)).toBeUndefined()
    expect(await filled()).toEqual([])
    expect(await bed.stateOf(waiting)).toBe('failed')
  })

  it('an edit and a revoke follow their message in its queue, and leave no command behind', async () => {
    let release: () => void = () => {}
    const ackAfter = new Promise<void>(resolve => (release = resolve))
    bed.network.treat(command => (command.kind === 'send' ? { ackAfter } : 'ack'))
    const sent = await bed.send(number, ADA, 'first')
    const message = (await bed.store.messages.getMessage(sent.messageId))!
    await followUp(bed.context, message, { kind: 'edit', text: 'corrected' })
    await followUp(bed.context, message, { kind: 'revoke' })
    await until(() => executed().some(command => command.kind === 'send'))
    release()
    await until(async () => (await bed.query('select id from commands')).length === 0)
    expect(executed().map(command => command.kind)).toEqual(['send', 'edit', 'revoke'])
    expect(executed()[1]).toMatchObject({ targetPlatformId: sent.platformId, text: 'corrected' })
  })

  const historyOf = async (messageId: string) =>
    (await bed.store.messages.readMessageStates(messageId)).map(({ state, detail }) => [state, detail])

  it('the history of a message shows the outcome of its edits and revokes', async () => {
    const sent = await bed.send(number, ADA, 'first')
    await until(async () => (await bed.stateOf(sent)) === 'sent')
    const message = (await bed.store.messages.getMessage(sent.messageId))!
    await followUp(bed.context, message, { kind: 'edit', text: 'corrected' })
    await until(async () => (await bed.query('select id from commands')).length === 0)
    expect(await historyOf(sent.messageId)).toEqual([
      ['sent', null],
      ['edited', null],
    ])
    bed.network.treat(() => ({ kind: 'permanent', reason: 'SEND_FAILED', detail: 'too late to revoke' }))
    await followUp(bed.context, message, { kind: 'revoke' })
    await until(async () => (await bed.query('select id from commands')).length === 0)
    expect(await historyOf(sent.messageId)).toContainEqual(['revoke_failed', 'SEND_FAILED: too late to revoke'])
    bed.network.treat(() => ({ kind: 'transient', detail: 'no answer' }))
    await followUp(bed.context, message, { kind: 'edit', text: 'again' })
    await until(async () => (await bed.query('select id from commands')).length === 0)
    expect(await historyOf(sent.messageId)).toContainEqual(['edit_failed', 'RETRIES_EXHAUSTED: no answer'])
    expect(await bed.stateOf(sent)).toBe('sent')
    expect((await bed.events(number)).filter(event => event.kind === 'status')).toHaveLength(1)
  })

  it('an edit that waits when the device is logged out is published as failed', async () => {
    const sent = await bed.send(number, ADA, 'first')
    await until(async () => (await bed.stateOf(sent)) === 'sent')
    bed.network.treat(() => ({ kind: 'link_down', detail: 'down' }))
    await followUp(bed.context, (await bed.store.messages.getMessage(sent.messageId))!, {
      kind: 'edit',
      text: 'corrected',
    })
    bed.network.logOut(number.sessionId)
    await until(async () => (await bed.query('select id from commands')).length === 0)
    expect((await historyOf(sent.messageId)).map(([state]) => state)).toEqual(['sent', 'edit_failed'])
  })

  it('an edit of a failed message is dropped', async () => {
    bed.network.treat(command =>
      command.kind === 'send' ? { kind: 'permanent', reason: 'SEND_FAILED', detail: 'refused' } : 'ack',
    )
    bed.network.drop(number.sessionId)
    const sent = await bed.send(number, ADA, 'first')
    await followUp(bed.context, (await bed.store.messages.getMessage(sent.messageId))!, {
      kind: 'edit',
      text: 'corrected',
    })
    await bed.network.reconnect(number.sessionId)
    await until(async () => (await bed.query('select id from commands')).length === 0)
    expect(executed().map(command => command.kind)).toEqual(['send'])
  })
})
