import { ConfigError } from '../boot/config-error.ts'
import { DIRECTIONS, KEEP_HOURS, RETRY_MODES, SIGNATURES } from '../domain/endpoint.ts'
import { ANY_KINDS, CATEGORIES } from '../domain/event.ts'
import { CLIENT_HELP, type ClientOptions, openClient } from './gateway-client.ts'
import { ownName } from './own-name.ts'
import { paint, printable, printResult, table } from './terminal.ts'
import { isTaken, tableOfTests, type TestResult } from './test-results.ts'

type Options<More = object> = ClientOptions & { json?: boolean } & More

interface ShownEndpoint {
  id: string
  type: string
  url: string | null
  keep_hours: number | null
  description: string
  kinds: string[] | null
  session_ids: string[] | null
  direction: string | null
  include: string[]
  headers: string[]
  signature: string | null
  retry: string | null
  reply: boolean | null
  active: boolean
  failing_since: string | null
  switched_off_at: string | null
  secret?: string
}

interface Settings {
  kinds?: string
  sessions?: string
  direction?: string
  include?: string
  signature?: string
  retries?: string
  reply?: string
  description?: string
  'keep-hours'?: string
}

const clientUsage = `[--json] [--url http://…] [--key ptn_…] [--account acc_…]`

const SETTINGS_USAGE = `[--kinds KIND,…] [--sessions ID,…]
                         [--direction in|out] [--include WORD,…]
                         [--signature postern|standard] [--retries eager|ladder]
                         [--reply yes|no] [--description TEXT]
                         [--keep-hours HOURS]`

const SETTINGS_HELP = `  --kinds        the kinds of events: ${ANY_KINDS.slice(0, 4).join(', ')},
                 ${ANY_KINDS.slice(4, 8).join(', ')},
                 ${ANY_KINDS.slice(8, 13).join(', ')},
                 ${ANY_KINDS.slice(13).join(', ')}
  --sessions     only events of these numbers
  --direction    only what people send (in), or what your numbers send (out)
  --include      more than a webhook gets
  --signature    postern, or standard (Standard Webhooks)
  --retries      eager: probe a failing URL every few seconds. ladder: retry
                 each delivery by the schedule of webhooks
  --reply        whether its answer to a message, such as {"text": "Hello"}, is
                 sent to the chat
  --description  a note for people
  --keep-hours   for how long a pull endpoint keeps events that your program
                 does not acknowledge, 1 to ${KEEP_HOURS.max}. Default: ${KEEP_HOURS.default}
  --json         print the response of the API`

export const createEndpointHelp = `postern endpoints create <url> | --pull ${SETTINGS_USAGE}
                      ${clientUsage}

Creates an endpoint, which gets events of several numbers, and prints the secret
that signs them, which is never shown again. <url> is the URL of your program,
such as http://127.0.0.1:3000/events. Without options it gets every event of
every number, except typing and presence.

With --pull it has no URL: the gateway keeps its events until your program has
read and acknowledged them. postern listen --endpoint <id> prints them.

${SETTINGS_HELP}
${CLIENT_HELP}

Set headers of its own with the API: a command line is no place for secrets.`

export async function createEndpoint(
  options: Options<Settings & { pull?: boolean }>,
  env: NodeJS.ProcessEnv,
  url?: string,
): Promise<void> {
  if (url === undefined && options.pull !== true)
    throw new ConfigError('<url> is missing: the URL of your program, such as http://127.0.0.1:3000/events, or --pull.')
  if (url !== undefined && options.pull === true) throw new ConfigError('give either <url> or --pull, not both.')
  const body = { ...(url === undefined ? { type: 'pull' } : { url }), ...settingsOf(options) }
  const client = await openClient(options, env)
  const made = await client.call<unknown>('POST', '/v1/endpoints', body)
  printResult(options.json, made as ShownEndpoint, endpoint => {
    if (endpoint.type === 'pull')
      return [describe(endpoint), `Read it: ${ownName()} listen --endpoint ${endpoint.id}`].join('\n')
    return [
      describe(endpoint),
      `It is signed with ${endpoint.secret} (never shown again).`,
      `Try it out: ${ownName()} endpoints test ${endpoint.id}`,
    ].join('\n')
  })
}

