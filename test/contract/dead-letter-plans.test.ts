import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { countDeadLetters } from '../../src/store/deliveries/dead-letters.ts'
import { countReplayable } from '../../src/store/replays/replay-progress.ts'
import { postgresIds, toDollars } from '../../src/store/postgres/dialect.ts'
import { openDatabase, sqliteIds } from '../../src/store/sqlite/driver.ts'
import { databasePath } from '../../src/store/sqlite/data-folder.ts'
import type { Reader, Value } from '../../src/store/transaction.ts'
import { newPlace, openStore, type Place, queryPlace, STORES } from '../harness/stores.ts'

const LETTERS = 20_000
const ACCOUNT = 'acc_plans'

/** Letters of many events, in one account, of two numbers; the first has few. */
const fill = (place: Place): Promise<unknown> =>
  queryPlace(
    place,
    `insert into dead_letters (id, account_id, event_id, webhook_id, session_id, kind, event_type, category, dedupe_id,
       origin, reason, attempts, created_at, updated_at, redacted)
     select 'dlv' || n, '${ACCOUNT}', 'evt' || n, 'wh', case when n < 10 then 'few' else 'many' end, 'message', 'message',
       'messages', 'd', 'event', 'exhausted', '[]', 1, 1, '{}'
     from (with recursive c(n) as (select 1 union all select n + 1 from c where n < ${LETTERS}) select n from c) x returning id`,
  )

describe.each(STORES)('Dead letters on %s', kind => {
  let place: Place
  /** The plans of the statements that a reader runs. */
  let plansOf: (read: (reader: Reader) => Promise<unknown>) => Promise<string>
  let close: () => Promise<void>

  beforeAll(async () => {
    place = await newPlace(kind)
    await (await openStore(place)).close()
    await fill(place)
    await queryPlace(place, 'analyze')
    const explain = await openPlans(place)
    close = explain.close
    plansOf = async read => {
      const plans: string[] = []
      const all = async <R>(sql: string, ...params: Value[]): Promise<R[]> => {
        plans.push(await explain.plan(sql, params))
        return []
      }
      const ids = kind === 'sqlite' ? sqliteIds : postgresIds
      const get = async <R>(sql: string, ...params: Value[]): Promise<R> => {
        await all(sql, ...params)
        return { n: 0 } as R
      }
      const reader = { dialect: kind, now: async () => Date.now(), all, get, ids } as unknown as Reader
      await read(reader)
      return plans.join('\n')
    }
  })
  afterAll(async () => {
    await close()
    place.remove()
  })

  it('of one event and webhook are found by their index, when a replay is counted', async () => {
    const range = { accountId: ACCOUNT, filter: 'dead', sinceMs: 0, untilMs: Date.now() } as const
    const plan = await plansOf(reader => countReplayable(reader, range))
    expect(plan).toContain('dead_letters_event')
  })

  it('of some numbers are counted by their index', async () => {
    const plan = await plansOf(reader => countDeadLetters(reader, { accountId: ACCOUNT, sessionIds: ['few'] }))
    expect(plan).toContain('dead_letters_number')
  })
})

async function openPlans(place: Place) {
  if (place.databaseUrl === null) {
    const database = openDatabase(databasePath(place.dataDir), { readOnly: true })
    return {
      plan: async (sql: string, params: Value[]) =>
        (database.prepare(`explain query plan ${sql}`).all(...params) as Array<{ detail: string }>)
          .map(({ detail }) => detail)
          .join('\n'),
      close: async () => database.close(),
    }
  }
  const client = new pg.Client({ connectionString: place.databaseUrl })
  await client.connect()
  return {
    plan: async (sql: string, params: Value[]) => {
      const { rows } = await client.query({ text: `explain ${toDollars(sql).text}`, values: params })
      return rows.map(row => row['QUERY PLAN']).join('\n')
    },
    close: async () => await client.end(),
  }
}
