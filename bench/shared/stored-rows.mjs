import { firstIdAt } from '../../dist/domain/ids.js'
import { query } from './query.mjs'

/** Small enough not to block the running gateway. */
const BATCH = 20_000

/** The number after `--stored`: how many messages and parked deliveries to store. */
export function requestedRows() {
  const at = process.argv.indexOf('--stored')
  return at === -1 ? 0 : Number(process.argv[at + 1])
}

/** Stores messages over all accounts and numbers, and deliveries that are due tomorrow. */
export async function storeMany(place, count) {
  const isPostgres = place.databaseUrl !== null
  const padded = isPostgres ? "lpad(i::text, 16, '0')" : "printf('%016d', i)"
  const atMs = Date.now() - 3_600_000
  const message = `'${firstIdAt('msg', atMs)}' || ${padded}`
  const delivery = `'${firstIdAt('dlv', atMs)}' || ${padded}`
  for (let from = 0; from < count; from += BATCH) {
    const to = Math.min(count, from + BATCH) - 1
    const rows = isPostgres
      ? `generate_series(${from}, ${to}) as g(i)`
      : `(with recursive g(i) as (select ${from} union all select i + 1 from g where i < ${to}) select i from g) as g`
    await query(
      place,
      `insert into messages (id, account_id, session_id, request_key, request_id, recipient, type, state, platform_id,
         created_at, updated_at)
       select ${message}, (select min(id) from accounts), '1555' || (i % 1000) || '@s.whatsapp.net', 'stored-' || i, 'r' || i,
         '15551234567@s.whatsapp.net', 'text', 'read', '3EB0' || i, ${atMs}, ${atMs} from ${rows}`,
    )
    await query(
      place,
      `insert into deliveries (id, event_id, account_id, shard, lane, origin, attempt, due_at, created_at, updated_at,
         webhook_id, session_id, kind, event_type, category, dedupe_id, bytes, attempts, redacted)
       select ${delivery}, 'evt' || i, 'acc_stored', i % 64, 'wh_stored' || (i % 5000) || ':messages', 'event', 1,
         ${atMs + 86_400_000}, ${atMs}, ${atMs}, 'wh_stored' || (i % 5000), '1555' || (i % 1000) || '@s.whatsapp.net', 'message',
         'message', 'messages', 'd' || i, 100, '[]', '{}' from ${rows}`,
    )
  }
}
