import { ConfigError } from '../boot/config-error.ts'
import { CLIENT_HELP, type ClientOptions, openClient } from './gateway-client.ts'
import { printResult } from './terminal.ts'

export const erasePersonHelp = `postern people erase <person> [--json]
                     [--url http://…] [--key ptn_…] [--account acc_…]

Erases everything that the account stores about a person, and waits for the
report. <person> is a phone number or a JID. This cannot be undone; messages to
the person that wait fail.

  --json      print the report as JSON
${CLIENT_HELP}`

export const exportPersonHelp = `postern people export <person> [--json]
                      [--url http://…] [--key ptn_…] [--account acc_…]

Prints everything that the account stores about a person: one JSON object in
each line. <person> is a phone number or a JID.

  --json      has no effect: the output is always JSON
${CLIENT_HELP}`

interface Report {
  id: string
  state: string
  erased: Record<string, number>
}

const POLL_MS = 500

export async function erasePerson(
  options: ClientOptions & { json?: boolean },
  env: NodeJS.ProcessEnv,
  person: string,
): Promise<void> {
  const client = await openClient(options, env)
  let report = await client.call<Report>('POST', '/v1/people/erase', { jid: person })
  while (report.state === 'running') {
    await new Promise(resolve => setTimeout(resolve, POLL_MS))
    report = await client.call<Report>('GET', `/v1/people/erase/${report.id}`)
  }
  printResult(options.json, report, ({ erased }) => {
    const counts = Object.entries(erased).map(([kind, n]) => `${kind}: ${n}`)
    return counts.length === 0 ? 'Nothing names this person.' : `Erased.\n${counts.join('\n')}`
  })
}

export async function exportPerson(
  options: ClientOptions & { json?: boolean },
  env: NodeJS.ProcessEnv,
  person: string,
): Promise<void> {
  if (person.trim() === '') throw new ConfigError('<person> is empty.')
  const client = await openClient(options, env)
  for await (const piece of await client.download('/v1/people/export', { jid: person })) process.stdout.write(piece)
}
