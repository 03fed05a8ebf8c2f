import { later } from '../shared/child.mjs'
import { ExtraProcess } from './extra-process.mjs'
import { processSteps } from './process-steps.mjs'
import { resourceSteps } from './resource-steps.mjs'

/** Faults of processes and their database. `watch` sets which processes Prometheus scrapes besides the three. */
export const clusterSteps = ({ cluster, watch, receiver }) => {
  const other = new ExtraProcess(cluster.start, watch)
  return [
    ...databaseSteps(cluster),
    ...processSteps(other, cluster.nodes, watch),
    ...resourceSteps(other),
    ...lossSteps(cluster, receiver),
  ]
}

const databaseSteps = ({ halt, resume, relay, customer, runStatement }) => [
  {
    alarms: ['PosternDatabaseUnreachable', 'PosternRequestsFail', 'PosternNotReady', 'PosternRoleMissing'],
    how: 'PostgreSQL is shut down while a customer sends requests, and started again',
    provoke: async () => {
      await halt()
      for (let n = 0; n < 20; n++) {
        await customer.ask('GET', '/v1/sessions').catch(() => {})
        await later(200)
      }
    },
    mend: resume,
  },
  {
    alarms: ['PosternDatabaseSlow', 'PosternRequestsSlow'],
    how: 'every packet to and from PostgreSQL takes 200 ms, while a customer sends',
    provoke: async () => {
      relay.delay(200)
      for (let n = 0; n < 10; n++) await customer.send(`slowly ${n}`).catch(() => {})
    },
    mend: async () => {
      relay.delay(0)
      for (let n = 0; n < 300; n++) await customer.ask('GET', '/v1/messages?limit=1').catch(() => {})
    },
  },
  {
    alarms: ['PosternPlatformVersionOld'],
    how: 'a version of the web client that was learnt 46 days ago is written into the database; it is removed again',
    provoke: () =>
      runStatement(`insert into platform_versions (platform, revision, source, learnt_at)
        values ('whatsapp', 1, 'page', (extract(epoch from now()) * 1000)::bigint - 46 * 86400000::bigint)`),
    mend: () => runStatement(`delete from platform_versions where platform = 'whatsapp'`),
  },
]

const lossSteps = ({ start, nodes, runStatement, customer }, receiver) => {
  const restart = async (name, roles) => {
    await nodes[name].end('SIGTERM')
    nodes[name] = await start(roles, { port: nodes[name].port })
  }
  return [
    {
      alarms: ['PosternPoison', 'PosternFault'],
      how: 'a received message in the database is overwritten with bytes that no key opens, and the worker is restarted',
      provoke: async () => {
        await runStatement(`insert into inbox (session_id, key, seq, kind, chat, received_at, sealed)
          select id, 'made-up', 1, 'message', '', (extract(epoch from now()) * 1000)::bigint, '\\x00'::bytea from sessions`)
        await restart('worker', 'worker')
      },
    },
    {
      alarms: ['PosternPayloadUnreadable'],
      how: 'the payload of a waiting delivery is overwritten likewise, and the dispatcher is restarted',
      provoke: async () => {
        receiver.be('broken')
        await customer.send('not to be opened')
        for (
          let left = 100;
          left > 0 && (await runStatement('select 1 from deliveries where attempt > 0')).length === 0;
          left--
        )
          await later(100)
        await runStatement(
          `update deliveries set sealed = '\\x00'::bytea, due_at = (extract(epoch from now()) * 1000)::bigint + 2000`,
        )
        await restart('dispatcher', 'dispatcher,simulator')
      },
      mend: () => receiver.be('well'),
    },
    {
      alarms: ['PosternDeadLettersDropped'],
      how: '100,010 dead letters of one account are written into the database, and the dispatcher is restarted',
      provoke: async () => {
        await runStatement(`insert into dead_letters (id, account_id, event_id, webhook_id, session_id, kind, event_type, category,
            dedupe_id, origin, reason, attempts, created_at, updated_at, redacted)
          select 'dlv_' || lpad(n::text, 20, '0'), '${customer.accountId}', 'evt_' || n, '${customer.webhook.id}', 'none', 'message',
            'message', 'messages', 'evt_' || n, 'event', 'attempts_exhausted', '[]', t, t, 'null'
          from generate_series(1, 100010) n, (select (extract(epoch from now()) * 1000)::bigint as t) m`)
        await restart('dispatcher', 'dispatcher,simulator')
      },
      patienceMs: 120_000,
    },
  ]
}
