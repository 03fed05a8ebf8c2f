import type { Context } from '../context.ts'
import { RepeatingTask } from '../runtime/repeating-task.ts'
import { FROM_NODES, readEndpoints } from '../net/own-endpoints.ts'
import type { Store } from '../store/store.ts'

const EVERY_MS = 2_000

type Deps = Pick<Context, 'clock' | 'log' | 'endpoints'> & { store: Pick<Store, 'nodes' | 'signals'> }

/** Keeps the endpoints of all nodes up to date. While the database is unreachable the last known ones stay. */
export async function watchCluster(deps: Deps, signal: AbortSignal): Promise<void> {
  const task = new RepeatingTask(
    deps,
    'nodes.read',
    async () => {
      await readCluster(deps)
      return deps.store.signals.restMs(EVERY_MS)
    },
    EVERY_MS,
  )
  const stopListening = deps.store.signals.on('nodes', () => task.runSoon())
  await task.run(signal)
  stopListening()
}

export async function readCluster({
  store,
  endpoints,
}: Pick<Deps, 'endpoints'> & { store: Pick<Store, 'nodes'> }): Promise<void> {
  endpoints.set(FROM_NODES, (await store.nodes.listListening()).flatMap(readEndpoints))
}
