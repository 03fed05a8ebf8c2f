import type { Context } from '../context.ts'
import { Deferred } from '../runtime/deferred.ts'
import { aborted, type Health, type Role } from '../role.ts'
import { createServer } from './server.ts'

export interface Api extends Role {
  /** Resolves with the port once requests are answered. */
  listening: Promise<number>
}

/** The api role: answers HTTP until told to stop, then finishes the requests it has. */
export function createApi(context: Context, health: Health): Api {
  let ready = false
  const listening = new Deferred<number>()
  // Whoever runs the role hears of the failure, also where nobody waits for the port.
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
