import type { Context } from '../context.ts'
import { RepeatingTask } from '../runtime/repeating-task.ts'
import { FROM_NODES, readEndpoints } from '../net/own-endpoints.ts'
import type { Store } from '../store/store.ts'

const EVERY_MS = 2_000

type Deps = Pick<Context, 'clock' | 'log' | 'endpoints'> & { store: Pick<Store, 'nodes'> }

/** Keeps to what the nodes say they listen on; without a database the last word counts. */
export async function watchCluster(deps: Deps, signal: AbortSignal): Promise<void> {
  const following = new RepeatingTask(
    deps,
    'nodes.follow',
    async () => {
      await readCluster(deps)
      return EVERY_MS
    },
    EVERY_MS,
  )
  await following.run(signal)
}

export async function readCluster({ store, endpoints }: Pick<Deps, 'store' | 'endpoints'>): Promise<void> {
  endpoints.set(FROM_NODES, (await store.nodes.listListening()).flatMap(readEndpoints))
}
