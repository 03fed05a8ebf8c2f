import { addSandboxNumber } from '../actions/add-sandbox-number.ts'
import type { DeveloperAccount } from '../actions/first-start.ts'
import type { Gateway } from '../gateway.ts'
import { ownName } from './own-name.ts'

const CONTACT = '+1 555 123 4567'

/**
 * Makes the first sandbox number and prints what can be pasted into another terminal, once. The key is printed in any
 * case: it is stored nowhere else.
 */
export async function showFirstSteps(gateway: Gateway, { accountId, key }: DeveloperAccount): Promise<void> {
  const { context } = gateway
  const { roles } = context.config
  const canHost = roles.includes('worker') && roles.includes('simulator')
  const number = canHost ? await makeNumber(gateway, accountId) : null
  const postern = ownName(process.argv[1] ?? '', process.cwd(), process.env['PATH'] ?? '')
  console.log(firstSteps({ accountId, key, number, url: gateway.url!, postern }))
}

async function makeNumber({ context }: Gateway, accountId: string): Promise<string | null> {
  try {
    const session = await addSandboxNumber(context, { accountId, phone: null, label: 'first number' })
    return session.device > 0 ? session.id.replace('@', `:${session.device}@`) : session.id
  } catch (error) {
    context.log.warn({ err: error }, 'first_steps.no_number')
    return null
  }
}

interface FirstSteps {
  accountId: string
  key: string
  number: string | null
  url: string
  /** What to type for the command line. */
  postern: string
}

export function firstSteps(made: FirstSteps): string {
  const api = `curl -s -H "Authorization: Bearer $API_KEY" -H "Content-Type: application/json" ${made.url}`
  const lines = [
    '',
    `Your first account is ${made.accountId} (Terms accepted); the link above opens it. Paste this into another terminal:`,
    '',
    `export API_KEY=${made.key}  # shown this once`,
  ]
  if (made.number === null)
    lines.push(`${api}/v1/sessions -d '{"platform":"sandbox"}'  # a sandbox number; its "id" is SESSION below`)
  else lines.push(`export SESSION=${made.number}  # a sandbox number: no phone, nothing leaves this machine`)
  lines.push(
    `${made.postern} listen &  # every event as it happens: needs no webhook URL`,
    `${made.postern} send --to "${CONTACT}" --text "Hello from Postern"`,
    `${made.postern} trigger message --text "Hi!"  # a contact of the sandbox writes`,
    '',
    `${made.postern} listen --forward-to http://127.0.0.1:3000/webhooks brings them to your program, signed as webhooks are.`,
  )
  return lines.join('\n')
}
