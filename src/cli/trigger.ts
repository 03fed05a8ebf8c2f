import { ConfigError } from '../boot/config-error.ts'
import { chooseSession, SESSION_HELP } from './choose-session.ts'
import type { Gateway } from '#listener/event-reader'
import { follow } from './follow.ts'
import { CLIENT_HELP, type ClientOptions, type GatewayClient, openClient, openSdk } from './gateway-client.ts'
import { nearest } from './nearest.ts'
import { printResult } from './terminal.ts'
import { type Trigger, TRIGGERS } from './command.ts'

const CONTACT = '15551234567'
const FILE_BYTES = 2_048

export const triggerHelp = `postern trigger <what> [--session ID] [--from NUMBER] [--text TEXT]
                [--group NAME] [--message ID] [--options "a,b"] [--seconds N]
                [--follow] [--json] [--url http://…] [--key ptn_…]
                [--account acc_…]

Simulates an action of a sandbox contact, so that your program receives the
event. <what> is one of:
  ${TRIGGERS.slice(0, 9).join(', ')},
  ${TRIGGERS.slice(9).join(', ')}

${SESSION_HELP}
  --from      the contact. Default: ${CONTACT}
  --text      the text, or the caption of a file
  --group     use this group instead of a direct chat; the sandbox creates a
              group of that name if there is none
  --message   receipt: the message that the contact reads, which needs one that
              it has not read; reaction: the message
              to react to; poll_vote: the poll to vote in
  --options   poll, poll_vote: the options, separated by commas. Without
              --message the number first sends a new poll
  --seconds   drop: how long the connection stays down. Default: 20. An event
              follows only if it stays down longer than POSTERN_DISCONNECT_GRACE
  --follow    wait for the event and show it
  --json      print the response of the API; with --follow the event
${CLIENT_HELP}`

interface Options extends ClientOptions {
  session?: string
  from?: string
  text?: string
  group?: string
  message?: string
  options?: string
  seconds?: string
  follow?: boolean
  json?: boolean
}

export async function trigger(options: Options, env: NodeJS.ProcessEnv, what: string): Promise<void> {
  if (!(TRIGGERS as readonly string[]).includes(what)) {
    const meant = nearest(what, TRIGGERS)
    const guess = meant === undefined ? '' : ` Did you mean ${meant}?`
    throw new ConfigError(`"${what}" cannot be triggered: choose from ${TRIGGERS.join(', ')}.${guess}`)
  }
  const client = await openClient(options, env)
  const session = await chooseSession(client, { flag: options.session, env }, { platform: 'sandbox' })
  await warnIfLoggedOut(client, session)
  const { path, body } = await requestOf(client, session, what as Trigger, options)
  const post = () => client.call('POST', `/sandbox/sessions/${encodeURIComponent(session)}/${path}`, body)
  if (options.follow === true) return await followTriggered(() => openSdk(options, env), what as Trigger, post, options)
  const answered = await post()
  printResult(options.json, answered, () => {
    const id = answered['message_id']
    return `${what} triggered on ${session}${typeof id === 'string' ? ` (${id})` : ''}`
  })
}

async function warnIfLoggedOut(client: GatewayClient, session: string): Promise<void> {
  const { state } = await client.call<{ state: string }>('GET', `/v1/sessions/${encodeURIComponent(session)}`)
  if (state === 'logged_out') console.error(`${session} is logged out: it has no events until it is linked again.`)
}

const FOLLOW_MS = 30_000

/** Shows the resulting event, which it finds by id for a message and otherwise by kind. */
async function followTriggered(
  connect: () => Promise<Gateway>,
  what: Trigger,
  post: () => Promise<Record<string, unknown>>,
  { json = false }: Options,
): Promise<void> {
  await follow(connect, {
    json,
    limitMs: FOLLOW_MS,
    begin: post,
    concerns: ({ message_id }, event) =>
      event.kind === 'message' ? event.message_id === message_id : event.kind === kindOf(what),
    isLast: () => true,
  })
}

