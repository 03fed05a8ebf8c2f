import { describe, expect, it } from 'vitest'
import { systemClock } from '../../src/runtime/clock.ts'
import { BOUNDS } from '../../src/domain/bounds.ts'
import { makeId } from '../../src/domain/ids.ts'
import type { ProgressStep } from '../../src/store/messages/progress-steps.ts'
import { cleanUpSessions } from '../../src/maintenance/session-retention.ts'
import { onAnyStore } from '../harness/gateway.ts'
import { progressStep } from '../harness/progress-step.ts'
import { queryPlace } from '../harness/stores.ts'

const DAY_MS = 86_400_000
const EXTRA = 2_500

describe('Data that contacts make a number keep', () => {
  onAnyStore(gateway => {
    const query = (sql: string) => queryPlace(gateway().place, sql)
    const count = async (what: string) => Number((await query(`select count(*) as n from ${what}`))[0]!.n)
    const sweep = () =>
      cleanUpSessions({ store: gateway().store, clock: systemClock }, 'node_here', new AbortController().signal)
    const numbers = (many: number) =>
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${many})`
    const addInbox = (jid: string, many: number, doneAt: string) =>
      query(
        `insert into inbox (session_id, key, seq, kind, chat, received_at, done_at) ${numbers(many)}
         select '${jid}', '${makeId('evt')}' || i, i, 'message', 'c', 1, ${doneAt} from n`,
      )
    const addSeen = (jid: string, many: number, fromMe: 0 | 1, expiresAt: string) =>
      query(
        `insert into seen_messages (session_id, message_id, chat_jid, sender_jid, from_me, expires_at) ${numbers(many)}
         select '${jid}', '${makeId('evt')}' || i, 'c', 's', ${fromMe}, ${expiresAt} from n`,
      )
    const session = async () => (await gateway().session(await gateway().account(), { hosted: false })).jid

    it('processed received messages are limited: the latest of each number are kept, and all that wait', async () => {
      const [loud, quiet] = [await session(), await session()]
      const from = Date.now() - DAY_MS
      await addInbox(loud, BOUNDS.doneInboxRows + EXTRA, `${from} + i`)
      await addInbox(loud, 10, 'null')
      await addInbox(quiet, 10, `${from - DAY_MS} + i`)
      await addInbox(quiet, 10, `${Date.now() - 31 * DAY_MS} + i`)
      await sweep()
      expect(await count(`inbox where session_id = '${loud}' and done_at is null`)).toBe(10)
      const kept = await count(`inbox where session_id = '${loud}' and done_at is not null`)
      expect(kept).toBe(BOUNDS.doneInboxRows)
      expect(await count(`inbox where session_id = '${loud}' and done_at <= ${from + EXTRA}`)).toBe(0)
      expect(await count(`inbox where session_id = '${quiet}'`)).toBe(10)
    })

    it('the clean-up leaves numbers of other hosts to them, and each query reads one number', async () => {
      const [free, taken] = [await session(), (await gateway().session(await gateway().account())).jid]
      for (const jid of [free, taken]) await addInbox(jid, 10, `${Date.now() - 31 * DAY_MS} + i`)
      const looks: number[] = []
      const { store } = gateway()
      const retention = {
        dropExpiredRows: store.retention.dropExpiredRows,
        async readExpiredRows(input: { afterSessionId: string; owner: string }) {
          const look = await store.retention.readExpiredRows(input)
          looks.push(new Set(look.expired.map(({ sessionId }) => sessionId)).size)
          return look
        },
      }
      await cleanUpSessions({ store: { retention }, clock: systemClock }, 'node_here', new AbortController().signal)
      expect(Math.max(...looks)).toBe(1)
      expect(await count(`inbox where session_id = '${free}'`)).toBe(0)
      expect(await count(`inbox where session_id = '${taken}'`)).toBe(10)
    })

    it('messages that can be referred to are limited: the latest of each number are kept, and its own', async () => {
      const [loud, quiet] = [await session(), await session()]
      const until = Date.now() + DAY_MS
      await addSeen(loud, BOUNDS.seenMessages + EXTRA, 0, `${until} + i`)
      await addSeen(loud, 10, 1, `${until - 1_000} + i`)
      await addSeen(quiet, 10, 0, `${until - 1_000} + i`)
      await addSeen(quiet, 10, 0, `${Date.now() - 1_000} + i`)
      await addSeen(quiet, 10, 1, `${Date.now() - 1_000} + i`)
      await sweep()
      expect(await count(`seen_messages where session_id = '${loud}' and from_me = 0`)).toBe(BOUNDS.seenMessages)
      expect(
        await count(`seen_messages where session_id = '${loud}' and from_me = 0 and expires_at <= ${until + EXTRA}`),
      ).toBe(0)
      expect(await count(`seen_messages where session_id = '${loud}' and from_me = 1`)).toBe(10)
      expect(await count(`seen_messages where session_id = '${quiet}'`)).toBe(10)
    })

    it('receipts of a message are each published once for any number of readers, and the record shows the first', async () => {
      const account = await gateway().account()
      const { id: sessionId, jid } = await gateway().session(account)
      const send = { session_id: sessionId, to: '15550001111', text: 'x' }
      const { message_id: id } = (await account.ask('POST', '/v1/messages', send)).json
      const step = (state: ProgressStep['state'], recipient: string) =>
        progressStep({ messageId: id, accountId: account.id, sessionId: jid, state, recipient })
      const publishedFor = async (steps: ProgressStep[]) => {
        const done = await gateway().store.messages.recordProgress({
          lease: null,
          steps,
          commandId: null,
          inboxKey: null,
        })
        return done.kind === 'done' ? done.published.length : done.kind
      }
      const readers = (from: number, many: number) =>
        Array.from({ length: many }, (_, i) => ({ ...step('delivered', `${from + i}@lid`), atMs: from }))
      const early = Array.from({ length: 100 }, (_, i) => ({ ...step('read', `${i}@lid`), atMs: 500 }))
      expect(await publishedFor([step('sent', '')])).toBe(1)
      for (let n = 0; n < 5_000; n += 1_000) expect(await publishedFor(readers(n, 1_000))).toBe(1_000)
      expect(await publishedFor(readers(4_000, 1_000))).toBe(0)
      expect(await publishedFor(early)).toBe(100)
      expect(await count(`message_states where message_id = '${id}' and recipient <> ''`)).toBe(5_100)
      const { history } = (await account.ask('GET', `/v1/messages/${id}`)).json
      const shown = history.map(({ state }: { state: string }) => state)
      expect(shown.slice(0, 2)).toEqual(['queued', 'sent'])
      expect(shown).toHaveLength(2 + BOUNDS.receiptsShown)
      const whose = history.flatMap(({ state, recipient }: { state: string; recipient?: string }) =>
        state === 'read' ? [recipient] : [],
      )
      expect(whose.toSorted()).toEqual(early.map(({ recipient }) => recipient).toSorted())
      expect(shown.filter((state: string) => state === 'delivered')).toHaveLength(BOUNDS.receiptsShown - early.length)
      await query(`update messages set receipts = ${BOUNDS.receiptsOfMessage} where id = '${id}'`)
      expect(
        await publishedFor([step('delivered', 'more@lid'), step('read', 'more@lid'), step('delivered', '17@lid')]),
      ).toBe(2)
      expect(await count(`message_states where message_id = '${id}' and recipient <> ''`)).toBe(5_100)
      expect((await account.ask('GET', `/v1/messages/${id}`)).json.state).toBe('read')
    })
  })
})
