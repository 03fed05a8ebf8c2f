import { setMaxListeners } from 'node:events'
import { retryWhileStarting } from './boot/wait-for-database.ts'
import { type Config, originOf } from './config.ts'
import { type Context, createContext } from './context.ts'
import { runMaintenance } from './maintenance/maintenance.ts'
import { createApi } from './http/api.ts'
import { parseReply } from './http/v1/send-schema.ts'
import { listeningAt } from './boot/listening-at.ts'
import { writeLocalAccess } from './boot/local-access.ts'
import { guardMovedData } from './boot/guard-moved-data.ts'
import type { Role } from './role.ts'
import { createDispatcher } from './dispatcher/dispatcher.ts'
import { createSimulatorRole } from './sandbox/role.ts'
import { openMetricsServer, type OpenMetrics } from './http/metrics-server.ts'
import { createWorker } from './worker/worker.ts'

/** The time in which roles drain; unfinished work is durable, and the next start continues it. */
const DRAIN_MS = 18_000

export interface Gateway {
  context: Context
  /** The address that customers use, or `null` if this process has no api role. */
  url: string | null
  /** The address that it listens at; another than `url` behind a proxy. */
  localUrl: string | null
  /** The address of the separate metrics server; `null` if there is none. */
  watchUrl: string | null
  /** Rejects when a role fails. */
  ended: Promise<void>
  /** Drains every role and closes everything. */
  stop(): Promise<void>
}

/** Opens the database and starts the roles of this process. */
export async function startGateway(config: Config, overrides: Partial<Context> = {}): Promise<Gateway> {
  return await startRoles(await createContext(config, overrides))
}

/** Starts the roles of this process and resolves when all of them are ready. */
export async function startRoles(context: Context): Promise<Gateway> {
  const { config } = context
  const roles: Role[] = []
  const health = () => Object.fromEntries(roles.map(role => [role.name, role.isReady()]))
  let watch: OpenMetrics
  try {
    const wait = { clock: context.clock, limitMs: config.databaseWaitMs }
    await retryWhileStarting(wait, () => guardMovedData(context.store))
    watch = await openMetricsServer(context, health)
  } catch (error) {
    await context.close()
    throw error
  }
  // The embedded database belongs to this process alone, so the owners of old leases are dead.
  if (config.databaseUrl === null) await context.store.leases.freeAllLeases()
  const stopping = new AbortController()
  // Every loop of every role adds a listener to it.
  setMaxListeners(0, stopping.signal)
  const api = config.roles.includes('api') ? createApi(context, health) : undefined
  if (api !== undefined) roles.push(api)
  if (config.roles.includes('worker')) roles.push(createWorker(context))
  if (config.roles.includes('dispatcher')) roles.push(createDispatcher(context, parseReply))
  if (config.roles.includes('simulator')) roles.push(createSimulatorRole(context))

  const running = roles.map(role => role.run(stopping.signal))
  let localUrl: string | null = null
  const url = () => (localUrl === null ? null : (config.publicUrl ?? localUrl))
  const house = runMaintenance(context, () => url() ?? '', stopping.signal)
  const ended = Promise.race(running.length > 0 ? running : [house]).then(() => undefined)
  ended.catch(() => stopping.abort())
  try {
    if (api !== undefined) localUrl = originOf(config.host, await listeningAt(apiPlace(config), api.listening))
  } catch (error) {
    stopping.abort()
    await Promise.allSettled([...running, house, watch.close()])
    await context.close()
    throw error
  }
  const removeLocalAccess = localUrl === null ? () => {} : allowLocalCommands(context, localUrl)
  return {
    context,
    url: url(),
    localUrl,
    watchUrl: watch.url,
    ended,
    stop: async () => {
      removeLocalAccess()
      stopping.abort()
      const deadline = AbortSignal.timeout(DRAIN_MS)
      const late = new Promise<void>(resolve => deadline.addEventListener('abort', () => resolve(), { once: true }))
      await Promise.race([Promise.allSettled([...running, house]), late])
      await watch.close()
      await context.close()
    },
  }
}

/** A folder that is not writable does not prevent the start: commands need a token then. */
function allowLocalCommands({ config, nodeId, localToken, log }: Context, url: string): () => void {
  try {
    return writeLocalAccess(config.dataDir, nodeId, {
      url: reachable(url),
      ...(config.publicUrl === null ? {} : { publicUrl: config.publicUrl }),
      token: localToken,
    })
  } catch (error) {
    log.info({ code: (error as NodeJS.ErrnoException).code }, 'local_access.write_failed')
    return () => {}
  }
}

/** The address at which the same machine reaches a gateway that listens on all addresses. */
const reachable = (url: string): string => url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:')

const apiPlace = ({ host, port }: Config) => ({ host, port, hostName: 'POSTERN_HOST', portName: 'POSTERN_PORT' })
