import type { Context } from './context.ts'
import { FROM_NODES, readEndpoints } from './net/own-endpoints.ts'

const EVERY_MS = 2_000

type Parts = Pick<Context, 'store' | 'clock' | 'log' | 'endpoints'>

/** Keeps to what the nodes say they listen on; without a database the last word counts. */
export async function followNodes(parts: Parts, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await hearOfNodes(parts).catch((error: unknown) => {
      if (!signal.aborted) parts.log.warn({ err: error }, 'nodes could not be read')
    })
    await parts.clock.sleep(EVERY_MS, signal)
  }
}

export async function hearOfNodes({ store, endpoints }: Pick<Parts, 'store' | 'endpoints'>): Promise<void> {
  endpoints.set(FROM_NODES, (await store.listListening(null)).flatMap(readEndpoints))
}
