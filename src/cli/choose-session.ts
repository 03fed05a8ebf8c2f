import { ConfigError } from '../boot/config-error.ts'
import type { GatewayClient } from './gateway-client.ts'

export interface ShownSession {
  id: string
  phone: string
  label: string
  platform: string
  state: string
  reason: string | null
}

export const SESSION_HELP = `  --session   the number: its phone number, or its id with or without the
              device number (:1). Default:
              POSTERN_SESSION, or the only number of the account`

/** The number of the option, otherwise of the variable, otherwise the only one that fits. */
export async function chooseSession(
  client: GatewayClient,
  named: { flag: string | undefined; env: NodeJS.ProcessEnv },
  fits: { platform?: 'sandbox' } = {},
): Promise<string> {
  if (named.flag !== undefined) return sessionOf(named.flag)
  const ofVariable = named.env['POSTERN_SESSION'] || undefined
  if (ofVariable !== undefined) return await checkedVariable(client, ofVariable, fits)
  const { data } = await client.call<{ data: ShownSession[] }>('GET', '/v1/sessions?limit=100')
  const found = data.filter(each => fits.platform === undefined || each.platform === fits.platform)
  const what = fits.platform === undefined ? 'number' : 'sandbox number'
  if (found.length === 1) return found[0]!.id
  if (found.length === 0)
    throw new ConfigError(`the account has no ${what}. Add one in the portal, or with POST /v1/sessions.`)
  const ids = found.slice(0, 5).map(each => each.id)
  throw new ConfigError(
    `the account has ${found.length} ${what}s: name one with --session or POSTERN_SESSION, for example ${ids.join(', ')}.`,
  )
}

/** A phone number stands for its session. */
const sessionOf = (given: string): string =>
  /^\+?[\d ()-]+$/.test(given) ? `${given.replace(/\D/g, '')}@s.whatsapp.net` : given

/** A variable may be outdated: the command reports it if the variable names no number of this gateway. */
async function checkedVariable(
  client: GatewayClient,
  session: string,
  { platform }: { platform?: 'sandbox' },
): Promise<string> {
  const found = await client.request('GET', `/v1/sessions/${encodeURIComponent(session)}`)
  if (found !== undefined && [400, 403, 404].includes(found.status))
    throw new ConfigError(
      `POSTERN_SESSION is ${session}, which is no number of this account at ${client.url}. Set it to another (postern sessions lists them), or give --session.`,
    )
  if (found?.status === 200 && platform !== undefined && found.json['platform'] !== platform)
    throw new ConfigError(`POSTERN_SESSION is ${session}, which is no ${platform} number. Give --session.`)
  return session
}
