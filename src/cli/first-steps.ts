import { addSandboxNumber } from '../actions/add-sandbox-number.ts'
import type { DeveloperAccount } from '../actions/first-start.ts'
import type { Gateway } from '../gateway.ts'

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
  console.log(firstSteps({ accountId, key, number, url: gateway.url! }))
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

export function firstSteps(made: { accountId: string; key: string; number: string | null; url: string }): string {
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
    `npx postern listen &                                  # every event as it happens: needs no webhook URL`,
    `npx postern send --to "${CONTACT}" --text "Hello from Postern"`,
    `npx postern trigger message --text "Hi!"              # a contact of the sandbox writes`,
    '',
    'npx postern listen --forward-to http://127.0.0.1:3000/webhooks brings them to your program, signed as webhooks are.',
  )
  return lines.join('\n')
}
