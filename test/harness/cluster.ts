import { readConfig } from '../../src/config.ts'
import { createContext } from '../../src/context.ts'
import type { Gateway } from '../../src/gateway.ts'
import { type Running, runPostern, startProcess } from './process.ts'
import type { Place } from './stores.ts'
import { until } from './until.ts'

const STAGES = [['worker'], ['dispatcher', 'simulator']]

/**
 * The gateway as processes that share only the database: one that answers requests, one that hosts numbers, one that
 * delivers and runs the sandbox network. If roles are named, only those.
 */
export async function startCluster(place: Place, given: Record<string, string>): Promise<Gateway> {
  const { POSTERN_ROLES, ...env } = given
  const wanted = POSTERN_ROLES?.split(',') ?? readConfig({ ...place.env, ...env }).roles
  const stages = STAGES.map(roles => roles.filter(role => wanted.includes(role)))
  const context = await createContext(readConfig({ ...place.env, ...env, POSTERN_LOG_LEVEL: 'silent' }))
  const others = stages.filter(roles => roles.length > 0).map(roles => startStage(place, env, roles))
  const api = await startProcess(place, { ...env, POSTERN_ROLES: 'api' })
  await until(() => others.every(other => other.stdout().includes('is ready')))
  const apiNode = async () => (await context.store.nodes.listNodes()).find(({ roles }) => roles === 'api')
  const { id: nodeId } = await until(apiNode)
  return {
    context: { ...context, nodeId },
    url: api.url,
    localUrl: api.url,
    watchUrl: null,
    ended: new Promise(() => {}),
    stop: async () => {
      for (const process of [api, ...others]) process.kill('SIGTERM')
      await Promise.all([api, ...others].map(({ exited }) => exited))
      await context.close()
    },
  }
}

const startStage = (place: Place, env: Record<string, string>, roles: string[]): Running =>
  runPostern(['start'], {
    POSTERN_PORT: '0',
    POSTERN_LOG_LEVEL: 'error',
    ...place.env,
    ...env,
    POSTERN_ROLES: roles.join(','),
  })
