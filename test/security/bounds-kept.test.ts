import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { BOUNDS } from '../../src/domain/bounds.ts'
import { dropHistoryBatch } from '../../src/maintenance/history-retention.ts'
import { makeId } from '../../src/domain/ids.ts'
import { expectError } from '../harness/client.ts'
import { onEachStore } from '../harness/gateway.ts'
import { queryPlace } from '../harness/stores.ts'
import { until } from '../harness/until.ts'
import { takeSession } from '../harness/leases.ts'

const DAY_MS = 86_400_000

describe('Stored data is limited', () => {
  onEachStore((gateway, kind) => {
    const query = (sql: string) => queryPlace(gateway().place, sql)
    const count = async (what: string) => Number((await query(`select count(*) as n from ${what}`))[0]!.n)
    /** The gateway runs this job too, and only one of the two at a time: a pass that meets the other ends early. */
    const sweepUntil = async (what: string, left: number) => {
      await until(async () => {
        for (let next: string | null = ''; next !== null; ) next = await dropHistoryBatch(gateway().context, next)
        return (await count(what)) <= left
      })
      expect(await count(what)).toBe(left)
    }
    const dropped = async (because: string) => {
      const { values } = await gateway().context.metrics.deadLettersDropped.get()
      return values.find(({ labels }) => labels.because === because)?.value ?? 0
    }

    it('dead letters of an account are limited, whatever its plan keeps: the latest stay', async () => {
      const account = await gateway().account({ plan: 'max' })
      const now = Date.now()
      const many = BOUNDS.deadLetters + 1_200
      await query(
        `insert into dead_letters (id, account_id, event_id, webhook_id, session_id, kind, event_type, category, dedupe_id,
           origin, reason, attempts, created_at, updated_at, redacted)
         with recursive n(i) as (select 1 union all select i + 1 from n where i < ${many})
         select 'dlv_' || (10000000 + i) || '${account.id}', '${account.id}', 'evt_' || i || '${account.id}', 'wh_x', 's', 'message',
           'message', 'messages', 'd', 'event', 'r', '[]', ${now}, ${now}, '{}' from n`,
      )
      await sweepUntil(`dead_letters where account_id = '${account.id}'`, BOUNDS.deadLetters)
      const oldest = (await query(`select min(id) as id from dead_letters where account_id = '${account.id}'`))[0]!.id
      expect(oldest).toBe(`dlv_${10_000_000 + 1_201}${account.id}`)
      expect(await dropped('number')).toBe(1_200)
    })

    it('payloads of dead letters are limited by size: the oldest are deleted with their letters, and waiting deliveries stay', async () => {
      const [account, other] = [await gateway().account({ plan: 'max' }), await gateway().account({ plan: 'max' })]
      const now = Date.now()
      const bytes = 4_194_304
      const fit = BOUNDS.payloadBytes / bytes
      const waiting = 300
      /** The oldest wait, the others are dead. */
      const add = async (accountId: string, many: number, size: number) => {
        const rows = `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${many})`
        await query(
          `insert into events (id, account_id, session_id, kind, category, dedupe_id, bytes, pending, created_at, sealed)
           ${rows} select 'evt_' || (10000000 + i) || ${size} || '${accountId}', '${accountId}', 's', 'message', 'messages',
             'd', ${size}, case when i <= ${waiting} then 1 else 0 end, ${now}, '' from n`,
        )
        await query(
          `insert into dead_letters (id, account_id, event_id, webhook_id, session_id, kind, event_type, category, dedupe_id,
             origin, reason, attempts, created_at, updated_at, redacted)
           ${rows} select 'dlv_' || (10000000 + i) || ${size} || '${accountId}', '${accountId}',
             'evt_' || (10000000 + i) || ${size} || '${accountId}', 'wh_x', 's', 'message', 'message', 'messages', 'd', 'event',
             'r', '[]', ${now}, ${now}, '{}' from n where i > ${waiting}`,
        )
      }
      await add(account.id, waiting + fit + 700, bytes)
      await add(account.id, 1_000, 1_024)
      await add(other.id, waiting + 100, bytes)
      const large = `account_id = '${account.id}' and bytes = ${bytes}`
      await sweepUntil(`events where ${large} and pending = 0`, fit)
      expect(await count(`events where ${large} and pending = 1`)).toBe(waiting)
      const kept = `account_id = '${account.id}' and event_id in (select id from events)`
      expect(await count(`dead_letters where ${kept}`)).toBe(fit + 1_000 - waiting)
      expect(await count(`dead_letters where account_id = '${account.id}'`)).toBe(fit + 1_000 - waiting)
      expect(await count(`events where account_id = '${other.id}'`)).toBe(waiting + 100)
      expect(await dropped('size')).toBe(700)
    })

    it('only leases of removed numbers are deleted, after a month', async () => {
      const account = await gateway().account()
      const [gone, fresh, kept] = [
        await gateway().session(account),
        await gateway().session(account),
        await gateway().session(account),
      ]
      for (const { jid } of [gone, fresh])
        await gateway().store.sessions.forgetSession({ sessionId: jid, accountId: account.id, detail: 'unlinked' })
      const old = Date.now() - 31 * DAY_MS
      await query(
        `update leases set changed_at = ${old}, owner = null where kind = 'session' and id in ('${gone.jid}', '${kept.jid}')`,
      )
      const leases = async () => (await query("select id from leases where kind = 'session'")).map(({ id }) => id)
      await until(async () => {
        await gateway().store.retention.dropExpiredHosting()
        return !(await leases()).includes(gone.jid)
      })
      const left = await leases()
      expect(left).toContain(fresh.jid)
      expect(left).toContain(kept.jid)
    })

    it('a lease is no longer old from the moment at which its number is linked again', async () => {
      const account = await gateway().account()
      const { jid, phone } = await gateway().session(account)
      await gateway().store.sessions.forgetSession({ sessionId: jid, accountId: account.id, detail: 'unlinked' })
      const lease = `leases where kind = 'session' and id = '${jid}'`
      await query(`update ${lease.replace(' where', ` set changed_at = ${Date.now() - 31 * DAY_MS} where`)}`)
      const linked = { accountId: account.id, id: jid, phone, device: 2, label: 'x', maxSessions: null }
      await gateway().store.sessions.registerSession({ ...linked, platform: 'whatsapp' })
      const [row] = await query(`select owner, changed_at from ${lease}`)
      expect(row!.owner).toBeNull()
      expect(Number(row!.changed_at)).toBeGreaterThan(Date.now() - DAY_MS)
      expect(await takeSession(gateway().store, jid)).toBeDefined()
    })

    // With one writer at a time, nothing can happen at that moment.
    if (kind === 'postgres')
      it('a lease that the clean-up finds old stays if its number is being linked again at that moment', async () => {
        const { place, store } = gateway()
        const account = await gateway().account()
        const { jid } = await gateway().session(account)
        await store.sessions.forgetSession({ sessionId: jid, accountId: account.id, detail: 'unlinked' })
        const lease = `kind = 'session' and id = '${jid}'`
        await query(`update leases set changed_at = ${Date.now() - 31 * DAY_MS} where ${lease}`)
        const linking = new pg.Client({ connectionString: place.databaseUrl! })
        await linking.connect()
        await linking.query('begin')
        await linking.query(`update leases set changed_at = ${Date.now()} where ${lease}`)
        const sweeping = store.retention.dropExpiredHosting()
        const waits = `pg_stat_activity where wait_event_type = 'Lock' and query like 'delete from leases%'`
        await until(async () => (await count(waits)) === 1)
        await linking.query('commit')
        await linking.end()
        await sweeping
        expect(await count(`leases where ${lease}`)).toBe(1)
      })

    it('configs of removed numbers are limited: deleting some makes room for new ones', async () => {
      const account = await gateway().account()
      const { store } = gateway()
      const urls = { messages: '', status: '', connection: '', events: '' }
      const add = (sessionId: string) =>
        store.webhooks.createWebhook({
          id: makeId('wh'),
          accountId: account.id,
          sessionId,
          phone: '1',
          urls,
          sealedSecret: new Uint8Array(1),
        })
      for (let n = 0; n < BOUNDS.inactiveWebhooks; n++) await add(`gone ${n}`)
      await query(`update webhooks set active = 0 where account_id = '${account.id}'`)
      const session = await gateway().session(account)
      const create = () => account.ask('POST', '/v1/webhooks', { session_id: session.id })
      expectError(await create(), 429, 'at most 200 webhook configs of removed numbers can exist; delete some')
      const { id } = (await account.ask('GET', '/v1/webhooks?limit=1')).json.data[0]
      expect((await account.ask('DELETE', `/v1/webhooks/${id}`)).status).toBe(200)
      expect((await create()).status).toBe(201)
    })
  })
})