function kindOf(what: Trigger): string {
  return what === 'drop' || what === 'logout' ? 'connection' : what
}

interface SandboxRequest {
  path: 'incoming' | 'actions'
  body: Record<string, unknown>
}

async function requestOf(
  client: GatewayClient,
  session: string,
  what: Trigger,
  options: Options,
): Promise<SandboxRequest> {
  const who = { from: options.from ?? CONTACT, ...(options.group === undefined ? {} : { group: options.group }) }
  const said = options.text === undefined ? {} : { text: options.text }
  const about = options.message === undefined ? {} : { message_id: options.message }
  const incoming = (body: object): SandboxRequest => ({ path: 'incoming', body: { ...who, ...body } })
  const action = (body: object): SandboxRequest => ({ path: 'actions', body: { ...body } })
  switch (what) {
    case 'message':
      return incoming({ type: 'text', text: options.text ?? 'Hello from the sandbox' })
    case 'image':
    case 'video':
    case 'audio':
    case 'document':
    case 'sticker':
      return incoming({ type: what, ...said, media: { size: FILE_BYTES } })
    case 'location':
      return incoming({ type: what, location: { latitude: 52.52, longitude: 13.405, name: options.text ?? 'Berlin' } })
    case 'poll':
      return incoming({ type: what, poll: { name: options.text ?? 'Lunch?', options: choicesOf(options) } })
    case 'reaction':
      return incoming({
        type: what,
        text: options.text ?? '👍',
        reacted_message_id: await lastMessage(client, session, options),
      })
    case 'poll_vote':
      return action({ action: 'vote', ...who, ...(await pollOf(client, session, options)) })
    case 'call':
      return action({ action: 'call', ...who })
    case 'receipt':
      return action({ action: 'read', ...who, ...about })
    case 'typing':
    case 'presence':
      return action({ action: what, ...who })
    case 'newsletter_message':
      return action({ action: 'newsletter_post', name: 'News', text: options.text ?? 'Hello, all' })
    case 'drop':
      return action({ action: 'drop', seconds: secondsOf(options.seconds) })
    case 'logout':
      return action({ action: 'log_out' })
  }
}

const choicesOf = ({ options }: Options): string[] =>
  (options ?? 'yes,no').split(',').flatMap(choice => choice.trim() || [])

/** A vote needs a poll that the number has sent, so the command sends one if the user names none. */
async function pollOf(client: GatewayClient, session: string, options: Options): Promise<object> {
  const choices = choicesOf(options)
  if (options.message !== undefined) return { message_id: options.message, options: choices.slice(0, 1) }
  const { message_id } = await client.call<{ message_id: string }>('POST', '/v1/messages', {
    session_id: session,
    to: options.from ?? CONTACT,
    poll: { name: options.text ?? 'Lunch?', options: choices, selectable_count: 1 },
  })
  await untilSent(client, message_id)
  return { message_id, options: choices.slice(0, 1) }
}

async function untilSent(client: GatewayClient, id: string): Promise<void> {
  const { systemClock } = await import('../runtime/clock.ts')
  const deadlineMs = systemClock.monotonicMs() + 10_000
  while (systemClock.monotonicMs() < deadlineMs) {
    const { state } = await client.call<{ state: string }>('GET', `/v1/messages/${id}`)
    if (['delivered', 'read', 'failed'].includes(state)) return
    await systemClock.sleep(100)
  }
}

async function lastMessage(client: GatewayClient, session: string, options: Options): Promise<string> {
  if (options.message !== undefined) return options.message
  const path = `/v1/messages?limit=1&session_id=${encodeURIComponent(session)}`
  const { data } = await client.call<{ data: Array<{ id: string }> }>('GET', path)
  if (data[0] === undefined) throw new ConfigError('--message is missing: the number has sent nothing to react to yet.')
  return data[0].id
}

function secondsOf(value: string | undefined): number {
  if (value !== undefined && !/^\d{1,4}$/.test(value))
    throw new ConfigError('--seconds must be a whole number up to 3600.')
  return Number(value ?? 20)
}
