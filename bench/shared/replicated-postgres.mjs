import { join } from 'node:path'
import { later } from './child.mjs'
import { newCluster, runServer, tell } from './postgres.mjs'
import { startRelay } from './relay.mjs'

/** Processes die here, machines do not: what the kernel has is as good as on disk. */
const SETTINGS = { max_connections: 400, wal_retrieve_retry_interval: '200ms', fsync: 'off' }

/**
 * A primary and a streaming replica of it. A synchronous one holds what a commit has promised before the commit is
 * answered; an asynchronous one holds it a moment later.
 */
export async function startReplicatedPostgres({ synchronous }) {
  const cluster = await newCluster()
  const first = await runServer(cluster, SETTINGS)
  // An asynchronous one reads over a network of its own, which can be made to lag.
  const line = synchronous ? undefined : await startRelay(first.port)
  const data = join(cluster.folder, 'replica')
  const source = ['-h', '127.0.0.1', '-p', String(line?.port ?? first.port), '-U', 'postern']
  await cluster.run('pg_basebackup', ...source, '-D', data, '-R', '-X', 'stream', '-C', '-S', 'replica', '-c', 'fast')
  const replica = await runServer({ folder: cluster.folder, data }, { ...SETTINGS, hot_standby: 'on' })
  if (synchronous) {
    await tell(first.url, `alter system set synchronous_standby_names = '*'`)
    await tell(first.url, 'select pg_reload_conf()')
  }
  await untilFollowing(first.url, synchronous ? 'sync' : 'async')
  let primary = first
  return {
    /** Of whichever is the primary now. */
    url: () => primary.url,
    port: () => primary.port,
    replication: line,
    /** In order, or as a crash would; resolves when it answers again. */
    restart: async ({ crash }) => {
      await primary.end(crash ? 'SIGQUIT' : 'SIGINT')
      await primary.start()
    },
    /** The primary dies for good, and the replica takes its place. */
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
    const [row] = await tell(url, 'select state, sync_state from pg_stat_replication')
    if (row?.state === 'streaming' && row.sync_state === syncState) return
    await later(50)
  }
  throw new Error('the replica does not follow its primary')
}
