import { join } from 'node:path'
import { later } from './child.mjs'
import { newCluster, runServer, runStatement } from './postgres.mjs'
import { startRelay } from './relay.mjs'

/** Only processes die here, not machines: data in the kernel is safe without fsync. */
const SETTINGS = { max_connections: 400, wal_retrieve_retry_interval: '200ms', fsync: 'off' }

/**
 * A primary and a streaming replica. A synchronous replica has the data of a commit before the commit is
 * confirmed; an asynchronous one shortly after.
 */
export async function startReplicatedPostgres({ synchronous }) {
  const cluster = await newCluster()
  const first = await runServer(cluster, SETTINGS)
  // An asynchronous replica reads through a separate relay, which can be made to lag.
  const line = synchronous ? undefined : await startRelay(first.port)
  const data = join(cluster.folder, 'replica')
  const source = ['-h', '127.0.0.1', '-p', String(line?.port ?? first.port), '-U', 'postern']
  await cluster.run('pg_basebackup', ...source, '-D', data, '-R', '-X', 'stream', '-C', '-S', 'replica', '-c', 'fast')
  const replica = await runServer({ folder: cluster.folder, data }, { ...SETTINGS, hot_standby: 'on' })
  if (synchronous) {
    await runStatement(first.url, `alter system set synchronous_standby_names = '*'`)
    await runStatement(first.url, 'select pg_reload_conf()')
  }
  await untilFollowing(first.url, synchronous ? 'sync' : 'async')
  let primary = first
  return {
    /** The URL of the current primary. */
    url: () => primary.url,
    port: () => primary.port,
    replication: line,
    /** Restarts it in order or like after a crash; resolves when it responds again. */
    restart: async ({ crash }) => {
      await primary.end(crash ? 'SIGQUIT' : 'SIGINT')
      await primary.start()
    },
    /** Ends the primary permanently and promotes the replica. */
    promote: async () => {
      await first.end('SIGQUIT')
      await cluster.run('pg_ctl', 'promote', '-D', data, '-w', '-t', '60')
      primary = replica
    },
    stop: async () => {
      await Promise.all([first.end('SIGQUIT'), replica.end('SIGQUIT')])
      line?.close()
      cluster.remove()
    },
  }
}

async function untilFollowing(url, syncState) {
  for (let left = 600; left > 0; left--) {
    const [row] = await runStatement(url, 'select state, sync_state from pg_stat_replication')
    if (row?.state === 'streaming' && row.sync_state === syncState) return
    await later(50)
  }
  throw new Error('the replica does not follow its primary')
}
