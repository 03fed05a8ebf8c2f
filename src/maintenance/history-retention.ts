import type { Context } from '../context.ts'
import { RepeatingTask } from '../runtime/repeating-task.ts'
import type { Store } from '../store/store.ts'

const EVERY_MS = 600_000
const NEXT_BATCH_MS = 50
const ACCOUNTS_PER_BATCH = 20

type HistoryDeps = Pick<Context, 'clock' | 'log' | 'metrics'> & { store: Pick<Store, 'retention'> }

/** Deletes delivery history and dead letters that the plans no longer keep, some accounts at a time. */
export function historyRetention(deps: HistoryDeps): RepeatingTask {
  let afterAccountId = ''
  return new RepeatingTask(deps, 'history.cleanup', async () => {
    const next = await dropHistoryBatch(deps, afterAccountId)
    afterAccountId = next ?? ''
    return next === null ? EVERY_MS : NEXT_BATCH_MS
  })
}

/**
 * Deletes one batch and returns the account to continue after; `null` at the end, or if another process is running this job.
 * Dead letters that are deleted early are counted and logged: they cannot be sent again.
 */
export async function dropHistoryBatch(
  { store, log, metrics }: Pick<HistoryDeps, 'store' | 'log' | 'metrics'>,
  afterAccountId: string,
): Promise<string | null> {
  try {
    const { next, dropped } = await store.retention.dropExpiredHistory({ afterAccountId, accounts: ACCOUNTS_PER_BATCH })
    for (const { accountId, because, deadLetters } of dropped) {
      metrics.deadLettersDropped.inc({ because }, deadLetters)
      log.warn({ account: accountId, because, letters: deadLetters }, 'dead_letters.dropped')
    }
    return next
  } catch (error) {
    log.warn({ err: error }, 'history.cleanup_failed')
    return null
  }
}
