import { CLIENT_HELP, type ClientOptions, openClient } from './gateway-client.ts'
import { printResult, table, printable } from './terminal.ts'

export const keysListHelp = `postern keys list [--json] [--url http://…] [--key ptn_…] [--account acc_…]

Lists the active keys of an account by their first characters. The full key is
shown only at creation.

  --json      print the response of the API
${CLIENT_HELP}`

interface ShownKey {
  id: string
  label: string
  prefix: string
  scopes: string[]
  last_used_at: string | null
}

export async function listKeysCommand(
  options: ClientOptions & { json?: boolean },
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const client = await openClient(options, env)
  const page = await client.call<{ data: ShownKey[] }>('GET', '/v1/keys?limit=100')
  printResult(options.json, page, ({ data }) =>
    data.length === 0
      ? 'No keys. Create one with postern keys create.'
      : table(
          data.map(key => [
            key.id,
            `${key.prefix}…`,
            key.scopes.join(','),
            key.last_used_at ?? 'never used',
            printable(key.label),
          ]),
        ),
  )
}

export const keysRevokeHelp = `postern keys revoke <id> [--json] [--url http://…] [--key ptn_…]
                    [--account acc_…]

Revokes a key (key_…) permanently, on every node within a second.

  --json      print the response of the API
${CLIENT_HELP}`

export async function revokeKeyCommand(
  options: ClientOptions & { json?: boolean },
  env: NodeJS.ProcessEnv,
  id: string,
): Promise<void> {
  const client = await openClient(options, env)
  const revoked = await client.call('DELETE', `/v1/keys/${encodeURIComponent(id)}`)
  printResult(options.json, revoked, () => `${id} is revoked.`)
}
