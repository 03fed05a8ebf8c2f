import { ConfigError, readConfig } from '../config.ts'
import { localOrigin } from './fetch-gateway.ts'
import { findGateway, withStore } from './operator-client.ts'
import { printResult } from './terminal.ts'

export const signInLinkHelp = `postern sign-in-link [--account acc_…] [--json] [--url http://…]

Creates a sign-in link for the portal, valid once, for one hour. It invalidates
the previous link.

  --account   sign in the user of this account. Default: the operator of the
              first start
  --json      print JSON, for scripts
  --url       the gateway. Default: POSTERN_URL, the gateway that runs with this
              data folder, POSTERN_PUBLIC_URL, or POSTERN_HOST and POSTERN_PORT

If no gateway runs, the command reads the database directly.`

export async function signInLink(
  options: { account?: string; url?: string; json?: boolean },
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const config = readConfig(env)
  const gateway = await findGateway(config, options.url, env)
  const body = options.account === undefined ? {} : { account_id: options.account }
  const link =
    gateway === null
      ? await withStore(env, async context => {
          const { makeSignInLink } = await import('../actions/first-start.ts')
          const made = await makeSignInLink(context, options.account)
          if (made === null) throw new ConfigError('the account has no user who could sign in.')
          return { url: `${config.publicUrl ?? localOrigin(config)}/sign-in#${made.token}`, email: made.email }
        })
      : await gateway.post<{ url: string; email: string }>('/operator/sign-in-links', body)
  printResult(options.json, link, ({ url, email }) => `${url}\nsigns in ${email} (valid once, for one hour)`)
}
