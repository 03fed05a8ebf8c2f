import { describe, expect, it } from 'vitest'
import { BOUNDS } from '../../src/domain/bounds.ts'
import { makeId } from '../../src/domain/ids.ts'
import { type Answer, expectError } from '../harness/client.ts'
import { onAnyStore, type TestAccount, type TestSession } from '../harness/gateway.ts'
import { queryPlace } from '../harness/stores.ts'

const tally = (answers: Answer[]): Record<number, number> => {
  const counts: Record<number, number> = {}
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

describe('Messages and their follow-ups', () => {
  onAnyStore(gateway => {
    async function sender(limits: object) {
      const account = await gateway().account({ limits })
      const session = await gateway().session(account)
      return { account, session, send: (more: object = {}) => send(account, session, more) }
    }
    const send = (account: TestAccount, session: TestSession, more: object) =>
      account.ask('POST', '/v1/messages', { session_id: session.id, to: '15550001111', text: 'x', ...more })
    const edit = (account: TestAccount, id: string) => account.ask('PATCH', `/v1/messages/${id}`, { text: 'y' })

    it('edits and revokes count against the rate of messages, and not against the monthly quota', async () => {
      const { account, send } = await sender({
        messages_per_second: 0.001,
        messages_burst: 10,
        messages_per_month: 1,
      })
      const { message_id: id } = (await send()).json
      const answers = await Promise.all(Array.from({ length: 15 }, () => edit(account, id)))
      expect(tally(answers)).toEqual({ 202: 9, 429: 6 })
      const refused = answers.find(({ status }) => status === 429)!
      expectError(refused, 429, 'rate limit exceeded')
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(50)
      expect((await account.ask('GET', '/v1/me')).json.usage.messages).toBe(1)
      expectError(await send(), 429, 'monthly quota exceeded')
    })

    it('a message can be edited 20 times and revoked 5 times, even if all requests come at once', async () => {
      const { account, send, session } = await sender({ messages_per_second: null })
      const { message_id: id } = (await send()).json
      const edits = await Promise.all(Array.from({ length: BOUNDS.editsOfMessage + 10 }, () => edit(account, id)))
      expect(tally(edits)).toEqual({ 202: BOUNDS.editsOfMessage, 400: 10 })
      expectError(await edit(account, id), 400, 'a message can be edited 20 times at most')
      await queryPlace(gateway().place, `update commands set attempt = 1 where session_id = '${session.jid}'`)
      const revoke = () => account.ask('DELETE', `/v1/messages/${id}`)
      const revokes = await Promise.all(Array.from({ length: BOUNDS.revokesOfMessage + 5 }, revoke))
      expect(tally(revokes)).toEqual({ 202: BOUNDS.revokesOfMessage, 400: 5 })
      expectError(await revoke(), 400, 'a message can be revoked 5 times at most')
      expect((await edit(account, (await send()).json.message_id)).status).toBe(202)
    })

    it('waiting messages are limited per account, over all its numbers; sending them makes room', async () => {
      const { account, session, send } = await sender({ messages_per_second: null, waiting_messages: 8 })
      const other = await gateway().session(account)
      const tomorrow = { send_at: new Date(Date.now() + 86_400_000).toISOString() }
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? send(tomorrow) : send({ session_id: other.id }))),
      )
      expect(tally(answers)).toEqual({ 202: 8, 429: 12 })
      const refused = answers.find(({ status }) => status === 429)!
      expectError(refused, 429, 'rate limit exceeded')
      expect(refused.headers['x-error-code']).toBe('plan_limit_reached')
      expect(refused.headers['retry-after']).toBe('5')
      const { message_id: id } = answers.find(({ status }) => status === 202)!.json
      expectError(await edit(account, id), 429, 'rate limit exceeded')
      expect((await account.ask('DELETE', `/v1/messages/${id}`)).json.status).toBe('cancelled')
      expect((await send()).status).toBe(202)
      expect((await send({ session_id: session.id })).status).toBe(429)
    })

    it('the limit counts only what waits: many more may be sent over time, and requests do not count', async () => {
      const { account, session, send } = await sender({ messages_per_second: null, waiting_messages: 3 })
      for (let n = 0; n < 3; n++)
        await gateway().store.requests.addRequest({
          id: makeId('req'),
          to: { kind: 'session', sessionId: session.jid, accountId: account.id },
          kind: 'typing',
          sealed: new Uint8Array(1),
          timeoutMs: 60_000,
        })
      for (let n = 0; n < 10; n++) {
        expect(tally([await send(), await send(), await send(), await send()])).toEqual({ 202: 3, 429: 1 })
        // A sent message leaves the queue.
        await queryPlace(gateway().place, `delete from commands where session_id = '${session.jid}' and kind = 'send'`)
      }
    })

    it('requests that wait for a number’s worker are limited, even if many come at once; those of others continue', async () => {
      const { account, session } = await sender({})
      const ask = (sessionId: string) =>
        gateway().store.requests.addRequest({
          id: makeId('req'),
          to: { kind: 'session', sessionId, accountId: account.id },
          kind: 'typing',
          sealed: new Uint8Array(1),
          timeoutMs: 60_000,
        })
      const asked = Array.from({ length: BOUNDS.waitingSessionRequests + 30 }, () => ask(session.jid))
      const outcomes = await Promise.all(asked)
      expect(outcomes.filter(outcome => outcome === 'asked')).toHaveLength(BOUNDS.waitingSessionRequests)
      const answer = await account.ask('POST', `/v1/sessions/${session.id}/typing`, {
        chat_jid: '15550001111',
        typing: true,
      })
      expectError(
        answer,
        429,
        `at most ${BOUNDS.waitingSessionRequests} calls of a number may wait for its worker; wait until some are answered`,
      )
      expect(answer.headers['retry-after']).toBe('1')
      expect(await ask((await gateway().session(account)).jid)).toBe('asked')
      await queryPlace(gateway().place, `update requests set expires_at = 1 where session_id = '${session.jid}'`)
      expect(await ask(session.jid)).toBe('asked')
    })

    it('a number follows the presence of a limited number of contacts: beyond it the oldest subscription ends', async () => {
      const { session } = await sender({})
      const { store } = gateway()
      const jid = (n: number) => `1555000${String(n).padStart(4, '0')}@s.whatsapp.net`
      const add = (n: number) => store.sessions.addSubscription({ sessionId: session.jid, contactJid: jid(n) })
      for (let n = 0; n < BOUNDS.presenceSubscriptions; n++) await add(n)
      await add(0)
      await Promise.all([1, 2, 3].map(n => add(BOUNDS.presenceSubscriptions + n)))
      const kept = await store.sessions.readSubscriptions(session.jid)
      expect(kept).toHaveLength(BOUNDS.presenceSubscriptions)
      expect(kept).toContain(jid(0))
      expect(kept).toContain(jid(BOUNDS.presenceSubscriptions + 3))
      expect(kept).not.toContain(jid(1))
    })
  })
})
