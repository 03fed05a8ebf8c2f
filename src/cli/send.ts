import { type Clock, systemClock } from '../runtime/clock.ts'
import { ConfigError } from '../boot/config-error.ts'
import { chooseSession, SESSION_HELP } from './choose-session.ts'
import type { Gateway, GatewayEvent } from '#listener/event-reader'
import { follow } from './follow.ts'
import { CLIENT_HELP, type ClientOptions, type GatewayClient, openClient, openSdk, Rejected } from './gateway-client.ts'
import { keyHeader } from './number-client.ts'
import { CONTENT_HELP, type ContentOptions, contentOf, optionFor } from './send-content.ts'
import { uploadFile } from './upload-file.ts'
import { printResult, paint } from './terminal.ts'

export const sendHelp = `postern send --to NUMBER [--text TEXT] [content] [--follow] [--session ID]
             [--id KEY] [--json] [--url http://…] [--key ptn_…]
             [--account acc_…]

Sends a message and waits up to ten seconds for its outcome. With --follow it
shows the events of the message instead, from sent to read or failed, for up to
a minute. The exit code is 1 if the message failed.

  --to          a phone number with its country code, or the JID of a contact, a
                group or a channel
${CONTENT_HELP}
  --id          the Idempotency-Key: if you repeat it, the gateway does not send
                the message again
${SESSION_HELP}
  --follow      show the events; needs a key with the scope manage
  --json        print the message as the API returns it; with --follow, each
                event as one line of JSON
${CLIENT_HELP}`

interface Options extends ClientOptions, ContentOptions {
  to?: string
  session?: string
  id?: string
  follow?: boolean
  json?: boolean
}

interface Message {
  id: string
  state: string
  to: string
  send_at: string | null
}

interface Accepted {
  message_id: string
  request_id: string
  to: string
}

const FINAL_STATES = ['scheduled', 'sent', 'delivered', 'read', 'played', 'failed']
const WAIT_MS = 10_000
const POLL_MS = 200

export async function send(options: Options, env: NodeJS.ProcessEnv): Promise<void> {
  if (options.to === undefined) throw new ConfigError('--to is missing: name the recipient.')
  const content = contentOf(options)
  const client = await openClient(options, env)
  const session = await chooseSession(client, { flag: options.session, env })
  const media =
    options.file === undefined
      ? {}
      : await uploadFile(client, { option: '--file', path: options.file }, options['media-type'])
  const body = { session_id: session, to: options.to, ...content, ...media }
  const post = () =>
    client.call<Accepted>('POST', '/v1/messages', body, keyHeader(options.id)).catch(withOption(options))
  if (options.follow === true) return await followSent(() => openSdk(options, env), post, options.json === true)
  const accepted = await post()
  const waitMs = WAIT_MS + Number(options['typing-ms'] ?? 0)
  const message = await untilFinal(client, accepted.message_id, systemClock, waitMs)
  printResult(options.json, message, () => {
    const state = message.state === 'failed' ? paint('red', message.state) : paint('green', message.state)
    const at = message.state === 'scheduled' ? ` for ${message.send_at}` : ''
    return `${accepted.message_id} to ${message.to}: ${state}${at}`
  })
  if (message.state === 'failed') process.exitCode = 1
}

const FOLLOW_MS = 60_000

/** Shows the events of the message, from `sent` to `read` or `failed`. */
async function followSent(
  connect: () => Promise<Gateway>,
  post: () => Promise<Accepted>,
  json: boolean,
): Promise<void> {
  const payloadOf = ({ body }: GatewayEvent) => JSON.parse(body) as Record<string, unknown>
  const last = await follow(connect, {
    json,
    limitMs: FOLLOW_MS,
    begin: async () => {
      const accepted = await post()
      if (!json) console.log(`${accepted.message_id} to ${accepted.to}: queued`)
      return accepted
    },
    concerns: (accepted, event) =>
      ['status', 'receipt'].includes(event.kind) && payloadOf(event)['request_id'] === accepted.request_id,
    isLast: (_, event) => {
      const { status, receipt_type } = payloadOf(event)
      return status === 'failed' || receipt_type === 'read' || receipt_type === 'played'
    },
  })
  if (last !== undefined && payloadOf(last)['status'] === 'failed') process.exitCode = 1
}

/** Names the option of the field that the gateway rejects. */
const withOption =
  (options: Options) =>
  (error: unknown): never => {
    if (!(error instanceof Rejected) || error.param === undefined) throw error
    const option = optionFor(error.param) ?? (options.fields === undefined ? undefined : '--fields')
    if (option === undefined) throw error
    throw new ConfigError(`${option}: ${error.message}`, { readOn: error.readOn })
  }

async function untilFinal(client: GatewayClient, id: string, clock: Clock, waitMs: number): Promise<Message> {
  const deadlineMs = clock.monotonicMs() + waitMs
  for (;;) {
    const message = await client.call<Message>('GET', `/v1/messages/${id}`)
    if (FINAL_STATES.includes(message.state) || clock.monotonicMs() > deadlineMs) return message
    await clock.sleep(POLL_MS)
  }
}
