import type { Context } from '../context.ts'
import { RepeatingTask } from '../runtime/repeating-task.ts'
import type { Store } from '../store/store.ts'
import type { Shards } from './shards.ts'

const SWEEP_EVERY_MS = 600_000
const NEXT_SLICE_MS = 50
const LOOK_AGAIN_MS = 1_000
const ACCOUNTS_PER_SWEEP = 20
const REPLAY_SLICE = 100

export type ChoreDeps = Pick<Context, 'clock' | 'log' | 'metrics'> & {
  store: Pick<Store, 'replays' | 'retention'>
  shards: Shards
}

/** What must be done by one dispatcher alone is done by whoever owns this shard. */
const CHORES_SHARD = 0

/** Drops history and dead letters that the plans no longer keep, a few accounts at a time. */
export function historyRetention(deps: ChoreDeps): RepeatingTask {
  let afterAccountId = ''
  return new RepeatingTask(deps, 'history.sweep', async () => {
    const isOurs = deps.shards.active(CHORES_SHARD) !== undefined
    const next = isOurs ? await dropHistoryBatch(deps, afterAccountId) : ''
    afterAccountId = next ?? ''
    if (!isOurs) return LOOK_AGAIN_MS
    return next === null ? SWEEP_EVERY_MS : NEXT_SLICE_MS
  })
}

/** One slice, and where to go on. What goes before its time is said: nobody can have it sent again any more. */
export async function dropHistoryBatch(
  { store, log, metrics }: Pick<ChoreDeps, 'store' | 'log' | 'metrics'>,
  afterAccountId: string,
): Promise<string | null> {
  try {
    const { next, dropped } = await store.retention.dropExpiredHistory({ afterAccountId, accounts: ACCOUNTS_PER_SWEEP })
    for (const { accountId, because, deadLetters } of dropped) {
      metrics.deadLettersDropped.inc({ because }, deadLetters)
      log.warn({ account: accountId, because, letters: deadLetters }, 'dead_letters.dropped')
    }
    return next
  } catch (error) {
    log.warn({ err: error }, 'history.unswept')
    return null
  }
}

/** Works off the replay jobs of our shards, one slice of each in turn. Answers whether there is more to do. */
export async function advanceReplays({ store, shards }: Pick<ChoreDeps, 'store' | 'shards'>): Promise<boolean> {
  const jobs = await store.replays.listRunningReplays()
  const own = jobs.filter(job => shards.active(job.shard) !== undefined)
  let more = false
  for (const { id } of own) more = (await store.replays.advanceReplay({ id, slice: REPLAY_SLICE })) || more
  return more
}
