import type { Context } from '../context.ts'
import { aborted, type Role } from '../role.ts'
import type { Health } from './health.ts'
import { createServer } from './server.ts'

export interface Api extends Role {
  /** Resolves with the port once requests are answered. */
  listening: Promise<number>
}

/** The api role: answers HTTP until told to stop, then finishes the requests it has. */
export function createApi(context: Context, health: Health): Api {
  let ready = false
  const { promise: listening, resolve, reject } = withResolvers<number>()
  return {
    name: 'api',
    listening,
    isReady: () => ready,
    async run(signal) {
      const server = createServer(context, health)
      try {
        const port = await server.listen()
        ready = true
        resolve(port)
      } catch (error) {
        reject(error as Error)
        throw error
      }
      await aborted(signal)
      ready = false
      await server.close()
    },
  }
}

function withResolvers<T>() {
  let resolve!: (value: T) => void
  let reject!: (error: Error) => void
  const promise = new Promise<T>((onResolve, onReject) => {
    resolve = onResolve
    reject = onReject
  })
  promise.catch(() => {})
  return { promise, resolve, reject }
}
