import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestGateway, type TestAccount, type TestGateway } from '../harness/gateway.ts'
import { progressStep } from '../harness/progress-step.ts'
import { queryPlace } from '../harness/stores.ts'

const MESSAGES = 120
/** The most frequent updates of a row must not touch any index. */
const LEAST_SHARE = 0.95
const TABLES = ['account_meters', 'messages', 'request_meters']

let gateway: TestGateway
let account: TestAccount
beforeAll(async () => {
  gateway = await startTestGateway('postgres')
  account = await gateway.account()
  // Leaves room for every version of a row: on a busy server old ones are not always removed in time.
  for (const table of TABLES) await queryPlace(gateway.place, `alter table ${table} set (fillfactor = 10)`)
})
afterAll(() => gateway.place.remove())

it('updates of a message in progress and of meters touch no index', async () => {
  const { id: sessionId, jid } = await gateway.session(account)
  const ids: string[] = []
  for (let i = 0; i < MESSAGES; i++) {
    const answer = await account.ask('POST', '/v1/messages', { session_id: sessionId, to: '15550001111', text: 'x' })
    expect(answer.status).toBe(202)
    ids.push(answer.json.message_id)
  }
  for (const state of ['sent', 'delivered', 'read'] as const) {
    for (const id of ids) {
      const recipient = state === 'sent' ? '' : '15550001111@s.whatsapp.net'
      const steps = [progressStep({ messageId: id, accountId: account.id, sessionId: jid, state, recipient })]
      await gateway.store.messages.recordProgress({ lease: null, steps, commandId: null, inboxKey: null })
    }
  }
  const meter = [{ id: 'key_hot', n: 1, perSecond: 100, burst: 100 }]
  for (let i = 0; i < MESSAGES; i++) await gateway.store.limits.syncRequestMeters(meter)
  // A connection reports its work when it ends.
  await gateway.stop()
  const tables = await queryPlace<{ name: string; updates: string; share: number }>(
    gateway.place,
    `select relname as name, n_tup_upd as updates, n_tup_hot_upd::float8 / n_tup_upd as share from pg_stat_user_tables
     where relname = any ('{${TABLES}}') and n_tup_upd >= ${MESSAGES}`,
  )
  expect(tables.map(({ name }) => name).sort()).toEqual(TABLES)
  expect(tables.filter(({ share }) => share < LEAST_SHARE)).toEqual([])
})
