import { type Config, ConfigError } from '../config.ts'
import { MAX_SKEW_MS } from '../runtime/database-clock.ts'
import { askGateway, localOrigin } from './ask-gateway.ts'
import { withStore } from './operator-client.ts'

/** Due times come from the database's clock, certificates and logs from ours: they must agree. */
export async function databaseSkew(env: NodeJS.ProcessEnv): Promise<string> {
  const skew = await withStore(env, async ({ store, databaseClock }) => {
    await store.now()
    return Math.abs(Math.round(databaseClock.aheadMs()))
  })
  if (skew > MAX_SKEW_MS)
    throw new ConfigError(`the database's clock differs by ${skew} ms. Let both machines follow NTP.`)
  return `answers; clock differs by ${skew} ms`
}

/** What the running gateway warns of: the clocks of all its nodes. */
export async function clocksOfNodes(config: Config): Promise<string> {
  const { operatorToken } = config
  if (operatorToken === null) return 'the running gateway tells it to whoever sets POSTERN_OPERATOR_TOKEN'
  const headers = { authorization: `Bearer ${operatorToken}` }
  const answer = await askGateway(`${localOrigin(config)}/operator/overview`, headers)
  const said = (await answer?.json().catch(() => undefined)) as { warnings?: string[] } | undefined
  if (said?.warnings === undefined) return 'the running gateway does not tell'
  if (said.warnings.length > 0) throw new ConfigError(said.warnings.join(' '))
  return 'those of all nodes agree with the database’s'
}
