import { type Clock, systemClock } from '../runtime/clock.ts'
import { ConfigError } from '../boot/config-error.ts'
import { chooseSession, SESSION_HELP } from './choose-session.ts'
import type { Gateway, GatewayEvent } from '#listener/event-reader'
import { follow } from './follow.ts'
import { CLIENT_HELP, type ClientOptions, type GatewayClient, openClient, openSdk } from './gateway-client.ts'
import { uploadFile } from './send-file.ts'
import { printResult, paint } from './terminal.ts'

export const sendHelp = `postern send --to NUMBER (--text TEXT | --media-type image --media-url URL
             [--text CAPTION] | --file PATH [--text CAPTION]) [--follow]
             [--session ID] [--id KEY] [--json] [--url http://…] [--key ptn_…]
             [--account acc_…]

Sends a message and waits up to ten seconds for its outcome. With --follow it
shows the events of the message instead, from sent to read or failed, for up to
a minute. The exit code is 1 if the message failed.

  --to          a phone number with its country code, or a JID
  --text        the text, or the caption of a file
  --media-type  image, video, audio, voice, document or sticker
  --media-url   the URL of the file
  --file        a file on this machine, a document of up to 2 GiB. The command
                uploads it and chooses the media type by its extension
  --id          the Idempotency-Key: if you repeat it, the gateway does not send
                the message again
${SESSION_HELP}
  --follow      show the events; needs a key with the scope manage
  --json        print the message as the API returns it; with --follow, each
                event as one line of JSON
${CLIENT_HELP}`

interface Options extends ClientOptions {
  to?: string
  text?: string
  session?: string
  file?: string
  'media-url'?: string
  'media-type'?: string
  id?: string
  follow?: boolean
  json?: boolean
}

interface Message {
  id: string
  state: string
  to: string
  failure?: { reason?: string; detail?: string } | null
}

interface Accepted {
  message_id: string
  request_id: string
  to: string
}

const FINAL_STATES = ['sent', 'delivered', 'read', 'played', 'failed']
const WAIT_MS = 10_000
const POLL_MS = 200

export async function send(options: Options, env: NodeJS.ProcessEnv): Promise<void> {
  if (options.to === undefined) throw new ConfigError('--to is missing: name the recipient.')
  if (options.file !== undefined && options['media-url'] !== undefined)
    throw new ConfigError('--file and --media-url were given: a message has one file. Leave one of them out.')
  if (options.text === undefined && options['media-url'] === undefined && options.file === undefined)
    throw new ConfigError('--text is missing. Give it, or --media-type and --media-url, or --file.')
  const client = await openClient(options, env)
  const session = await chooseSession(client, { flag: options.session, env })
  const media =
    options.file === undefined ? mediaOf(options) : await uploadFile(client, options.file, options['media-type'])
  const said = options.text === undefined ? {} : { text: options.text }
  const body = { session_id: session, to: options.to, ...said, ...media }
  const headers: Record<string, string> = options.id === undefined ? {} : { 'idempotency-key': options.id }
  const post = () => client.call<Accepted>('POST', '/v1/messages', body, headers)
  if (options.follow === true) return await followSent(() => openSdk(options, env), post, options.json === true)
  const accepted = await post()
  const message = await untilFinal(client, accepted.message_id, systemClock)
  printResult(options.json, message, () => {
    const state = message.state === 'failed' ? paint('red', message.state) : paint('green', message.state)
    return `${accepted.message_id} to ${message.to}: ${state}`
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

const mediaOf = (options: Options): object => ({
  ...(options['media-url'] === undefined ? {} : { media_url: options['media-url'] }),
  ...(options['media-type'] === undefined ? {} : { media_type: options['media-type'] }),
})

async function untilFinal(client: GatewayClient, id: string, clock: Clock): Promise<Message> {
  const deadlineMs = clock.monotonicMs() + WAIT_MS
  for (;;) {
    const message = await client.call<Message>('GET', `/v1/messages/${id}`)
    if (FINAL_STATES.includes(message.state) || clock.monotonicMs() > deadlineMs) return message
    await clock.sleep(POLL_MS)
  }
}