export const listEndpointsHelp = `postern endpoints list
                      ${clientUsage}

Lists the endpoints of the account.

  --json      print the response of the API
${CLIENT_HELP}`

export async function listEndpoints(options: Options, env: NodeJS.ProcessEnv): Promise<void> {
  const client = await openClient(options, env)
  const page = await client.call<{ data: ShownEndpoint[] }>('GET', '/v1/endpoints?limit=100')
  printResult(options.json, page, ({ data }) =>
    data.length === 0
      ? 'No endpoints yet. Create one: postern endpoints create http://127.0.0.1:3000/events'
      : table(data.map(each => [each.id, stateOf(each), printable(each.url ?? 'pull'), printable(each.description)])),
  )
}

export const showEndpointHelp = `postern endpoints show <id>
                      ${clientUsage}

Shows an endpoint with its settings.

  --json      print the response of the API
${CLIENT_HELP}`

export async function showEndpoint(options: Options, env: NodeJS.ProcessEnv, id?: string): Promise<void> {
  const path = pathOf(id)
  const client = await openClient(options, env)
  printResult(options.json, await client.call<ShownEndpoint>('GET', path), describe)
}

export const updateEndpointHelp = `postern endpoints update <id> [--new-url URL] [--active yes|no]
                         ${SETTINGS_USAGE}
                      ${clientUsage}

Changes an endpoint. What you leave out does not change.

  --new-url      the URL of your program
  --active       switch it on or off. What waits for it becomes dead letters
                 when it is switched off
${SETTINGS_HELP}
${CLIENT_HELP}`

export async function updateEndpoint(
  options: Options<Settings & { 'new-url'?: string; active?: string }>,
  env: NodeJS.ProcessEnv,
  id?: string,
): Promise<void> {
  const path = pathOf(id)
  const { 'new-url': url, active } = options
  oneOf('--active', active, ['yes', 'no'])
  const body = {
    ...settingsOf(options),
    ...(url !== undefined && { url }),
    ...(active !== undefined && { active: active === 'yes' }),
  }
  if (Object.keys(body).length === 0) throw new ConfigError('there is nothing to change: give at least one option.')
  const client = await openClient(options, env)
  printResult(options.json, await client.call<ShownEndpoint>('PATCH', path, body), describe)
}

export const rotateEndpointHelp = `postern endpoints rotate <id> [--overlap SECONDS]
                      ${clientUsage}

Gives an endpoint a new secret and prints it. It is never shown again.

  --overlap   for how long each delivery has a signature by the old secret too,
              in seconds. Default: 0
  --json      print the response of the API
${CLIENT_HELP}`

export async function rotateEndpoint(
  options: Options<{ overlap?: string }>,
  env: NodeJS.ProcessEnv,
  id?: string,
): Promise<void> {
  const path = pathOf(id)
  const overlap = Number(options.overlap ?? 0)
  if (!Number.isInteger(overlap) || overlap < 0)
    throw new ConfigError(`--overlap is "${options.overlap}": give a number of seconds.`)
  const client = await openClient(options, env)
  const rotated = await client.call<unknown>('POST', `${path}/rotate-secret`, { overlap_seconds: overlap })
  printResult(
    options.json,
    rotated as ShownEndpoint,
    endpoint => `${endpoint.id} is signed with ${endpoint.secret} (never shown again).`,
  )
}

export const testEndpointHelp = `postern endpoints test <id> [--category ${CATEGORIES.join('|')}]
                      ${clientUsage}

Sends a sample to the URL, signed with the real secret, and shows the response
of your program. The exit code is 1 if your program rejected it.

  --category  a sample of this category
  --json      print the response of the API
${CLIENT_HELP}`

export async function testEndpoint(
  options: Options<{ category?: string }>,
  env: NodeJS.ProcessEnv,
  id?: string,
): Promise<void> {
  const path = pathOf(id)
  oneOf('--category', options.category, CATEGORIES)
  const client = await openClient(options, env)
  const body = options.category === undefined ? {} : { category: options.category }
  const tested = await client.call<TestResult>('POST', `${path}/test`, body)
  printResult(options.json, tested, result => tableOfTests([result]))
  if (!isTaken(tested)) process.exitCode = 1
}

