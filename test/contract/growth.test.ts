import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../src/runtime/clock.ts'
import { firstIdAt } from '../../src/domain/ids.ts'
import { laneHeads } from '../../src/dispatcher/intake.ts'
import { runRetention } from '../../src/maintenance/retention-job.ts'
import { startTestGateway, type TestGateway } from '../harness/gateway.ts'
import { queryPlace, STORES } from '../harness/stores.ts'
import { until } from '../harness/until.ts'

const DAY_MS = 86_400_000
const OLD_MS = Date.now() - 100 * DAY_MS

describe.each(STORES)('A large database on %s', kind => {
  let gateway: TestGateway
  beforeAll(async () => {
    gateway = await startTestGateway(kind)
  })
  afterAll(() => gateway.stop())

  const query = <R = Record<string, unknown>>(sql: string) => queryPlace<R>(gateway.place, sql)
  const count = async (rows: string): Promise<number> =>
    Number((await query<{ n: number }>(`select count(*) as n from ${rows}`))[0]!.n)
  const sweep = () => runRetention({ store: gateway.store, clock: systemClock }, new AbortController().signal)
  /** This many rows, each with its number as `i`. */
  const series = (n: number): string =>
    kind === 'postgres'
      ? `generate_series(1, ${n}) as g(i)`
      : `(with recursive g(i) as (select 1 union all select i + 1 from g where i < ${n}) select i from g) as g`
  const padded = kind === 'postgres' ? "lpad(i::text, 16, '0')" : "printf('%016d', i)"
  const addMessages = (
    prefix: string,
    n: number,
    state: string,
    rest: { account: string; session: string; at: number },
  ) =>
    query(
      `insert into messages (id, account_id, session_id, request_id, recipient, type, state, platform_id, created_at, updated_at)
       select '${firstIdAt('msg', rest.at)}${prefix}' || ${padded}, '${rest.account}', '${rest.session}', 'r', '1@s.whatsapp.net',
         'text', '${state}', '${prefix}' || i, ${rest.at}, ${rest.at} from ${series(n)}`,
    )

  it('loses everything expired in one clean-up, however much, and nothing that waits', async () => {
    const old = { account: 'acc_old', session: '1@s.whatsapp.net', at: OLD_MS }
    await addMessages('a', 700, 'queued', old)
    await addMessages('b', 1_200, 'read', old)
    await addMessages('c', 10, 'read', { ...old, at: Date.now() })
    await query(`insert into message_states (message_id, state, recipient, at)
      select id, 'read', '', 1 from messages where account_id = 'acc_old'`)
    await query(
      `insert into answers (request_id, sealed, expires_at) select 'old' || i, ${kind === 'postgres' ? "'x'" : "x'00'"}, 1 from ${series(600)}`,
    )
    await query(
      `insert into request_meters (id, tokens, tokens_at) select 'm' || ${padded}, 1, case when i % 2 = 0 then 1 else ${Date.now()} end from ${series(2_400)}`,
    )
    await query(
      `insert into usage_deltas (account_id, day, hour, metric, n) select 'acc_old', '2026-01-01', 1, 'sent', 1 from ${series(4_100)}`,
    )
    // The gateway cleans up too, and a pass that meets another ends early.
    await until(async () => {
      await sweep()
      const left = ['answers', 'usage_deltas', "messages where account_id = 'acc_old' and state = 'read'"].map(count)
      return (
        (await Promise.all(left)).join() === '0,0,10' && (await count("request_meters where id like 'm0%'")) <= 1_200
      )
    })
    expect(await count("messages where account_id = 'acc_old' and state = 'read'")).toBe(10)
    expect(await count("messages where account_id = 'acc_old' and state = 'queued'")).toBe(700)
    expect(await count("message_states where state = 'read'")).toBe(710)
    expect(await count('answers')).toBe(0)
    expect(await count("request_meters where id like 'm0%'")).toBe(1_200)
    expect(await count('usage_deltas')).toBe(0)
    expect(
      (await query<{ n: number }>("select n from usage_days where account_id = 'acc_old'")).map(({ n }) => Number(n)),
    ).toEqual([4_100])
  })

  it('hides no other chat of a number behind a chat with many commands', async () => {
    const account = await gateway.account()
    const { jid } = await gateway.session(account)
    const add = (queue: string, from: number, n: number) =>
      query(`insert into commands (id, session_id, queue, kind, message_id, attempt, due_at, created_at)
        select '${queue}' || ${padded}, '${jid}', '${queue}', 'send', 'm', 0, ${from} + i, 1 from ${series(n)}`)
    await add('crowded', 1, 1_500)
    await add('early', 1_700, 2)
    await add('late', 1_600, 1)
    await add('future', Date.now() + DAY_MS, 1)
    const read = (exceptQueues: string[], exceptIds: string[] = []) =>
      gateway.store.commands.readDueCommands({ sessionId: jid, exceptQueues, exceptIds, limit: 128 })
    expect((await read([])).map(({ queue }) => queue)).toEqual(Array.from({ length: 128 }, () => 'crowded'))
    expect((await read(['crowded'])).map(({ queue }) => queue)).toEqual(['late', 'early'])
    expect(await read(['crowded', 'early', 'late'])).toEqual([])
  })

  it('finds every lane of a shard, however many there are', async () => {
    await query(`insert into deliveries (id, event_id, account_id, shard, lane, origin, attempt, attempts, due_at, created_at,
        updated_at, webhook_id, session_id, kind, category, dedupe_id, bytes, redacted)
      select 'dlv_' || ${padded}, 'e', 'a', case when i % 10 = 0 then 1 else 2 end, 'wh_' || ${padded} || ':messages',
        'event', 0, '[]', ${Date.now() + DAY_MS}, 1, 1, 'wh', 's', 'message', 'messages', 'd', 1, '{}'
      from ${series(1_000)}`)
    const found: string[] = []
    for await (const head of laneHeads(gateway.store, [1, 2, 3])) found.push(`${head.shard} ${head.lane}`)
    expect(found).toHaveLength(1_000)
    expect(new Set(found).size).toBe(1_000)
  })

  it('deletes a number with all its data, in batches', async () => {
    const account = await gateway.account()
    const { id, jid } = await gateway.session(account, { hosted: false })
    await query(`insert into inbox (session_id, key, seq, kind, chat, received_at)
      select '${jid}', 'k' || i, i, 'message', 'c', 1 from ${series(900)}`)
    await addMessages('w', 600, 'queued', { account: account.id, session: jid, at: Date.now() })
    await query(`insert into commands (id, session_id, queue, kind, message_id, attempt, due_at, created_at)
      select id, session_id, 'q', 'send', id, 0, 1, 1 from messages where session_id = '${jid}'`)
    const forgotten = { sessionId: jid, accountId: account.id, detail: 'd' }
    expect(await gateway.store.sessions.clearNumber({ ...forgotten, accountId: 'acc_other' })).toBe(false)
    expect(await gateway.store.sessions.clearNumber(forgotten)).toBe(true)
    expect(await count(`inbox where session_id = '${jid}'`)).toBe(650)
    expect((await account.ask('DELETE', `/v1/sessions/${encodeURIComponent(id)}`)).status).toBeLessThan(300)
    for (const table of ['inbox', 'commands', 'sessions'])
      expect(await count(`${table} where ${table === 'sessions' ? 'id' : 'session_id'} = '${jid}'`), table).toBe(0)
    expect(await count(`messages where session_id = '${jid}' and state = 'failed'`)).toBe(600)
  })

  it('returns short pages for a filter that few dead letters match, whose cursors lead to every one of them', async () => {
    const account = await gateway.account()
    await query(`insert into dead_letters (id, account_id, event_id, webhook_id, session_id, kind, event_type, category,
        dedupe_id, origin, reason, attempts, created_at, updated_at, redacted)
      select '${firstIdAt('dlv', Date.now())}' || ${padded}, '${account.id}', 'e' || i, 'w', case when i = 1 then 'one' else 'others' end,
        'message', 'message', 'messages', 'd', 'event', 'attempts_exhausted', '[]', ${Date.now()}, 1, '{}' from ${series(11_000)}`)
    const found: string[] = []
    let pages = 0
    for (let cursor: string | null = null; pages === 0 || cursor !== null; pages++) {
      const filter = { accountId: account.id, sessionIds: null, sessionId: 'one', limit: 100, cursor }
      const page = await gateway.store.deliveries.listDeliveries(filter)
      found.push(...page.data.map(({ sessionId }) => sessionId))
      cursor = page.nextCursor
    }
    expect(found).toEqual(['one'])
    expect(pages).toBe(3)
  })

  if (kind === 'postgres')
    it('is cleaned up without waiting: neither for locked rows, nor for another clean-up', async () => {
      await query("insert into answers (request_id, sealed, expires_at) values ('held', 'x', 1), ('free', 'x', 1)")
      const other = new pg.Client({ connectionString: gateway.place.databaseUrl! })
      await other.connect()
      await other.query("begin; select 1 from answers where request_id = 'held' for update")
      const answers = async () => (await query('select request_id from answers')).map(({ request_id }) => request_id)
      await until(async () => {
        await sweep()
        return (await answers()).length < 2
      })
      expect(await answers()).toEqual(['held'])
      await other.query('commit; begin')
      await other.query('delete from answers; select pg_advisory_xact_lock(7063520, 2)')
      expect(await gateway.store.retention.dropExpired()).toBe(false)
      await other.query('commit')
      await other.end()
    })
})
