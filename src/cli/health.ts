import { NUMBER_HELP, NUMBER_USAGE, type NumberOptions, openNumber } from './number-client.ts'
import { paint, printable, printResult, table } from './terminal.ts'

export const healthHelp = `postern health
                  ${NUMBER_USAGE}

Shows how WhatsApp treats a number: restrictions, bans, the limit of new chats,
the people who answer, and refused messages. The exit code is 1 if the number is
restricted or banned.

${NUMBER_HELP}`

interface Health {
  session_id: string
  status: string
  restriction: { active: boolean; type: string | null; until: string | null; as_of: string } | null
  ban: { reason: string; until: string | null; as_of: string } | null
  new_chats: { status: string; limit: number | null; used: number | null; until: string | null } | null
  answered: { chats: number; answered: number }
  refusals: { codes: Array<{ code: number; count: number; last_at: string }> }
}

export async function health(options: NumberOptions, env: NodeJS.ProcessEnv): Promise<void> {
  const number = await openNumber(options, env)
  const found = await number.call<Health>('GET', '/health')
  printResult(options.json, found, describe)
  if (isBad(found)) process.exitCode = 1
}

const isBad = ({ status }: Health): boolean => status === 'restricted' || status === 'banned'

const untilOf = (until: string | null): string => (until === null ? '' : ` until ${until}`)

function describe(found: Health): string {
  const { restriction, ban, new_chats: cap, answered, refusals } = found
  const colour = isBad(found) ? 'red' : found.status === 'good' ? 'green' : 'yellow'
  return [
    `${found.session_id}: ${paint(colour, found.status)}`,
    table([
      [
        '  restriction',
        restriction?.active === true ? `${printable(restriction.type ?? 'yes')}${untilOf(restriction.until)}` : 'none',
      ],
      ['  ban', ban === null ? 'none' : `${printable(ban.reason)}${untilOf(ban.until)}`],
      [
        '  new chats',
        cap === null ? 'no limit reported' : `${cap.used ?? '?'} of ${cap.limit ?? '?'}${untilOf(cap.until)}`,
      ],
      ['  answered', `${answered.answered} of ${answered.chats} chats in seven days`],
      [
        '  refused',
        refusals.codes.map(({ code, count }) => `${count} with code ${code}`).join(', ') || 'none in seven days',
      ],
    ]),
  ].join('\n')
}
