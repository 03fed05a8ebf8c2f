import { createAccount } from '../actions/create-account.ts'
import { ConfigError, readConfig } from '../config.ts'
import { PLANS, type Plan } from '../domain/account.ts'
import { EMAIL, PASSWORD_LENGTH } from '../domain/user.ts'
import { findGateway, withStore } from './operator-client.ts'

export const accountHelp = `postern account create --name NAME [--plan free|pro|max] [--email ADDRESS]
                        [--password …] [--accept-tos] [--json] [--url http://…]

Creates an account and prints it with its first API key, which is shown this
once.

  --plan        free where none is given
  --email       who signs in to the portal; without it nobody can
  --password    needs --email, 10 to 200 characters; without it an operator sets
                one later
  --accept-tos  accepts the current Terms: before that almost every request with
                the key is answered 403
  --url         the gateway, else POSTERN_URL, else the one that runs with this
                data folder, else POSTERN_PUBLIC_URL, else POSTERN_HOST and
                POSTERN_PORT
  --json        as it answers in any case

Another gateway than that of this data folder needs POSTERN_OPERATOR_TOKEN.
Where no gateway runs, the command works on the database itself.`

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
    throw new ConfigError('--password needs --email: that is what one signs in with.')
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
  console.log(JSON.stringify(created, null, 2))
}
