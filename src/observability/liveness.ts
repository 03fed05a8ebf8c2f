import { originOf } from '../config.ts'
import type { Context } from '../context.ts'
import { createMetricsServer } from '../http/metrics-server.ts'
import { listeningAt } from '../boot/listening-at.ts'
import type { Health } from '../role.ts'

/** Where this process is watched, where it is. */
export interface Watch {
  url: string | null
  close(): Promise<void>
}

/** Serves health and metrics beside the roles, where `POSTERN_METRICS_PORT` asks for it. */
export async function openLiveness(context: Context, health: Health): Promise<Watch> {
  const { metricsHost: host, metricsPort: port } = context.config
  if (port === null) return { url: null, close: async () => {} }
  const server = createMetricsServer(context, health)
  const place = { host, port, hostName: 'POSTERN_METRICS_HOST', portName: 'POSTERN_METRICS_PORT' }
  return { url: originOf(host, await listeningAt(place, server.listen())), close: () => server.close() }
}
