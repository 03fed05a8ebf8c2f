import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeEvent } from '../../src/actions/make-event.ts'
import type { ChatChange } from '../../src/domain/chat.ts'
import { makeId } from '../../src/domain/ids.ts'
import { Seal } from '../../src/store/seal.ts'
import { startTestGateway, type TestAccount, type TestGateway } from '../harness/gateway.ts'
import { takeSession } from '../harness/leases.ts'
import { STORES } from '../harness/stores.ts'
import { until } from '../harness/until.ts'

const ADA = '15551234567'
const JID = `${ADA}@s.whatsapp.net`

describe.each(STORES)('The chats of a number, on %s', kind => {
  let gateway: TestGateway
  let account: TestAccount
  let path: string
  let jid: string

  beforeAll(async () => {
    gateway = await startTestGateway(kind, { POSTERN_ROLES: 'api,worker,dispatcher,simulator' })
    account = await gateway.account()
    const made = (await account.ask('POST', '/v1/sessions', { platform: 'sandbox' })).json
    jid = made.jid
    path = `/v1/sessions/${encodeURIComponent(made.id)}/chats`
  })
  afterAll(() => gateway.stop())

  test('are counted, archived, muted and labelled by the same statements', async () => {
    await until(async () => (await account.ask('GET', path)).json.synced_at)
    const incoming = `/sandbox/sessions/${encodeURIComponent(jid)}/incoming`
    for (const text of ['one', 'two'])
      expect((await account.ask('POST', incoming, { from: ADA, type: 'text', text })).status).toBeLessThan(300)
    const shown = async () => (await account.ask('GET', `${path}/${ADA}`)).json
    await until(async () => (await shown()).unread === 2)
    const change = { archived: true, read: true, muted_until: '2030-01-01T00:00:00Z', labels: ['1', '2'] }
    const changed = await account.ask('PATCH', `${path}/${ADA}`, change)
    expect(changed.status, changed.text).toBe(200)
    expect(changed.json).toEqual({
      jid: JID,
      last_activity: expect.stringMatching(/Z$/),
      unread: 0,
      marked_unread: false,
      archived: true,
      pinned: false,
      muted_until: '2030-01-01T00:00:00.000Z',
      labels: [
        { id: '1', name: null },
        { id: '2', name: null },
      ],
    })
    expect((await account.ask('GET', path)).json.data).toEqual([changed.json])
    expect((await account.ask('PATCH', `${path}/${ADA}`, { labels: [] })).json.labels).toEqual([])
  })

  test('count a message that is processed after its chat was read only if it is newer', async () => {
    const at = 1_900_000_000_000
    const contact = '15557654321@s.whatsapp.net'
    const steps: Array<[ChatChange, number]> = [
      [{ jid: contact, activeAtMs: at, received: 1 }, 1],
      [{ jid: contact, readThroughMs: at + 1_000, isMarkedUnread: false }, 0],
      [{ jid: contact, activeAtMs: at + 500, received: 1 }, 0],
      [{ jid: contact, activeAtMs: at + 2_000, received: 1 }, 1],
      [{ jid: contact, readThroughMs: at + 1_500 }, 1],
    ]
    const quiet = await gateway.session(account, { hosted: false })
    const lease = (await takeSession(gateway.store, quiet.jid))!
    for (const [change, unread] of steps) {
      const written = { lease, creds: null, keys: [], inbox: [], sent: [], chats: [change] }
      expect(await gateway.store.devices.commitDeviceState(written)).toBe('done')
      const chat = await gateway.store.chats.getChat({ sessionId: quiet.jid, jid: contact })
      expect(chat?.unread, JSON.stringify(change)).toBe(unread)
    }
  })

  test('have older messages, which the phone is asked for and which are recorded by the same statements', async () => {
    expect((await account.ask('POST', '/v1/endpoints', { type: 'pull', include: ['history'] })).status).toBe(201)
    const incoming = `/sandbox/sessions/${encodeURIComponent(jid)}/incoming`
    const { message_id: id } = (await account.ask('POST', incoming, { from: ADA, type: 'text', text: 'three' })).json
    const body = { before_message_id: id, count: 10 }
    const ask = () => account.ask('POST', `${path}/${ADA}/history`, body)
    await until(async () => (await ask()).status === 202)
    const job = (await ask()).json
    const shown = async () => (await account.ask('GET', `${path.replace(/chats$/, 'history')}/${job.id}`)).json
    await until(async () => (await shown()).state === 'done')
    expect(await shown()).toMatchObject({ chat_jid: JID, count: 10, found: 0, more: false })
  })

  test('have a history after linking, whose last message ends it, and in which no message is that comes live', async () => {
    const { store } = gateway
    const { jid: sessionId } = await gateway.session(account, { hosted: false })
    const lease = (await takeSession(store, sessionId))!
    const seal = new Seal([randomBytes(32)])
    const item = { key: 'live', seq: 1, kind: 'message', chat: JID, receivedAt: 1, sealed: randomBytes(9) }
    const written = { lease, creds: null, keys: [], inbox: [item], sent: [] }
    expect(await store.devices.commitDeviceState(written)).toBe('done')
    const jobId = makeId('job')
    await store.historyJobs.addHistoryJob({
      id: jobId,
      sessionId,
      chatJid: '',
      platformId: jobId,
      wanted: 2,
      waitMs: 60_000,
    })
    const messages = ['live', 'a', 'b'].map(key => ({
      event: makeEvent({ seal }, account.id, {
        kind: 'message',
        session_id: sessionId,
        message_id: key,
        sender_jid: JID,
        sender_name: 'Ada',
        chat_jid: JID,
        is_group: false,
        broadcast: false,
        type: 'text',
        text: key,
        timestamp_unix: 1,
      }),
      seen: { messageId: key, chatJid: JID, senderJid: JID, fromMe: 0, secret: null, isAnswered: false },
      inboxKeys: [key, `other ${key}`],
    }))
    const job = async () => await store.historyJobs.getHistoryJob(jobId)
    const [, a, b] = messages.map(({ event }) => event.id)
    const first = await store.inbox.publishHistorySlice({ lease, jobId, messages: messages.slice(0, 2) })
    expect(first).toEqual({ kind: 'done', published: [a] })
    expect(await job()).toMatchObject({ found: 1, state: 'receiving', hasMore: null })
    expect(await store.inbox.publishHistorySlice({ lease, jobId, messages })).toEqual({ kind: 'done', published: [b] })
    expect(await job()).toMatchObject({ found: 2, state: 'done', hasMore: true })
  })
})
