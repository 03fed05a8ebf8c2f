import { addSandboxNumber } from '../actions/add-sandbox-number.ts'
import type { DeveloperAccount } from '../actions/first-start.ts'
import type { Gateway } from '../gateway.ts'
import { ownName } from './own-name.ts'

const CONTACT = '+1 555 123 4567'

/** Printed with the ready line: whatever ends the process before there is a number, the key has been seen. */
export function showKey({ key }: DeveloperAccount): void {
  console.log(`  API key    ${key}  (of your first account; shown at this start alone)`)
}

/** Makes the first sandbox number, and prints what can be done with it. */
export async function showFirstSteps(gateway: Gateway, { accountId, key }: DeveloperAccount): Promise<void> {
  const { roles, sandbox } = gateway.context.config
  const canHost = roles.includes('worker') && roles.includes('simulator')
  const number = sandbox && canHost ? await makeNumber(gateway, accountId) : null
  const postern = ownName(process.argv[1] ?? '', process.cwd(), process.env['PATH'] ?? '')
  console.log(firstSteps({ accountId, key, number, sandbox, url: gateway.url!, postern }))
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
  sandbox: boolean
  url: string
  /** What to type for the command line. */
  postern: string
}

function firstSteps({ accountId, key, number, sandbox, url, postern }: FirstSteps): string {
  const api = 'curl -s -H "Authorization: Bearer $API_KEY" -H "Content-Type: application/json" $GATEWAY'
  const lines = [
    '',
    `Your first account is ${accountId} (Terms accepted); the link above opens it. Paste this into another terminal:`,
    '',
    `cd ${quoted(process.cwd())}`,
    `export GATEWAY=${url}  # the samples of ${url}/docs read it`,
    `export API_KEY=${key}  # shown this once`,
  ]
  const listen = `${postern} listen &  # every event as it happens: needs no webhook URL`
  if (!sandbox) return [...lines, listen, '', `Link a number in the portal: ${url}/numbers`].join('\n')
  lines.push(
    number === null
      ? `${api}/v1/sessions -d '{"platform":"sandbox"}'  # a sandbox number; its "id" is SESSION below`
      : `export SESSION=${number}  # a sandbox number: no phone, nothing leaves this machine`,
    listen,
    `${postern} send --to "${CONTACT}" --text "Hello from Postern"`,
    `${postern} trigger message --text 'Hi!'  # a contact of the sandbox writes`,
    '',
    `${postern} listen --forward-to http://127.0.0.1:3000/webhooks brings them to your program, signed as webhooks are.`,
  )
  return lines.join('\n')
}

/** For a shell. */
const quoted = (path: string): string => (/^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`)
