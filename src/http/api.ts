import type { Context } from '../context.ts'
import { Deferred } from '../runtime/deferred.ts'
import { aborted, type Health, type Role } from '../role.ts'
import { createServer } from './server.ts'

export interface Api extends Role {
  /** Resolves with the port once the server accepts requests. */
  listening: Promise<number>
}

/** The api role: serves HTTP until the signal aborts, then finishes the pending requests. */
export function createApi(context: Context, health: Health): Api {
  let ready = false
  const listening = new Deferred<number>()
  // `run` rejects with the same error, so a failure is reported although nothing awaits the port.
  listening.promise.catch(() => {})
  return {
    name: 'api',
    listening: listening.promise,
    isReady: () => ready,
    async run(signal) {
      const server = createServer(context, health)
      try {
        const port = await server.listen()
        ready = true
        listening.resolve(port)
      } catch (error) {
        listening.reject(error as Error)
        throw error
      }
      await aborted(signal)
      ready = false
      await server.close()
    },
  }
}
