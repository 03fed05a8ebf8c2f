import { ConfigError } from '../boot/config-error.ts'
import { chooseSession, SESSION_HELP } from './choose-session.ts'
import { CLIENT_HELP, type ClientOptions, type GatewayClient, openClient } from './gateway-client.ts'

export type NumberOptions<More = object> = ClientOptions & { session?: string; json?: boolean } & More

export interface PageOptions {
  limit?: string
  cursor?: string
}

export interface Page<T> {
  data: T[]
  next_cursor: string | null
}

export const NUMBER_USAGE = `[--session ID] [--json] [--url http://…] [--key ptn_…]
                  [--account acc_…]`

export const NUMBER_HELP = `${SESSION_HELP}
  --json      print the response of the API
${CLIENT_HELP}`

export const PAGE_HELP = `  --limit     how many to list, up to 100. Default: 50
  --cursor    the next page: the last line of the page before names it`

/** The API of one number of the account. */
export class NumberClient {
  readonly gateway: GatewayClient
  readonly session: string

  constructor(gateway: GatewayClient, session: string) {
    this.gateway = gateway
    this.session = session
  }

  /** `path` begins after the number: `/groups`. */
  call<T = Record<string, unknown>>(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<T> {
    return this.gateway.call<T>(method, `/v1/sessions/${encodeURIComponent(this.session)}${path}`, body, headers)
  }

  page<T, More = object>(path: string, { limit, cursor }: PageOptions): Promise<Page<T> & More> {
    const query = new URLSearchParams({
      ...(limit !== undefined && { limit }),
      ...(cursor !== undefined && { cursor }),
    }).toString()
    return this.call('GET', query === '' ? path : `${path}?${query}`)
  }
}

export async function openNumber(options: NumberOptions, env: NodeJS.ProcessEnv): Promise<NumberClient> {
  const gateway = await openClient(options, env)
  return new NumberClient(gateway, await chooseSession(gateway, { flag: options.session, env }))
}

/** A word of the command line as a segment of a path. An empty one or dots would name another route. */
export function segment(name: string, word: string): string {
  if (/^\.*$/.test(word.trim())) throw new ConfigError(`${name} is "${word}": give a JID or a phone number.`)
  return encodeURIComponent(word.trim())
}

/** The last line of a list that has a next page. */
export const nextPage = (command: string, { next_cursor }: Page<unknown>): string[] =>
  next_cursor === null ? [] : [`More: ${command} --cursor ${next_cursor}`]

export const keyHeader = (id: string | undefined): Record<string, string> =>
  id === undefined ? {} : { 'idempotency-key': id }

/** The texts between the commas of an option. */
export const between = (given: string): string[] => given.split(',').flatMap(each => each.trim() || [])
