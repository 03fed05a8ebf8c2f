import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { later } from '../shared/child.mjs'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const SHIFTED = fileURLToPath(new URL('../../test/harness/shifted-date.cjs', import.meta.url))
const MB = 1024 * 1024

/** What happens to processes and to their database. `watch` says which processes Prometheus scrapes besides the three. */
export const clusterSteps = ({ cluster, watch, receiver }) => [
  ...databaseSteps(cluster),
  ...processSteps(cluster, watch),
  ...resourceSteps(cluster, watch),
  ...lossSteps(cluster, watch, receiver),
]

const databaseSteps = ({ halt, resume, relay, customer, tell }) => [
  {
    alarms: ['PosternDatabaseUnreachable', 'PosternRequestsFail', 'PosternNotReady', 'PosternRoleMissing'],
    how: 'PostgreSQL is shut down while a customer asks on, and started again',
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
      tell(`insert into platform_versions (platform, revision, source, learnt_at)
        values ('whatsapp', 1, 'page', (extract(epoch from now()) * 1000)::bigint - 46 * 86400000::bigint)`),
    mend: () => tell(`delete from platform_versions where platform = 'whatsapp'`),
  },
]

const processSteps = ({ start, nodes }, watch) => {
  let other
  const another = async (roles, more) => {
    other = await start(roles, more)
    watch([other])
  }
  const endOther = async () => {
    watch([])
    await other.end()
  }
  return [
    {
      alarms: ['PosternClockSkewed'],
      how: 'a process whose clock is 5 s ahead',
      provoke: () => another('api', { execArgv: ['--require', SHIFTED], env: { SHIFT_CLOCK_MS: '5000' } }),
      mend: endOther,
    },
    {
      alarms: ['PosternNodeDown'],
      how: 'a process is killed (SIGKILL) and stays away; mended by starting it at the same port',
      provoke: async () => {
        await another('api')
        await later(3_000)
        await other.end()
      },
      mend: () => another('api', { port: other.port }),
    },
    {
      alarms: ['PosternRestarting'],
      how: 'the same process is killed and started three times',
      provoke: async () => {
        for (let n = 0; n < 3; n++) {
          await other.end()
          await another('api', { port: other.port })
          await later(1_500)
        }
      },
      mend: endOther,
    },
    {
      alarms: ['PosternEventLoopLate'],
      how: 'the API process is stopped (SIGSTOP) for 400 ms, four times in each second',
      provoke: async () => {
        for (let n = 0; n < 40; n++) {
          nodes.api.signal('SIGSTOP')
          await later(400)
          nodes.api.signal('SIGCONT')
          await later(100)
        }
      },
    },
    versionsMixed(another, endOther),
    {
      alarms: ['PosternUnwatched'],
      how: 'Prometheus is told of no target',
      provoke: () => watch(null),
      mend: () => watch([]),
    },
  ]
}

/** A process of another version: the same program under another number. */
function versionsMixed(another, endOther) {
  let folder
  return {
    alarms: ['PosternVersionsMixed'],
    how: 'a process that says it is version 0.0.9',
    provoke: async () => {
      folder = mkdtempSync(join(tmpdir(), 'postern-alarms-version-'))
      cpSync(join(ROOT, 'dist'), join(folder, 'dist'), { recursive: true })
      for (const name of ['node_modules', 'simulator', 'portal', 'package.json', 'openapi.json', 'docs'])
        symlinkSync(join(ROOT, name), join(folder, name))
      writeFileSync(join(folder, 'dist/version.js'), `export const VERSION = '0.0.9'\nexport const LIBRARY = 'none'\n`)
      await another('dispatcher', { root: folder })
    },
    mend: async () => {
      await endOther()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const resourceSteps = ({ start }, watch) => {
  let other
  const sockets = []
  let disk
  const another = async more => {
    other = await start('api', more)
    watch([other])
  }
  const endOther = async () => {
    watch([])
    await other.end()
  }
  return [
    {
      alarms: ['PosternHeapHigh'],
      how: 'a process whose heap may have 36 MB',
      provoke: () => another({ execArgv: ['--max-old-space-size=36', '--max-semi-space-size=1'] }),
      mend: endOther,
    },
    {
      alarms: ['PosternFilesHigh'],
      how: 'a process that may open 100 files, and 70 connections to it',
      provoke: async () => {
        await another({ execPath: '/usr/bin/prlimit', execArgv: ['--nofile=100', process.execPath] })
        for (let n = 0; n < 70; n++) sockets.push(connect(other.port, '127.0.0.1').on('error', () => {}))
      },
      mend: async () => {
        for (const socket of sockets) socket.destroy()
        await endOther()
      },
    },
    {
      alarms: ['PosternDiskFull'],
      how: 'a data folder on a disk of 20 MB of which 19 are taken',
      provoke: async () => {
        disk = mkdtempSync(join(tmpdir(), 'postern-alarms-disk-'))
        execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=20m', 'tmpfs', disk])
        writeFileSync(join(disk, 'filler'), Buffer.alloc(19 * MB))
        await another({ env: { POSTERN_DATA_DIR: disk } })
      },
      mend: async () => {
        rmSync(join(disk, 'filler'))
      },
      after: async () => {
        await endOther()
        execFileSync('umount', [disk])
        rmSync(disk, { recursive: true })
      },
    },
  ]
}

const lossSteps = ({ start, nodes, tell, customer }, watch, receiver) => {
  const restart = async (name, roles) => {
    await nodes[name].end('SIGTERM')
    nodes[name] = await start(roles, { port: nodes[name].port })
  }
  return [
    {
      alarms: ['PosternPoison', 'PosternFault'],
      how: 'a received message in the database is overwritten with bytes that no key opens, and the worker is restarted',
      provoke: async () => {
        await tell(`insert into inbox (session_id, key, seq, kind, chat, received_at, sealed, tries)
          select id, 'made-up', 1, 'message', '', (extract(epoch from now()) * 1000)::bigint, '\\x00'::bytea, 0 from sessions`)
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
          left > 0 && (await tell('select 1 from deliveries where attempt > 0')).length === 0;
          left--
        )
          await later(100)
        await tell(
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
        await tell(`insert into dead_letters (id, account_id, event_id, webhook_id, session_id, kind, event_type, category,
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
