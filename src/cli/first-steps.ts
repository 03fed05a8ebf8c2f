import { addSandboxNumber } from '../actions/add-sandbox-number.ts'
import type { DeveloperAccount } from '../actions/first-start.ts'
import type { Gateway } from '../gateway.ts'
import { ownName } from './own-name.ts'

const CONTACT = '+1 555 123 4567'

/** Creates the first sandbox number and prints commands to try it. */
export async function showFirstSteps(gateway: Gateway, { accountId, key }: DeveloperAccount): Promise<void> {
  const { roles, sandbox } = gateway.context.config
  const canHost = roles.includes('worker') && roles.includes('simulator')
  const number = sandbox && canHost ? await makeNumber(gateway, accountId) : null
  const postern = ownName()
  console.log(firstSteps({ accountId, key, number, sandbox, url: gateway.url!, postern, folder: process.cwd() }))
}

async function makeNumber({ context }: Gateway, accountId: string): Promise<FirstNumber | null> {
  try {
    const { id: jid, device } = await addSandboxNumber(context, { accountId, phone: null, label: 'first number' })
    return { id: device > 0 ? jid.replace('@', `:${device}@`) : jid, jid }
  } catch (error) {
    context.log.warn({ err: error }, 'first_steps.no_number')
    return null
  }
}

/** Both forms of a number: requests accept either, events have the one without the device number. */
interface FirstNumber {
  id: string
  jid: string
}

interface FirstSteps {
  accountId: string
  key: string
  number: FirstNumber | null
  sandbox: boolean
  url: string
  /** The command to type in this folder. */
  postern: string
  folder: string
}

/**
 * The block to paste. Every line waits for its own events, so that the next one misses none. It has no comments: zsh would
 * take them for arguments.
 */
export function firstSteps({ accountId, key, number, sandbox, url, postern, folder }: FirstSteps): string {
  const api =
    'curl -s -H "Authorization: Bearer $POSTERN_API_KEY" -H "Content-Type: application/json" $POSTERN_URL/v1/sessions'
  const lines = [
    '',
    `Your first account is ${accountId} (Terms accepted); the link above opens it. Paste this into another terminal:`,
    '',
    `cd ${quoted(folder)}`,
    `export POSTERN_URL=${url}`,
    `export POSTERN_API_KEY=${key}`,
  ]
  const listen = `${postern} listen`
  const forward = `${listen} --forward-to http://127.0.0.1:3000/webhooks`
  const more = [
    '',
    'Commands, samples and clients read these variables. The key is shown this once.',
    `${listen}  shows every event as it happens, without a webhook URL.`,
    `${forward}  posts each event to your program, signed like a webhook.`,
  ]
  if (!sandbox) return [...lines, ...more, `Link a number in the portal: ${url}/numbers`].join('\n')
  if (number === null)
    lines.push(
      `${api} -d '{"platform":"sandbox"}'`,
      '',
      'The last line creates a sandbox number: export its "id" as POSTERN_SESSION.',
    )
  else
    lines.push(
      `export POSTERN_SESSION=${number.id}`,
      `${postern} send --to "${CONTACT}" --text "Hello from Postern" --follow`,
      `${postern} trigger message --text 'Hi!' --follow`,
      '',
      `The first command shows the events of its message: sent, delivered, read. In the second, a contact writes to`,
      `the sandbox number, which events call ${number.jid}.`,
    )
  return [...lines, ...more].join('\n')
}

/** Quoted for a shell. */
const quoted = (path: string): string => (/^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`)
