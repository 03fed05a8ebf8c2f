import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeId } from '../../src/domain/ids.ts'
import type { MessageState } from '../../src/domain/message.ts'
import { openDatabase } from '../../src/store/sqlite/driver.ts'
import { databasePath } from '../../src/store/sqlite/data-folder.ts'
import { startTestGateway, type TestAccount, type TestGateway } from '../harness/gateway.ts'

/** More than one page reads. */
const MESSAGES = 45_000
const OLD_AND_RARE: MessageState[] = ['sent', 'failed']

let gateway: TestGateway
let account: TestAccount

beforeAll(async () => {
  gateway = await startTestGateway('sqlite')
  account = await gateway.account()
  const database = openDatabase(databasePath(gateway.place.dataDir), { readOnly: false })
  const insert = database.prepare(
    `insert into messages (id, account_id, session_id, request_id, recipient, type, state, platform_id, created_at, updated_at)
     values (?, ?, '1@s.whatsapp.net', 'r', '2@s.whatsapp.net', 'text', ?, ?, 1, 1)`,
  )
  const beganMs = Date.now() - MESSAGES
  database.exec('begin')
  for (let i = 0; i < MESSAGES; i++)
    insert.run(makeId('msg', beganMs + i), account.id, OLD_AND_RARE[i] ?? 'read', `3EB0${i}`)
  database.exec('commit')
  database.close()
})
afterAll(() => gateway.stop())

const list = (state: MessageState, cursor: string | null) =>
  gateway.store.messages.listMessages({ accountId: account.id, sessionIds: null, state, limit: 100, cursor })

test('a filter that few messages match returns short pages, whose cursors lead to every one of them', async () => {
  const found: string[] = []
  let pages = 0
  let cursor: string | null = null
  do {
    const page: Awaited<ReturnType<typeof list>> = await list('sent', cursor)
    found.push(...page.data.map(message => message.state))
    cursor = page.nextCursor
    pages++
  } while (cursor !== null)
  expect(found).toEqual(['sent'])
  expect(pages).toBe(3)
})

test('rare states are found immediately, however far back', async () => {
  const { data, nextCursor } = await list('failed', null)
  expect([data.map(message => message.state), nextCursor]).toEqual([['failed'], null])
})
