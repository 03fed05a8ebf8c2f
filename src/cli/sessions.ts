import type { ShownSession } from './choose-session.ts'
import { CLIENT_HELP, type ClientOptions, openClient } from './gateway-client.ts'
import { printResult, paint, table, printable, toJson } from './terminal.ts'

export const sessionsHelp = `postern sessions [id] [--json] [--url http://…] [--key ptn_…] [--account acc_…]

Lists the numbers of the account with their state, or shows all fields of one.

  --json      print the response of the API
${CLIENT_HELP}`

export async function sessions(
  options: ClientOptions & { json?: boolean },
  env: NodeJS.ProcessEnv,
  id?: string,
): Promise<void> {
  const client = await openClient(options, env)
  if (id !== undefined) {
    const one = await client.call('GET', `/v1/sessions/${encodeURIComponent(id)}`)
    return console.log(toJson(one, 2))
  }
  const { data } = await client.call<{ data: ShownSession[] }>('GET', '/v1/sessions?limit=100')
  printResult(options.json, { data }, () => sessionTable(data))
}

export function sessionTable(data: ShownSession[]): string {
  if (data.length === 0) return 'No numbers yet. Add one in the portal, or with POST /v1/sessions.'
  return table(
    data.map(({ id, platform, state, label, reason }) => [
      id,
      platform,
      state === 'connected' ? paint('green', state) : paint('red', state),
      printable(reason === null ? label : `${label} (${reason})`),
    ]),
  )
}
