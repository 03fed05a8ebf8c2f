import type { Context } from '../context.ts'
import { RepeatingTask } from '../runtime/repeating-task.ts'
import type { Store } from '../store/store.ts'

const EVERY_MS = 30_000
const NEXT_BATCH_MS = 50
const BATCH = 50

type Deps = Pick<Context, 'clock' | 'log' | 'mediaFiles'> & { store: Pick<Store, 'media'> }

/** Deletes expired files: first their bytes, then their rows, so that no bytes are left without a row. */
export function mediaRetention(deps: Deps): RepeatingTask {
  const stuck = new Set<string>()
  return new RepeatingTask(deps, 'media.cleanup', async () => {
    if ((await dropExpiredMedia(deps, stuck)) === BATCH) return NEXT_BATCH_MS
    stuck.clear()
    return EVERY_MS
  })
}

/**
 * Deletes one batch and returns how many files it had, without those that are stuck: their bytes cannot be removed, and
 * no other file waits for them. Two processes may do it at the same time.
 */
export async function dropExpiredMedia(
  { store, mediaFiles, log }: Pick<Deps, 'store' | 'mediaFiles' | 'log'>,
  stuck = new Set<string>(),
): Promise<number> {
  const expired = await store.media.readExpiredMedia({ places: mediaFiles.places, limit: BATCH + stuck.size })
  const batch = expired.filter(({ id }) => !stuck.has(id))
  for (const media of batch) {
    try {
      await mediaFiles.remove(media)
    } catch (error) {
      const { syscall, code } = error as NodeJS.ErrnoException
      if (syscall === undefined) throw error
      log.error({ media: media.id, code }, 'media.remove_failed')
      stuck.add(media.id)
    }
  }
  const removed = batch.filter(({ id }) => !stuck.has(id)).map(({ id }) => id)
  if (removed.length > 0) await store.media.dropMedia(removed)
  return batch.length
}
