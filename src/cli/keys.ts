import { ConfigError, readConfig } from '../config.ts'
import { mintKey, SCOPES, type Scope } from '../domain/api-key.ts'
import { findGateway, type OperatorClient, withStore } from './operator-client.ts'
import { toJson } from './terminal.ts'

export const keysHelp = `postern keys create --label LABEL [--account acc_…]
                        [--scopes send,read,manage] [--url http://…]

Creates an API key for an account and prints it. It is never shown again.

  --account     you can omit it if there is one account
  --scopes      default: all three
  --url         the gateway. Default: POSTERN_URL, the gateway that runs with
                this data folder, POSTERN_PUBLIC_URL, or POSTERN_HOST and
                POSTERN_PORT
  --json        has no effect: the output is always JSON

For a gateway with another data folder, set POSTERN_OPERATOR_TOKEN. If no
gateway runs, the command opens the database directly.`

interface Options {
  account?: string
  label?: string
  scopes?: string
  url?: string
}

export async function createKeyCommand(options: Options, env: NodeJS.ProcessEnv): Promise<void> {
  const { label } = options
  if (label === undefined || label === '') throw new ConfigError('--label is missing: say what the key is for.')
  const scopes = parseScopes(options.scopes)
  const gateway = await findGateway(readConfig(env), options.url, env)
  const created =
    gateway === null
      ? await withStore(env, async ({ store }) => {
          const account =
            options.account ?? onlyOf((await store.accounts.listAccounts({ limit: 2, cursor: null })).data)
          if ((await store.accounts.getAccount(account)) === undefined)
            throw new ConfigError(`--account: there is no account ${account}.`)
          const { key, stored } = mintKey({ label, scopes, sessionIds: null })
          await store.keys.createKey({ accountId: account, key: stored, maxKeys: null })
          return { id: stored.id, key, label }
        })
      : await createByOperator(gateway, options.account, { label, scopes })
  console.log(toJson(created, 2))
}

async function createByOperator(gateway: OperatorClient, named: string | undefined, key: object): Promise<unknown> {
  const account = named ?? onlyOf((await gateway.get<{ data: { id: string }[] }>('/operator/accounts?limit=2')).data)
  return await gateway.post(`/operator/accounts/${encodeURIComponent(account)}/keys`, key)
}

function onlyOf(accounts: ReadonlyArray<{ readonly id: string }>): string {
  if (accounts.length === 1) return accounts[0]!.id
  throw new ConfigError(
    accounts.length === 0
      ? 'there is no account yet. Create one: postern account create --name NAME'
      : '--account is missing: name the account, for example acc_01…. postern account list shows them.',
  )
}

function parseScopes(list: string | undefined): Scope[] {
  if (list === undefined) return [...SCOPES]
  const scopes = list.split(',').map(scope => scope.trim())
  const wrong = scopes.find(scope => !(SCOPES as readonly string[]).includes(scope))
  if (wrong !== undefined) throw new ConfigError(`--scopes names "${wrong}": choose from ${SCOPES.join(', ')}.`)
  return scopes as Scope[]
}
