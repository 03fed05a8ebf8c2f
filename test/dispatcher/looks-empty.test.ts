import { expect, test } from 'vitest'
import { openDelivery, textMessage } from '../harness/delivery.ts'
import { startReceiver } from '../harness/receiver.ts'
import { newPlace, type Place, queryPlace } from '../harness/stores.ts'
import { until } from '../harness/until.ts'

const PARKED = 40_000
const DELIVERED = 600
/** A connection plans a statement permanently after a few executions; many results came together. */
const [WARMING, TIMES] = [60, 20]
/**
 * A dozen pages for each index that a row enters and leaves, and those that dispatchers read while they wait, which are
 * more on a slow machine. A scan of the whole queue takes thousands each time.
 */
const PAGES_OF_ONE = 200

test('a queue that was empty when its statements were planned is not scanned for each result', async () => {
  const place = await newPlace('postgres')
  const receiver = await startReceiver()
  const bed = await openDelivery(place.env)
  const webhook = await bed.addWebhook(receiver.url())
  bed.startDispatcher()
  const deliver = async (count: number) => {
    const all = receiver.ledger.length + count
    await Promise.all(Array.from({ length: count }, () => bed.publish(webhook, textMessage(webhook.sessionId))))
    await receiver.until(ledger => ledger.length === all)
  }

  await queryPlace(place, 'alter table deliveries set (autovacuum_enabled = false)')
  await park(place, 1)
  await queryPlace(place, 'delete from deliveries')
  await queryPlace(place, 'analyze deliveries')
  for (let times = 0; times < TIMES; times++) await deliver(WARMING)
  await park(place, 2)
  const before = await pagesRead(place)
  for (let delivered = 0; delivered < DELIVERED; delivered += WARMING) await deliver(WARMING)

  // A connection reports its reads when it ends.
  await bed.close()
  await receiver.close()
  expect(((await pagesRead(place)) - before) / DELIVERED).toBeLessThan(PAGES_OF_ONE)
  place.remove()
})

/** Due on another day, in a separate lane, five in a page; resolves when they are counted. */
async function park(place: Place, time: number): Promise<void> {
  await queryPlace(
    place,
    `insert into deliveries (id, event_id, account_id, shard, lane, origin, attempt, due_at, created_at, updated_at,
       webhook_id, session_id, kind, event_type, category, dedupe_id, bytes, attempts, redacted)
     select 'dlv_${time}' || lpad(i::text, 16, '0'), 'evt' || i, 'acc_parked', 0, 'wh_parked:messages', 'event', 1, 9e15, 0, 0,
       'wh_parked', '1@s.whatsapp.net', 'message', 'message', 'messages', 'd' || i, 100, '[]', repeat(md5(i::text), 45)
     from generate_series(1, ${PARKED}) as g(i)`,
  )
  await until(async () => (await countOf(place, 'n_tup_ins')) >= time * PARKED)
}

/** Reads of the rows and of the indexes that find them; the index by lanes is scanned at times. */
const pagesRead = (place: Place): Promise<number> =>
  countOf(
    place,
    `heap_blks_hit + heap_blks_read + (
       select sum(idx_blks_hit + idx_blks_read) from pg_statio_user_indexes
       where relname = 'deliveries' and indexrelname <> 'deliveries_shard_lane')`,
  )

async function countOf(place: Place, what: string): Promise<number> {
  const [counted] = await queryPlace<{ n: string }>(
    place,
    `select ${what} as n from pg_stat_user_tables t join pg_statio_user_tables using (relid) where t.relname = 'deliveries'`,
  )
  return Number(counted!.n)
}
