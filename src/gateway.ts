import { setMaxListeners } from 'node:events'
import { type DatabaseWaitProgress, retryWhileStarting } from './boot/wait-for-database.ts'
import { type Config, originOf } from './config.ts'
import { type Context, createContext } from './context.ts'
import { runMaintenance } from './maintenance/maintenance.ts'
import { createApi } from './http/api.ts'
import { listeningAt } from './boot/listening-at.ts'
import { leaveAccess } from './boot/local-access.ts'
import { guardMovedData } from './boot/guard-moved-data.ts'
import type { Role } from './role.ts'
import { createDispatcher } from './dispatcher/dispatcher.ts'
import { createSimulatorRole } from './sandbox/role.ts'
import { openMetricsServer, type OpenMetrics } from './http/metrics-server.ts'
import { createWorker } from './worker/worker.ts'

/** Roles drain within this time; what is not done then is durable and taken up by the next start. */
const DRAIN_MS = 18_000

export interface Gateway {
  context: Context
  /** The address that customers use, or `null` where this process has no api role. */
  url: string | null
  /** The address that it listens at; another than `url` behind a proxy. */
  localUrl: string | null
  /** Where health and metrics are beside the api role; `null` where nobody asked for it. */
  watchUrl: string | null
  /** Rejects when a role cannot go on. */
  ended: Promise<void>
  /** Drains every role and lets everything go. */
  stop(): Promise<void>
}

/** Starts the roles of this process and resolves when all of them work. */
export async function startGateway(
  config: Config,
  overrides: Partial<Context> = {},
  sayAwaited: (awaited: DatabaseWaitProgress) => void = () => {},
): Promise<Gateway> {
  const context = await createContext(config, overrides, sayAwaited)
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
  // The embedded database is ours alone: whoever held a lease on it is gone.
  if (config.databaseUrl === null) await context.store.leases.freeAllLeases()
  const stopping = new AbortController()
  // Every loop of every role listens to it.
  setMaxListeners(0, stopping.signal)
  const api = config.roles.includes('api') ? createApi(context, health) : undefined
  if (api !== undefined) roles.push(api)
  if (config.roles.includes('worker')) roles.push(createWorker(context))
  if (config.roles.includes('dispatcher')) roles.push(createDispatcher(context))
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
  const takeAccessAway = localUrl === null ? () => {} : letCommandsIn(context, localUrl)
  return {
    context,
    url: url(),
    localUrl,
    watchUrl: watch.url,
    ended,
    stop: async () => {
      takeAccessAway()
      stopping.abort()
      const deadline = AbortSignal.timeout(DRAIN_MS)
      const late = new Promise<void>(resolve => deadline.addEventListener('abort', () => resolve(), { once: true }))
      await Promise.race([Promise.allSettled([...running, house]), late])
      await watch.close()
      await context.close()
    },
  }
}

/** A folder that cannot be written is no reason not to run: commands need a token then. */
function letCommandsIn({ config, nodeId, localToken, log }: Context, url: string): () => void {
  try {
    return leaveAccess(config.dataDir, nodeId, {
      url: reachable(url),
      ...(config.publicUrl === null ? {} : { publicUrl: config.publicUrl }),
      token: localToken,
    })
  } catch (error) {
    log.info({ code: (error as NodeJS.ErrnoException).code }, 'local_access.off')
    return () => {}
  }
}

/** Where a gateway that listens everywhere is reached from the same machine. */
const reachable = (url: string): string => url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:')

const apiPlace = ({ host, port }: Config) => ({ host, port, hostName: 'POSTERN_HOST', portName: 'POSTERN_PORT' })
