import { ConfigError } from '../boot/config-error.ts'
import { CATEGORIES, type Category } from '../domain/event.ts'
import { chooseSession, SESSION_HELP } from './choose-session.ts'
import { CLIENT_HELP, type ClientOptions, type GatewayClient, openClient } from './gateway-client.ts'
import { ownName } from './own-name.ts'
import { printResult, printable, table } from './terminal.ts'
import { isTaken, tableOfTests, type TestResult } from './test-results.ts'

type Options<More = object> = ClientOptions & { json?: boolean } & More

interface ShownWebhook {
  id: string
  session_id: string
  messages_url: string
  status_url: string
  connection_url: string
  events_url: string
  active: boolean
  secret?: string
}

const clientUsage = `[--json] [--url http://…] [--key ptn_…] [--account acc_…]`

const URLS_HELP = `  --messages    another URL for kind message
  --status      another URL for kinds receipt and status
  --connection  another URL for kind connection
  --events      another URL for kinds poll_vote, typing, presence, call and
                newsletter_message
  --json        print the response of the API`

type UrlOptions = Partial<Record<Category, string>>

export const createWebhookHelp = `postern webhooks create [<url>] [--messages URL] [--status URL]
                        [--connection URL] [--events URL] [--session ID]
                      ${clientUsage}

Creates the webhook of a number and prints the secret that signs it, which is
never shown again. <url> is the URL of your program, such as
http://127.0.0.1:3000/webhooks, and receives all events.

${URLS_HELP}
${SESSION_HELP}
${CLIENT_HELP}`

export async function createWebhook(
  options: Options<UrlOptions & { session?: string }>,
  env: NodeJS.ProcessEnv,
  url?: string,
): Promise<void> {
  const urls = urlsOf(options, url)
  const client = await openClient(options, env)
  const session = await chooseSession(client, { flag: options.session, env })
  const body = { session_id: session, ...urls }
  const made = await client.call<unknown>('POST', '/v1/webhooks', body)
  printResult(options.json, made as ShownWebhook, webhook =>
    [
      `${webhook.id} of ${webhook.session_id}`,
      urlTable(webhook),
      `It is signed with ${webhook.secret} (never shown again).`,
      `Try it out: ${ownName()} webhooks test ${webhook.id}`,
    ].join('\n'),
  )
}

function urlsOf(options: UrlOptions, url: string | undefined): Record<string, string> {
  const urls = CATEGORIES.flatMap(category => {
    const own = options[category] ?? url
    return own === undefined ? [] : [[`${category}_url`, own] as const]
  })
  if (urls.length === 0)
    throw new ConfigError('<url> is missing: the URL of your program, such as http://127.0.0.1:3000/webhooks.')
  return Object.fromEntries(urls)
}

export const updateWebhookHelp = `postern webhooks update [<url>] [--messages URL] [--status URL]
                        [--connection URL] [--events URL] [--webhook wh_…]
                      ${clientUsage}

Changes the URLs of a webhook. Waiting deliveries go to the new URLs, and the
secret stays the same. <url> is for all events; without it, only the URLs that
you give change. An empty URL ("") sends these events nowhere.

  --webhook     the webhook, if the account has several
${URLS_HELP}
${CLIENT_HELP}`

export async function updateWebhook(
  options: Options<UrlOptions & { webhook?: string }>,
  env: NodeJS.ProcessEnv,
  url?: string,
): Promise<void> {
  const urls = urlsOf(options, url)
  const client = await openClient(options, env)
  const webhook = options.webhook ?? (await onlyWebhook(client, '--webhook'))
  const changed = await client.call<unknown>('PUT', `/v1/webhooks/${encodeURIComponent(webhook)}`, urls)
  printResult(options.json, changed as ShownWebhook, each => `${each.id} of ${each.session_id}\n${urlTable(each)}`)
}

export const deleteWebhookHelp = `postern webhooks delete <id>
                      ${clientUsage}

Deletes a webhook. Its waiting deliveries become dead letters. The number stays
linked.

  --json      print the response of the API
${CLIENT_HELP}`

export async function deleteWebhook(options: Options, env: NodeJS.ProcessEnv, id: string): Promise<void> {
  const client = await openClient(options, env)
  const deleted = await client.call<{ id: string }>('DELETE', `/v1/webhooks/${encodeURIComponent(id)}`)
  printResult(options.json, deleted, webhook => `${webhook.id} is deleted.`)
}

export const listWebhooksHelp = `postern webhooks list
                      ${clientUsage}

Lists the webhooks of the account with their URLs.

  --json      print the response of the API
${CLIENT_HELP}`

export async function listWebhooks(options: Options, env: NodeJS.ProcessEnv): Promise<void> {
  const client = await openClient(options, env)
  const page = await client.call<{ data: ShownWebhook[] }>('GET', '/v1/webhooks?limit=100')
  printResult(options.json, page, ({ data }) => {
    if (data.length === 0)
      return `No webhooks yet. Create one: ${ownName()} webhooks create http://127.0.0.1:3000/webhooks`
    return data
      .map(each => `${each.id} of ${each.session_id}${each.active ? '' : ' (not active)'}\n${urlTable(each)}`)
      .join('\n\n')
  })
}

const urlTable = (webhook: ShownWebhook): string =>
  table(CATEGORIES.map(category => [`  ${category}`, printable(webhook[`${category}_url`]) || 'not sent']))

export const testWebhookHelp = `postern webhooks test [<id>] [--category ${CATEGORIES.join('|')}]
                      ${clientUsage}

Sends a sample of each category to its URL, signed with the real secret, and
shows the response of your program. The exit code is 1 if your program rejected
one.

  --category  only this category
  --json      print the response of the API
${CLIENT_HELP}

You can omit <id> (wh_…) if the account has one webhook.`

export async function testWebhook(
  options: Options<{ category?: string }>,
  env: NodeJS.ProcessEnv,
  id?: string,
): Promise<void> {
  if (options.category !== undefined && !(CATEGORIES as readonly string[]).includes(options.category))
    throw new ConfigError(`--category is "${options.category}": choose from ${CATEGORIES.join(', ')}.`)
  const client = await openClient(options, env)
  const webhook = id ?? (await onlyWebhook(client, '<id>'))
  const body = options.category === undefined ? {} : { category: options.category }
  const path = `/v1/webhooks/${encodeURIComponent(webhook)}/test`
  const tested = await client.call<{ data: TestResult[] }>('POST', path, body)
  printResult(options.json, tested, ({ data }) => (data.length === 0 ? 'The webhook has no URL.' : tableOfTests(data)))
  if (tested.data.some(result => !isTaken(result))) process.exitCode = 1
}

/** The account's only webhook. If it has several, the error asks for `name`. */
export async function onlyWebhook(client: GatewayClient, name: string): Promise<string> {
  const { data } = await client.call<{ data: Array<{ id: string }> }>('GET', '/v1/webhooks?limit=100')
  if (data.length === 1) return data[0]!.id
  if (data.length === 0)
    throw new ConfigError(
      `the account has no webhook. Create one: ${ownName()} webhooks create http://127.0.0.1:3000/webhooks`,
    )
  const ids = data.slice(0, 5).map(({ id }) => id)
  throw new ConfigError(
    `the account has ${data.length} webhooks: name one with ${name}, for example ${ids.join(', ')}.`,
  )
}
