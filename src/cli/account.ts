import { createAccount } from '../actions/create-account.ts'
import { ConfigError, readConfig } from '../config.ts'
import { PLANS, type Plan } from '../domain/account.ts'
import { EMAIL, PASSWORD_LENGTH } from '../domain/user.ts'
import { findGateway, withStore } from './operator-client.ts'
import { toJson } from './terminal.ts'

export const accountHelp = `postern account create --name NAME [--plan free|pro|max] [--email ADDRESS]
                        [--password …] [--accept-tos] [--json] [--url http://…]

Creates an account and prints it with its first API key, which is never shown
again.

  --plan        default: free
  --email       the email of the portal user; without it the account has none
  --password    10 to 200 characters, needs --email; - reads it from standard
                input; without it an operator sets the password later
  --accept-tos  accept the current Terms: until the account has accepted them,
                almost every request with its key returns 403
  --url         the gateway. Default: POSTERN_URL, the gateway that runs with
                this data folder, POSTERN_PUBLIC_URL, or POSTERN_HOST and
                POSTERN_PORT
  --json        has no effect: the output is always JSON

For a gateway with another data folder, set POSTERN_OPERATOR_TOKEN. If no
gateway runs, the command opens the database directly.`

interface Options {
  name?: string
  plan?: string
  email?: string
  password?: string
  'accept-tos'?: boolean
  url?: string
}

export async function createAccountCommand(options: Options, env: NodeJS.ProcessEnv): Promise<void> {
  if (options.name === undefined || options.name.trim() === '')
    throw new ConfigError('--name is missing: give the account a name.')
  const plan = options.plan ?? 'free'
  if (!(PLANS as readonly string[]).includes(plan))
    throw new ConfigError(`--plan is "${plan}": choose one of ${PLANS.join(', ')}.`)
  if (options.password !== undefined && options.email === undefined)
    throw new ConfigError('--password needs --email: you sign in with the email.')
  if (options.email !== undefined && !EMAIL.test(options.email)) throw new ConfigError('--email is not an address.')
  const { min, max } = PASSWORD_LENGTH
  if (options.password !== undefined && (options.password.length < min || options.password.length > max))
    throw new ConfigError(`--password must have ${min} to ${max} characters.`)
  const login = {
    ...(options.email === undefined ? {} : { email: options.email }),
    ...(options.password === undefined ? {} : { password: options.password }),
  }
  const gateway = await findGateway(readConfig(env), options.url, env)
  const created =
    gateway === null
      ? await withStore(env, async context => {
          const { account, apiKey } = await createAccount(context, {
            name: options.name!,
            plan: plan as Plan,
            ...login,
            acceptTos: options['accept-tos'] ?? false,
            keyLabel: 'first key',
          })
          return { account: { id: account.id, name: account.name, plan: account.plan }, api_key: apiKey }
        })
      : await gateway.post('/operator/accounts', {
          name: options.name,
          plan,
          ...login,
          accept_tos: options['accept-tos'] ?? false,
        })
  console.log(toJson(created, 2))
}
