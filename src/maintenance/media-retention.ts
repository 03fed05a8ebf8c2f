import type { Context } from '../context.ts'
import { RepeatingTask } from '../runtime/repeating-task.ts'
import type { Store } from '../store/store.ts'

const EVERY_MS = 30_000
const NEXT_BATCH_MS = 50
const BATCH = 50

type Deps = Pick<Context, 'clock' | 'log' | 'mediaFiles'> & { store: Pick<Store, 'media'> }

/** Deletes expired files: first their bytes, then their rows, so that no bytes are left without a row. */
export function mediaRetention(deps: Deps): RepeatingTask {
  return new RepeatingTask(deps, 'media.cleanup', async () => {
    return (await dropExpiredMedia(deps)) < BATCH ? EVERY_MS : NEXT_BATCH_MS
  })
}

/** Deletes one batch and returns how many files it had. Two processes may do it at the same time. */
export async function dropExpiredMedia({ store, mediaFiles }: Pick<Deps, 'store' | 'mediaFiles'>): Promise<number> {
  const expired = await store.media.readExpiredMedia({ places: mediaFiles.places, limit: BATCH })
  for (const media of expired) await mediaFiles.remove(media)
  if (expired.length > 0) await store.media.dropMedia(expired.map(({ id }) => id))
  return expired.length
}
