import type { AddressInfo } from 'node:net'
import { originOf } from '../config.ts'
import type { Context } from '../context.ts'
import type { Health } from '../role.ts'
import { guardConnections } from './connection/guard-connections.ts'
import { serveHealth } from './health.ts'
import { LIMITS, makeApp } from './server.ts'
import { refuseUnknownPaths } from './unknown-path.ts'

export interface MetricsServer {
  /** Answers the port, which may have been picked. */
  listen(): Promise<number>
  close(): Promise<void>
}

/** Health and metrics at an address of their own, whatever roles the process has. */
export function createMetricsServer(context: Context, health: Health): MetricsServer {
  const { config, endpoints } = context
  const publicUrl = () => config.publicUrl ?? originOf(config.host, config.port)
  const app = makeApp(context, LIMITS, publicUrl)
  guardConnections(app, context, LIMITS)
  refuseUnknownPaths(app, () => false)
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
