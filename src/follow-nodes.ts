import type { Context } from './context.ts'
import { Repeating } from './repeating.ts'
import { FROM_NODES, readEndpoints } from './net/own-endpoints.ts'
import type { Store } from './store/store.ts'

const EVERY_MS = 2_000

type Parts = Pick<Context, 'clock' | 'log' | 'endpoints'> & { store: Pick<Store, 'nodes'> }

/** Keeps to what the nodes say they listen on; without a database the last word counts. */
export async function followNodes(parts: Parts, signal: AbortSignal): Promise<void> {
  const following = new Repeating(
    parts,
    'nodes.follow',
    async () => {
      await hearOfNodes(parts)
      return EVERY_MS
    },
    EVERY_MS,
  )
  await following.run(signal)
}

export async function hearOfNodes({ store, endpoints }: Pick<Parts, 'store' | 'endpoints'>): Promise<void> {
  endpoints.set(FROM_NODES, (await store.nodes.listListening()).flatMap(readEndpoints))
}
