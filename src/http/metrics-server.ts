import type { AddressInfo } from 'node:net'
import { guardConnections } from './connection/guard-connections.ts'
import { serveHealth } from './health.ts'
import { ResponseLog } from './response-log.ts'
import { LIMITS, makeApp } from './server.ts'
import { rejectUnknownPaths } from './unknown-path.ts'
import { originOf } from '../config.ts'
import type { Context } from '../context.ts'
import { listeningAt } from '../boot/listening-at.ts'
import type { Health } from '../role.ts'

interface MetricsServer {
  /** Returns the port, which the system may have picked. */
  listen(): Promise<number>
  close(): Promise<void>
}

/** Health and metrics on a separate port, whatever roles the process has. */
function createMetricsServer(context: Context, health: Health): MetricsServer {
  const { config, endpoints } = context
  const publicUrl = () => config.publicUrl ?? originOf(config.host, config.port)
  const responseLog = new ResponseLog(context)
  const app = makeApp(context, LIMITS, { publicUrl, onAnswered: answered => responseLog.add(answered) })
  guardConnections(app, context, LIMITS)
  rejectUnknownPaths(app, () => false)
  serveHealth(app, context, health)
  return {
    async listen() {
      await app.listen({ host: config.metricsHost, port: config.metricsPort ?? 0 })
      endpoints.set('metrics', app.addresses() as AddressInfo[])
      return (app.server.address() as AddressInfo).port
    },
    close: () => app.close(),
  }
}

/** `url` is `null` if no separate port is configured. */
export interface OpenMetrics {
  url: string | null
  close(): Promise<void>
}

/** Starts the metrics server if `POSTERN_METRICS_PORT` is set. */
export async function openMetricsServer(context: Context, health: Health): Promise<OpenMetrics> {
  const { metricsHost: host, metricsPort: port } = context.config
  if (port === null) return { url: null, close: async () => {} }
  const server = createMetricsServer(context, health)
  const place = { host, port, hostName: 'POSTERN_METRICS_HOST', portName: 'POSTERN_METRICS_PORT' }
  return { url: originOf(host, await listeningAt(place, server.listen())), close: () => server.close() }
}