export const deleteEndpointHelp = `postern endpoints delete <id>
                      ${clientUsage}

Deletes an endpoint. What waits for it becomes dead letters. The events that a
pull endpoint keeps are deleted.

  --json      print the response of the API
${CLIENT_HELP}`

export async function deleteEndpoint(options: Options, env: NodeJS.ProcessEnv, id?: string): Promise<void> {
  const path = pathOf(id)
  const client = await openClient(options, env)
  printResult(options.json, await client.call<{ id: string }>('DELETE', path), deleted => `${deleted.id} is deleted.`)
}

function pathOf(id: string | undefined): string {
  if (id === undefined) throw new ConfigError('<id> is missing: an id such as ep_…, from postern endpoints list.')
  return `/v1/endpoints/${encodeURIComponent(id)}`
}

function settingsOf({
  kinds,
  sessions,
  direction,
  include,
  signature,
  retries,
  reply,
  description,
  ...given
}: Settings) {
  const keepHours = given['keep-hours']
  for (const kind of listOf(kinds) ?? []) oneOf('--kinds', kind, ANY_KINDS)
  oneOf('--direction', direction, DIRECTIONS)
  oneOf('--signature', signature, SIGNATURES)
  oneOf('--retries', retries, RETRY_MODES)
  oneOf('--reply', reply, ['yes', 'no'])
  if (keepHours !== undefined && !/^\d{1,3}$/.test(keepHours))
    throw new ConfigError(`--keep-hours is "${keepHours}": give a number of hours.`)
  return {
    ...(keepHours !== undefined && { keep_hours: Number(keepHours) }),
    ...(kinds !== undefined && { kinds: listOf(kinds) }),
    ...(sessions !== undefined && { session_ids: listOf(sessions) }),
    ...(direction !== undefined && { direction }),
    ...(include !== undefined && { include: listOf(include) }),
    ...(signature !== undefined && { signature }),
    ...(retries !== undefined && { retry: retries }),
    ...(reply !== undefined && { reply: reply === 'yes' }),
    ...(description !== undefined && { description }),
  }
}

const listOf = (given: string | undefined): string[] | undefined => given?.split(',').map(each => each.trim())

function oneOf(option: string, given: string | undefined, choices: readonly string[]): void {
  if (given !== undefined && !choices.includes(given))
    throw new ConfigError(`${option} is "${given}": choose from ${choices.join(', ')}.`)
}

function stateOf({ active, failing_since, switched_off_at }: ShownEndpoint): string {
  if (switched_off_at !== null) return paint('red', 'switched off')
  if (!active) return 'off'
  return failing_since === null ? paint('green', 'on') : paint('red', 'failing')
}

const describe = (endpoint: ShownEndpoint): string =>
  [
    `${endpoint.id} ${stateOf(endpoint)}`,
    table([
      ...(endpoint.url === null
        ? [['  pull', `keeps events for ${endpoint.keep_hours} hours`]]
        : [['  url', printable(endpoint.url)]]),
      ['  kinds', endpoint.kinds?.join(', ') ?? 'all but typing and presence'],
      ['  numbers', endpoint.session_ids?.join(', ') ?? 'all'],
      ['  direction', endpoint.direction ?? 'both'],
      ['  include', endpoint.include.join(', ') || 'nothing more'],
      ...(endpoint.url === null
        ? []
        : [
            ['  headers', endpoint.headers.map(printable).join(', ') || 'none'],
            ['  signature', endpoint.signature ?? ''],
            ['  retry', endpoint.retry ?? ''],
            ['  reply', endpoint.reply === true ? 'its answers are sent to the chat' : 'no'],
          ]),
      ...(endpoint.description === '' ? [] : [['  description', printable(endpoint.description)]]),
      ...(endpoint.failing_since === null ? [] : [['  failing since', endpoint.failing_since]]),
    ]),
  ].join('\n')
