import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { makeId } from '../../src/domain/ids.ts'
import type { ProgressStep } from '../../src/store/units/commands/progress-steps.ts'
import { startTestGateway, type TestAccount, type TestGateway } from '../harness/gateway.ts'
import { queryPlace } from '../harness/stores.ts'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

const MESSAGES = 120
/** What happens to a row most often must not reach any index. */
const LEAST_SHARE = 0.85

let gateway: TestGateway
let account: TestAccount
beforeAll(async () => {
  gateway = await startTestGateway('postgres')
  account = await gateway.account()
})
afterAll(() => gateway.place.remove())

const stepOf = (messageId: string, sessionId: string, state: ProgressStep['state']): ProgressStep => ({
  messageId,
  accountId: account.id,
  state,
  recipient: state === 'sent' ? '' : '15550001111@s.whatsapp.net',
  atMs: 1,
  event: {
    id: makeId('evt'),
    accountId: account.id,
    sessionId,
    kind: 'status',
    category: 'status',
    historyType: null,
    dedupeId: 'd',
    sealedPayload: new Uint8Array(1),
    redacted: '{}',
    bytes: 1,
  },
  serverId: null,
  reason: null,
  detail: null,
})

it('the updates of a message on its way, of meters and of numbers touch no index', async () => {
  const { id: sessionId, jid } = await gateway.session(account)
  const ids: string[] = []
  for (let i = 0; i < MESSAGES; i++) {
    const answer = await account.ask('POST', '/v1/messages', { session_id: sessionId, to: '15550001111', text: 'x' })
    expect(answer.status).toBe(202)
    ids.push(answer.json.message_id)
  }
  for (const state of ['sent', 'delivered', 'read'] as const) {
    for (const id of ids) {
      const steps = [stepOf(id, jid, state)]
      await gateway.store.commands.progress({ lease: null, steps, commandId: null, inboxKey: null })
    }
  }
  const meter = [{ id: 'key_hot', n: 1, perSecond: 100, burst: 100 }]
  for (let i = 0; i < MESSAGES; i++) await gateway.store.accounts.settleRequests(meter)
  // A connection tells what it did when it ends.
  await gateway.stop()
  const tables = await queryPlace<{ name: string; updates: string; share: number }>(
    gateway.place,
    `select relname as name, n_tup_upd as updates, n_tup_hot_upd::float8 / n_tup_upd as share from pg_stat_user_tables
     where relname in ('messages', 'account_meters', 'request_meters', 'sessions') and n_tup_upd >= ${MESSAGES}`,
  )
  expect(tables.map(({ name }) => name).sort()).toEqual(['account_meters', 'messages', 'request_meters', 'sessions'])
  expect(tables.filter(({ share }) => share < LEAST_SHARE)).toEqual([])
})
