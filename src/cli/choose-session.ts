import { ConfigError } from '../config-error.ts'
import type { GatewayClient } from './gateway-client.ts'

export interface ShownSession {
  id: string
  phone: string
  label: string
  platform: string
  state: string
  reason: string | null
}

export const SESSION_HELP = '  --session   the number, where the account has several'

/** The number that was named, or the only one that fits. */
export async function chooseSession(
  client: GatewayClient,
  named: string | undefined,
  fits: { platform?: 'sandbox' } = {},
): Promise<string> {
  if (named !== undefined) return named
  const { data } = await client.call<{ data: ShownSession[] }>('GET', '/v1/sessions?limit=100')
  const found = data.filter(each => fits.platform === undefined || each.platform === fits.platform)
  const what = fits.platform === undefined ? 'number' : 'sandbox number'
  if (found.length === 1) return found[0]!.id
  if (found.length === 0)
    throw new ConfigError(`the account has no ${what}. Add one in the portal, or with POST /v1/sessions.`)
  const ids = found.slice(0, 5).map(each => each.id)
  throw new ConfigError(
    `the account has ${found.length} ${what}s: name one with --session, for example ${ids.join(', ')}.`,
  )
}
