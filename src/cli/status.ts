import type { ShownSession } from './choose-session.ts'
import { CLIENT_HELP, type ClientOptions, openClient } from './gateway-client.ts'
import { ownName } from './own-name.ts'
import { sessionTable } from './sessions.ts'
import { printResult, paint, printable } from './terminal.ts'

export const statusHelp = `postern status [--json] [--url http://…] [--key ptn_…] [--account acc_…]

Shows whether the gateway is ready, the account with its usage, its numbers and
its dead letters. The exit code is 1 if the gateway is not ready.

  --json      print JSON, for scripts
${CLIENT_HELP}`

interface Me {
  account: { id: string; name: string; plan: string; tos_accepted: boolean }
  usage: { period: string; messages: number; quota: number | null }
  dead_letters: number
}

export async function status(options: ClientOptions & { json?: boolean }, env: NodeJS.ProcessEnv): Promise<void> {
  const client = await openClient(options, env)
  const ready = await client.request('GET', '/readyz')
  const me = await client.call<Me>('GET', '/v1/me')
  const mayAsk = me.account.tos_accepted
  const { data: numbers } = mayAsk
    ? await client.call<{ data: ShownSession[] }>('GET', '/v1/sessions?limit=100')
    : { data: [] }
  const shown = {
    url: client.url,
    ready: ready?.status === 200,
    checks: ready?.json['checks'] ?? {},
    account: me.account,
    usage: me.usage,
    sessions: numbers.map(({ id, platform, state, label, reason }) => ({ id, platform, state, label, reason })),
    dead_letters: me.dead_letters,
  }
  printResult(options.json, shown, () => {
    const { account, usage } = me
    const quota = usage.quota === null ? '' : ` of ${usage.quota}`
    return [
      `Gateway     ${client.url} ${shown.ready ? paint('green', 'ready') : paint('red', 'not ready')} ${failingChecks(shown.checks)}`.trimEnd(),
      `Account     ${account.id} ${printable(account.name)} (${account.plan})${account.tos_accepted ? '' : ', Terms not accepted'}`,
      `Messages    ${usage.messages}${quota} in ${usage.period}`,
      `Given up    ${me.dead_letters === 0 ? 'no deliveries' : paint('red', `${me.dead_letters} deliveries: ${ownName()} deliveries list --status dead`)}`,
      '',
      sessionTable(numbers),
      ...(numbers.some(({ state }) => state === 'logged_out')
        ? ['', `A number that is logged out has to be linked again: ${ownName()} open`]
        : []),
    ].join('\n')
  })
  if (!shown.ready) process.exitCode = 1
}

const failingChecks = (checks: object): string =>
  Object.entries(checks)
    .flatMap(([name, isOk]) => (isOk === true ? [] : [name]))
    .join(', ')
