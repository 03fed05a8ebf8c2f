import { describe, expect, it } from 'vitest'
import { expectError } from '../harness/client.ts'
import { onAnyStore, type TestAccount } from '../harness/gateway.ts'

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

describe('Endpoints', () => {
  onAnyStore(gateway => {
    const prepare = async () => {
      const account = await gateway().account()
      const session = await gateway().session(account)
      const send = (change: object = {}, headers = {}) =>
        account.ask(
          'POST',
          '/v1/messages',
          { session_id: session.id, to: '15550001111', text: 'x', ...change },
          headers,
        )
      return { account, session, send }
    }

    it('GET /v1/me answers the account, the key of the request, its limits and its usage', async () => {
      const account = await gateway().account({ plan: 'pro' })
      const { status, json } = await account.ask('GET', '/v1/me')
      expect(status).toBe(200)
      expect(json).toEqual({
        account: {
          id: account.id,
          name: 'Test',
          plan: 'pro',
          tos_accepted: true,
          tos_version: '2026-01',
          current_tos_version: '2026-01',
        },
        key: {
          id: account.keyId,
          label: 'first key',
          prefix: account.key.slice(0, 12),
          created_at: expect.stringMatching(ISO),
          scopes: ['send', 'read', 'manage'],
        },
        limits: expect.objectContaining({ messages_per_month: 100_000 }),
        usage: { period: expect.stringMatching(/^\d{4}-\d\d$/), messages: 0, quota: 100_000 },
        dead_letters: 0,
      })
    })

    it('POST /v1/messages answers 202 queued; the message is stored with its command before that', async () => {
      const { account, session, send } = await prepare()
      const answer = await send({}, { 'idempotency-key': 'k1' })
      expect(answer.status).toBe(202)
      const { message_id: id } = answer.json
      const [command] = await gateway().store.commands.readDueCommands({
        sessionId: session.jid,
        exceptQueues: [],
        exceptIds: [],
        limit: 10,
      })
      expect(command).toMatchObject({
        kind: 'send',
        messageId: id,
        queue: '15550001111@s.whatsapp.net',
        attempt: 0,
        requestId: 'k1',
      })
      const record = await account.ask('GET', `/v1/messages/${id}`)
      expect(record.status).toBe(200)
      expect(record.json).toEqual({
        id,
        session_id: session.jid,
        request_id: 'k1',
        to: '15550001111@s.whatsapp.net',
        type: 'text',
        state: 'queued',
        messenger_message_id: expect.stringMatching(/^3EB0[0-9A-F]{18}$/),
        server_id: null,
        reason: null,
        detail: null,
        send_at: null,
        held_until: null,
        held_because: null,
        preview: null,
        created_at: expect.stringMatching(ISO),
        updated_at: expect.stringMatching(ISO),
        history: [{ state: 'queued', at: expect.stringMatching(ISO) }],
        content: { content: { type: 'text', text: 'x', mentions: [], linkPreview: false }, quote: null },
      })
    })

    it('GET /v1/messages shows the beginning of the text on sandbox numbers only', async () => {
      const account = await gateway().account()
      const phone = `999${String(Date.now()).slice(-9)}`
      await gateway().store.sessions.registerSession({
        accountId: account.id,
        id: `${phone}@s.whatsapp.net`,
        phone,
        device: 1,
        label: '',
        platform: 'sandbox',
        maxSessions: null,
      })
      const real = await gateway().session(account)
      const send_at = new Date(Date.now() + 3_600_000).toISOString()
      const send = async (session_id: string, text: string) =>
        expect(
          (await account.ask('POST', '/v1/messages', { session_id, to: '15550001111', text, send_at })).status,
        ).toBe(202)
      await send(real.id, 'of a real number')
      await send(`${phone}:1@s.whatsapp.net`, `of the\n sandbox ${'x'.repeat(200)}`)
      const { data } = (await account.ask('GET', '/v1/messages')).json
      expect(data.map(({ preview }: { preview: string | null }) => preview)).toEqual([
        `of the sandbox ${'x'.repeat(105)}`,
        null,
      ])
    })

    it('every content is accepted, with and without a quote', async () => {
      const { send } = await prepare()
      const media = { media_url: 'https://example.com/a', text: undefined }
      const contents: object[] = [
        { text: 'a'.repeat(65_536) },
        { text: '🙂 ‮rtl‬ é', mentions: ['15550002222@s.whatsapp.net', '123456789@lid'], link_preview: true },
        ...['image', 'video', 'audio', 'voice', 'document', 'sticker'].map(media_type => ({ ...media, media_type })),
        { ...media, media_type: 'document', filename: 'a.pdf', text: 'caption' },
        { ...media, media_type: 'image', view_once: true },
        { reacted_message_id: 'ABC', text: '👍' },
        { reacted_message_id: 'ABC', text: '', reacted_participant: '15550002222' },
        { text: undefined, location: { latitude: -90, longitude: 180, name: 'n', address: 'a' } },
        { text: undefined, contacts: [{ name: 'Bob', phone: '+1 555 000 3333' }] },
        { text: undefined, poll: { name: 'q', options: ['a', 'b', 'c'], selectable_count: 0 } },
        { text: 'choose', buttons: [{ id: '1', text: 'yes' }], footer: 'f' },
        { text: 'choose', list: { button_text: 'open', sections: [{ title: 's', rows: [{ id: '1', title: 't' }] }] } },
      ]
      for (const content of contents) {
        expect((await send(content)).status, JSON.stringify(content).slice(0, 80)).toBe(202)
        const quote = { quoted_message_id: 'XYZ', quoted_participant: '15550009999', quoted_text: 'before' }
        expect((await send({ ...content, ...quote })).status).toBe(202)
      }
    })

    it('to: a JID, or digits with optional +, spaces and dashes; groups, @lid and status@broadcast work', async () => {
      const { send } = await prepare()
      const shapes: Array<[string, string]> = [
        ['+1 555-123-4567', '15551234567@s.whatsapp.net'],
        ['15551234567', '15551234567@s.whatsapp.net'],
        ['15551234567:12@s.whatsapp.net', '15551234567@s.whatsapp.net'],
        ['123456789012345@lid', '123456789012345@lid'],
        ['120363000000000000@g.us', '120363000000000000@g.us'],
        ['15551234567-1600000000@g.us', '15551234567-1600000000@g.us'],
        ['status@broadcast', 'status@broadcast'],
      ]
      for (const [given, jid] of shapes)
        expect((await send({ to: given })).json).toMatchObject({ status: 'queued', to: jid })
    })

    it('session ids are accepted with and without the device number', async () => {
      const { send, session, account } = await prepare()
      for (const session_id of [session.id, session.jid])
        expect((await send({ session_id })).json.session_id).toBe(session.jid)
      for (const id of [session.id, session.jid]) {
        const { status, json } = await account.ask('GET', `/v1/sessions/${encodeURIComponent(id)}`)
        expect([status, json.phone]).toEqual([200, session.phone])
      }
    })

    it('every field that takes a message id also takes our msg_…, but only of the same account', async () => {
      const { send, account } = await prepare()
      const first = await send()
      const { json } = await account.ask('GET', `/v1/messages/${first.json.message_id}`)
      const reply = await send({ quoted_message_id: json.id })
      expect(reply.status).toBe(202)
      const shown = (await account.ask('GET', `/v1/messages/${reply.json.message_id}`)).json
      expect(shown.content.quote.messageId).toBe(json.messenger_message_id)
      const other = await prepare()
      expectError(await other.send({ quoted_message_id: json.id }), 403, 'session does not belong to this tenant')
      expectError(
        await other.send({ reacted_message_id: json.id, text: '👍' }),
        403,
        'session does not belong to this tenant',
      )
    })

    it('a scheduled message waits as scheduled and can be cancelled; a cancelled message cannot be edited', async () => {
      const { send, account } = await prepare()
      const at = new Date(Date.now() + 3_600_000).toISOString()
      const { json } = await send({ send_at: at })
      const path = `/v1/messages/${json.message_id}`
      expect((await account.ask('GET', path)).json).toMatchObject({ state: 'scheduled', send_at: at })
      expect((await account.ask('DELETE', path)).json).toEqual({ id: json.message_id, status: 'cancelled' })
      const cancelled = (await account.ask('GET', path)).json
      expect(cancelled).toMatchObject({ state: 'cancelled', history: [{ state: 'scheduled' }, { state: 'cancelled' }] })
      expect(cancelled).not.toHaveProperty('content')
      expect((await account.ask('DELETE', path)).status).toBe(202)
      expectError(await account.ask('PATCH', path, { text: 'new' }), 400, 'message is cancelled: nothing to edit')
    })

    it('DELETE of a message that is still queued cancels it and removes its command', async () => {
      const { send, account, session } = await prepare()
      const { json } = await send()
      expect((await account.ask('DELETE', `/v1/messages/${json.message_id}`)).status).toBe(202)
      expect(
        await gateway().store.commands.readDueCommands({
          sessionId: session.jid,
          exceptQueues: [],
          exceptIds: [],
          limit: 10,
        }),
      ).toEqual([])
    })

    it('PATCH edits and DELETE revokes a message in progress, behind it in the same queue', async () => {
      const { send, account, session } = await prepare()
      const { json } = await send()
      const due = () =>
        gateway().store.commands.readDueCommands({ sessionId: session.jid, exceptQueues: [], exceptIds: [], limit: 10 })
      const [command] = await due()
      await gateway().store.commands.beginAttempt({ lease: session.lease, commandId: command!.id, attempt: 1 })
      const path = `/v1/messages/${json.message_id}`
      expect((await account.ask('PATCH', path, { text: 'better' })).json).toEqual({
        id: json.message_id,
        status: 'queued',
      })
      expect((await account.ask('DELETE', path)).json).toEqual({ id: json.message_id, status: 'queued' })
      expect((await due()).map(({ kind, queue }) => [kind, queue])).toEqual(
        ['send', 'edit', 'revoke'].map(kind => [kind, '15550001111@s.whatsapp.net']),
      )
      expectError(await account.ask('PATCH', path, { text: '' }), 400, 'text must not be empty')
    })

    it('a poll cannot be edited', async () => {
      const { send, account } = await prepare()
      const { json } = await send({ text: undefined, poll: { name: 'q', options: ['a', 'b'] } })
      expectError(
        await account.ask('PATCH', `/v1/messages/${json.message_id}`, { text: 'x' }),
        400,
        'a poll message cannot be edited',
      )
    })

    it('POST /v1/sessions/{id}/calls/auto-reject configures the number, even offline, and returns the setting', async () => {
      const account = await gateway().account()
      const session = await gateway().session(account, { hosted: false })
      const path = `/v1/sessions/${encodeURIComponent(session.id)}/calls/auto-reject`
      const body = { enabled: true, message: 'write to us 🙂' }
      const answer = await account.ask('POST', path, body)
      expect([answer.status, answer.json]).toEqual([200, body])
      const show = async () =>
        (await account.ask('GET', `/v1/sessions/${encodeURIComponent(session.id)}`)).json.auto_reject
      expect(await show()).toEqual(body)
      expect((await account.ask('POST', path, { enabled: false })).json).toEqual({ enabled: false })
      expect(await show()).toEqual({ enabled: false, message: null })
      expectError(await account.ask('POST', path, {}), 400, 'enabled is required')
      expectError(await account.ask('POST', path, { enabled: 'yes' }), 400, 'enabled must be a boolean')
    })

    it('GET /v1/sessions lists the numbers with their live state; PATCH renames', async () => {
      const { account, session } = await prepare()
      const offline = await gateway().session(account, { hosted: false })
      const listed = (await account.ask('GET', '/v1/sessions')).json
      expect(listed.next_cursor).toBeNull()
      expect(listed.data).toHaveLength(2)
      expect(listed.data).toContainEqual({
        id: session.id,
        jid: session.jid,
        phone: session.phone,
        label: 'test',
        platform: 'whatsapp',
        state: 'connecting',
        hosted: true,
        connected_at: null,
        last_event_at: null,
        auto_reject: { enabled: false, message: null },
        pace_ms: 0,
        pace: null,
        addressing: 'auto',
        appear: 'auto',
        paused: false,
        proxy: null,
        reason: null,
        until: null,
      })
      const patched = await account.ask('PATCH', `/v1/sessions/${encodeURIComponent(offline.id)}`, {
        label: 'Support',
        pace_ms: 250,
      })
      expect(patched.json).toMatchObject({ label: 'Support', pace_ms: 250, addressing: 'auto', hosted: false })
      const change = (addressing: string) =>
        account.ask('PATCH', `/v1/sessions/${encodeURIComponent(offline.id)}`, { addressing })
      expect((await change('pn')).json).toMatchObject({ label: 'Support', pace_ms: 250, addressing: 'pn' })
      expect((await change('both')).status).toBe(400)
      await gateway().setState(session, 'connected')
      const now = (await account.ask('GET', `/v1/sessions/${encodeURIComponent(session.id)}`)).json
      expect(now).toMatchObject({ state: 'connected', connected_at: expect.stringMatching(ISO) })
    })

    async function walk(account: TestAccount, path: string, limit: number): Promise<{ ids: string[]; pages: number }> {
      const ids: string[] = []
      let cursor: string | null = null
      let pages = 0
      do {
        const answer = await account.ask(
          'GET',
          `${path}?limit=${limit}${cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
        )
        expect(answer.status).toBe(200)
        expect(Object.keys(answer.json)).toEqual(['data', 'next_cursor'])
        expect(answer.json.data.length).toBeLessThanOrEqual(limit)
        ids.push(...answer.json.data.map((each: { id: string }) => each.id))
        cursor = answer.json.next_cursor
        pages++
      } while (cursor !== null)
      return { ids, pages }
    }

    it('lists take limit (1–100, default 50) and cursor, and pages neither skip nor repeat', async () => {
      const { account, send } = await prepare()
      const sent = await Promise.all(Array.from({ length: 55 }, () => send()))
      const newestFirst = sent
        .map(answer => answer.json.message_id as string)
        .sort()
        .reverse()
      for (const limit of [1, 7, 55, 100]) {
        const { ids, pages } = await walk(account, '/v1/messages', limit)
        expect(ids).toEqual(newestFirst)
        expect(pages).toBe(Math.ceil(55 / limit))
      }
      const plain = (await account.ask('GET', '/v1/messages')).json
      expect(plain.data).toHaveLength(50)
      expect(plain.next_cursor).toEqual(expect.any(String))
      for (let i = 0; i < 4; i++) await account.ask('POST', '/v1/keys', { label: `k${i}` })
      expect(new Set((await walk(account, '/v1/keys', 2)).ids).size).toBe(5)
      for (let i = 0; i < 4; i++)
        await account.ask('POST', '/v1/webhooks', { session_id: (await gateway().session(account)).id })
      expect(new Set((await walk(account, '/v1/webhooks', 3)).ids).size).toBe(4)
      expect(new Set((await walk(account, '/v1/sessions', 2)).ids).size).toBe(5)
    })

    it('an invalid limit or cursor is 400', async () => {
      const { account } = await prepare()
      for (const path of ['/v1/messages', '/v1/keys', '/v1/webhooks', '/v1/sessions']) {
        expectError(await account.ask('GET', `${path}?limit=0`), 400, 'limit must be at least 1')
        expectError(await account.ask('GET', `${path}?limit=101`), 400, 'limit must be at most 100')
        for (const bad of ['', 'x', '1.5', '1e1', '0x10', ' 5'])
          expectError(
            await account.ask('GET', `${path}?limit=${encodeURIComponent(bad)}`),
            400,
            'limit must be a whole number',
          )
        expectError(await account.ask('GET', `${path}?limit=1&limit=2`), 400, 'limit must be a whole number')
        for (const bad of ['', 'x y', '!!!', '../..', '%F0%9F%99%82'])
          expectError(
            await account.ask('GET', `${path}?cursor=${bad.startsWith('%') ? bad : encodeURIComponent(bad)}`),
            400,
            /^cursor /,
          )
      }
    })

    it('GET /v1/messages filters by session and state', async () => {
      const { account, send, session } = await prepare()
      const other = await gateway().session(account)
      await send()
      const scheduled = await send({ session_id: other.id, send_at: new Date(Date.now() + 90_000).toISOString() })
      const ids = async (query: string) =>
        (await account.ask('GET', `/v1/messages?${query}`)).json.data.map((each: { id: string }) => each.id)
      expect(await ids('state=scheduled')).toEqual([scheduled.json.message_id])
      expect(await ids(`session_id=${encodeURIComponent(other.id)}`)).toEqual([scheduled.json.message_id])
      expect(await ids(`session_id=${encodeURIComponent(session.jid)}&state=scheduled`)).toEqual([])
      expectError(await account.ask('GET', '/v1/messages?state=lost'), 400, /^state must be one of/)
      const foreign = await gateway().session(await gateway().account())
      expectError(await account.ask('GET', `/v1/messages?session_id=${encodeURIComponent(foreign.id)}`), 403)
    })

    it('an id that does not exist is 404', async () => {
      const account = await gateway().account()
      expectError(await account.ask('GET', '/v1/messages/msg_nothing'), 404, 'message not found')
      expectError(await account.ask('PATCH', '/v1/messages/msg_nothing', { text: 'x' }), 404, 'message not found')
      expectError(await account.ask('DELETE', '/v1/messages/msg_nothing'), 404, 'message not found')
      expectError(await account.ask('GET', '/v1/webhooks/wh_nothing'), 404, 'webhook not found')
      expectError(await account.ask('PUT', '/v1/webhooks/wh_nothing', {}), 404, 'webhook not found')
      expectError(await account.ask('POST', '/v1/webhooks/wh_nothing/rotate-secret', {}), 404, 'webhook not found')
    })

    it('HEAD returns only the headers, even for a stream', async () => {
      const { account } = await prepare()
      for (const path of ['/v1/me', '/v1/messages', '/v1/deliveries/events']) {
        const answer = await account.ask('HEAD', path)
        expect([answer.status, answer.text]).toEqual([200, ''])
      }
    })

    it('ids are time-ordered', async () => {
      const { send } = await prepare()
      const ids: string[] = []
      for (let i = 0; i < 5; i++) ids.push((await send()).json.message_id)
      expect(ids).toEqual([...ids].sort())
    })
  })
})
