import { ConfigError } from '../boot/config-error.ts'
import type { ShownSession } from './choose-session.ts'
import { CLIENT_HELP, type ClientOptions, openClient } from './gateway-client.ts'
import { printResult, paint, table, printable, toJson } from './terminal.ts'

export const sessionsHelp = `postern sessions [id] [--appear auto|online|offline] [--pace <JSON>|none]
                 [--pause | --resume] [--json]
                 [--url http://…] [--key ptn_…] [--account acc_…]

Lists the numbers of the account with their state, or shows all fields of one.

  --appear    change how contacts see the number: online, offline, or auto.
              With auto it is online only while a program receives typing or
              presence. While it is online, its phone shows no notifications
  --pace      how the number paces its messages, such as
              '{"min_ms": 3000, "max_ms": 9000, "new_per_day": 40}', or none
  --pause     stop the number: it stays linked and does not connect
  --resume    let a paused number connect again
  --json      print the response of the API
${CLIENT_HELP}

\`postern sessions export\` and \`postern sessions import\` move a number to another
gateway.`

export async function sessions(
  options: ClientOptions & Changes & { json?: boolean },
  env: NodeJS.ProcessEnv,
  id?: string,
): Promise<void> {
  const changes = changesOf(options)
  if (changes !== undefined && id === undefined) {
    const flag = (['appear', 'pace', 'pause', 'resume'] as const).find(name => options[name] !== undefined)
    throw new ConfigError(`--${flag} needs the id of the number to change.`)
  }
  const client = await openClient(options, env)
  if (id !== undefined) {
    const path = `/v1/sessions/${encodeURIComponent(id)}`
    const one = await (changes === undefined ? client.call('GET', path) : client.call('PATCH', path, changes))
    return console.log(toJson(one, 2))
  }
  const { data } = await client.call<{ data: ShownSession[] }>('GET', '/v1/sessions?limit=100')
  printResult(options.json, { data }, () => sessionTable(data))
}

interface Changes {
  appear?: string
  pace?: string
  pause?: boolean
  resume?: boolean
}

function changesOf({ appear, pace, pause, resume }: Changes) {
  if (pause && resume) throw new ConfigError('Use either --pause or --resume.')
  if (appear === undefined && pace === undefined && !pause && !resume) return undefined
  return {
    ...(appear !== undefined && { appear }),
    ...(pace !== undefined && { pace: paceOf(pace) }),
    ...((pause || resume) && { paused: pause === true }),
  }
}

function paceOf(text: string): unknown {
  if (text === 'none') return null
  try {
    return JSON.parse(text)
  } catch {
    throw new ConfigError(`--pace must be JSON such as '{"min_ms": 3000, "max_ms": 9000}', or none.`)
  }
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
