import { ConfigError, readConfig } from '../config.ts'
import { localOrigin } from './ask-gateway.ts'
import { findGateway, withStore } from './operator-client.ts'
import { answer } from './terminal.ts'

export const signInLinkHelp = `postern sign-in-link [--account acc_…] [--json] [--url http://…]

A link that signs in to the portal, once, within an hour. It ends the link
before it.

  --account   of this account's user, else of the operator of the first start
  --json      for a script
  --url       the gateway, else POSTERN_URL, else the one that runs with this
              data folder, else POSTERN_PUBLIC_URL, else POSTERN_HOST and
              POSTERN_PORT

Where no gateway runs it asks the database.`

export async function signInLink(
  options: { account?: string; url?: string; json?: boolean },
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const config = readConfig(env)
  const gateway = await findGateway(config, options.url, env)
  const asked = options.account === undefined ? {} : { account_id: options.account }
  const link =
    gateway === null
      ? await withStore(env, async context => {
          const { makeSignInLink } = await import('../actions/first-start.ts')
          const made = await makeSignInLink(context, options.account)
          if (made === null) throw new ConfigError('nobody can sign in there: the account has no user.')
          return { url: `${config.publicUrl ?? localOrigin(config)}/sign-in#${made.token}`, email: made.email }
        })
      : await gateway.post<{ url: string; email: string }>('/operator/sign-in-links', asked)
  answer(options.json, link, ({ url, email }) => `${url}\nsigns in ${email}, once, within an hour.`)
}
