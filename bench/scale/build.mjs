import { createAccount } from '../../dist/actions/create-account.js'
import { makeEvent } from '../../dist/actions/make-event.js'
import { firstIdAt } from '../../dist/domain/ids.js'
import { eachOf } from '../shared/child.mjs'
import { UNLIMITED } from '../shared/unlimited.mjs'
import { textEvent } from '../shared/text-event.mjs'
import { addWebhook } from '../shared/webhooks.mjs'

const AT_ONCE = 64

/** Creates accounts, numbers with webhooks, messages and parked deliveries; returns the accounts with their keys. */
export async function buildCell(context, { accounts, numbers, messages, parked }, url, query, log) {
  const made = await eachOf(Array.from({ length: accounts }), AT_ONCE, async () => {
    const fields = { name: 'scale', plan: 'max', limits: UNLIMITED, acceptTos: true, keyLabel: 'scale' }
    const { account, apiKey } = await createAccount(context, fields)
    return { id: account.id, key: apiKey.key, numbers: [] }
  })
  log(`${accounts} accounts`)
  await eachOf(Array.from({ length: numbers }), AT_ONCE, async (_, i) => {
    const account = made[i % made.length]
    const phone = String(999_100_000_000 + i)
    const id = `${phone}@s.whatsapp.net`
    const number = { accountId: account.id, id, phone, device: 1, label: '', platform: 'whatsapp', maxSessions: null }
    await context.store.sessions.registerSession(number)
    await addWebhook(context, account.id, phone, url)
    account.numbers.push(id)
  })
  await query(`insert into device_creds (session_id, sealed) select id, decode(repeat('ab', 500), 'hex') from sessions`)
  log(`${numbers} numbers with webhooks`)
  await storeMessages(query, messages)
  log(`${messages} messages`)
  await eachOf(Array.from({ length: parked }), 512, async (_, i) => {
    const account = made[i % made.length]
    const number = account.numbers[Math.floor(i / made.length) % account.numbers.length]
    await context.store.events.publishEvent(makeEvent(context, account.id, textEvent(number, `p${i}`)))
  })
  await query(`update deliveries set attempt = 1, due_at = due_at + 86400000`)
  log(`${parked} parked deliveries`)
  await query('vacuum analyze')
  return made
}

/** Spreads them over all accounts and numbers: most are read, one in a hundred failed. */
async function storeMessages(query, messages) {
  const atMs = Date.now() - 86_400_000
  const id = `'${firstIdAt('msg', atMs)}' || lpad(i::text, 16, '0')`
  await query(
    `create temporary table numbers as select row_number() over (order by id) - 1 as n, id, account_id from sessions`,
  )
  await query('create index on numbers (n)')
  await query(`insert into messages (id, account_id, session_id, request_key, fingerprint, request_id, recipient, type, state,
      platform_id, created_at, updated_at)
    select ${id}, s.account_id, s.id, 'key-' || i, decode(md5(i::text), 'hex'), 'req-' || i, '15551234567@s.whatsapp.net', 'text',
      case when i % 100 = 0 then 'failed' else 'read' end, '3EB0' || i, ${atMs}, ${atMs}
    from generate_series(0, ${messages - 1}) g(i) join numbers s on s.n = i % (select count(*) from numbers)`)
  await query(`insert into message_states (message_id, state, recipient, at)
    select id, 'read', recipient, updated_at from messages`)
}
