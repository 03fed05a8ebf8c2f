import { readConfig } from '../config.ts'
import { findGateway, withStore } from './operator-client.ts'
import { printResult, printable, table } from './terminal.ts'

export const accountListHelp = `postern account list [--json] [--url http://…]

Lists up to a hundred accounts, oldest first.

  --json      the response of the operator API
  --url       the gateway. Default: POSTERN_URL, the gateway that runs with this
              data folder, POSTERN_PUBLIC_URL, or POSTERN_HOST and POSTERN_PORT

If no gateway runs, the command reads the database directly.`

interface ShownAccount {
  id: string
  name: string
  plan: string
  tos_accepted: boolean
}

export async function listAccountsCommand(
  options: { url?: string; json?: boolean },
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const gateway = await findGateway(readConfig(env), options.url, env)
  const page =
    gateway === null
      ? await withStore(env, async ({ store }) => {
          const { data } = await store.accounts.listAccounts({ limit: 100, cursor: null })
          return {
            data: data.map(({ id, name, plan, tosAcceptedAt }) => ({
              id,
              name,
              plan,
              tos_accepted: tosAcceptedAt !== null,
            })),
          }
        })
      : await gateway.get<{ data: ShownAccount[] }>('/operator/accounts?limit=100')
  printResult(options.json, page, ({ data }: { data: ShownAccount[] }) =>
    data.length === 0
      ? 'No accounts yet.'
      : table(
          data.map(({ id, plan, name, tos_accepted }) => [
            id,
            plan,
            tos_accepted ? '' : 'Terms not accepted',
            printable(name),
          ]),
        ),
  )
}
