import type { FastifyInstance, FastifyRequest } from 'fastify'
import { isLoopbackHost } from '../config.ts'
import type { Context } from '../context.ts'
import { notFound } from '../domain/errors.ts'
import type { Health } from '../role.ts'
import type { Store } from '../store/store.ts'
import { DatabaseCheck } from './database-check.ts'
import { type GaugeDeps, Gauges } from './gauges.ts'
import { bearsToken, notTheOperator } from './operator-token.ts'

type HealthDeps = Pick<Context, 'config' | 'metrics' | 'clock' | 'nodeId'> & {
  store: GaugeDeps['store'] & Pick<Store, 'nodes'>
}

export function serveHealth(app: FastifyInstance, deps: HealthDeps, health: Health): void {
  const { config, metrics } = deps
  const database = new DatabaseCheck(deps)
  const gauges = new Gauges(deps, health, database)
  app.get('/healthz', async () => ({ status: 'ok' }))

  app.get('/readyz', async (_request, reply) => {
    const checks = { database: await database.isHealthy(), ...health() }
    const ready = Object.values(checks).every(Boolean)
    return reply.status(ready ? 200 : 503).send({ status: ready ? 'ready' : 'not ready', checks })
  })

  app.get('/metrics', async (request, reply) => {
    if (!mayReadMetrics(request, config)) throw tokensOf(config).length === 0 ? notFound('path') : notTheOperator()
    await gauges.update()
    return reply.type(metrics.registry.contentType).send(await metrics.registry.metrics())
  })
}

/** With one of the tokens; without a token only in development and from this machine, under a name of this machine. */
function mayReadMetrics(request: FastifyRequest, config: Context['config']): boolean {
  // A web page whose name leads to this machine (DNS rebinding), or a proxy here, would bring strangers.
  const isOwn = /^(127\.|::1$|::ffff:127\.)/.test(request.ip) && isLoopbackHost(request.hostname)
  if (config.mode === 'development' && isOwn) return true
  return tokensOf(config).some(token => bearsToken(request, token))
}

const tokensOf = ({ operatorToken, metricsToken }: Context['config']): string[] =>
  [operatorToken, metricsToken].filter(token => token !== null)
