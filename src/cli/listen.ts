import { systemClock } from '../runtime/clock.ts'
import { ConfigError } from '../boot/config-error.ts'
import type { GatewayEvent } from '#listener/event-reader'
import { jsonLineOf, lineOf } from './event-lines.ts'
import { openReader, withListenerErrors } from './follow.ts'
import { forward, forwardedLine } from './forward.ts'
import { CLIENT_HELP, type ClientOptions, openSdk } from './gateway-client.ts'
import { nearest } from './nearest.ts'
import { EVENT_KINDS, type EventKind } from '../domain/event.ts'

export const listenHelp = `postern listen [--forward-to URL] [--events message,receipt] [--json]
               [--endpoint ep_…]
               [--url http://…] [--key ptn_…] [--account acc_…]

Prints each event of the account as it happens, without a webhook URL or a
tunnel. With --forward-to it posts each event to your program like a webhook,
with the same bytes, headers and a signature, one after the other, and prints
the response and its latency. It does not retry events that your program
rejects.

The command waits while the gateway is unreachable. It then prints the events of
up to an hour, each once. It ends with Ctrl-C.

With --endpoint it prints the events of a pull endpoint and acknowledges them:
first those that the endpoint has kept while no program read them.

  --forward-to  the URL of your program, such as http://127.0.0.1:3000/webhooks
  --events      only these kinds: ${EVENT_KINDS.slice(0, 4).join(', ')},
                ${EVENT_KINDS.slice(4).join(', ')}
  --endpoint    the id of a pull endpoint (postern endpoints create --pull)
  --json        print each event and its outcome as one line of JSON
${CLIENT_HELP}`

interface Options extends ClientOptions {
  'forward-to'?: string
  events?: string
  endpoint?: string
  json?: boolean
}

export async function listen(options: Options, env: NodeJS.ProcessEnv): Promise<void> {
  const kinds = kindsOf(options.events)
  const url = targetOf(options['forward-to'])
  const { endpoint } = options
  if (endpoint !== undefined && (kinds !== null || url !== null))
    throw new ConfigError(
      '--endpoint has its own kinds of events and forwards nothing: leave out --events and --forward-to.',
    )
  const ending = new AbortController()
  const end = (): void => ending.abort()
  let gateway = ''
  const connect = async () => {
    const found = await openSdk(options, env)
    gateway = found.url
    return found
  }
  await withListenerErrors(async () => {
    const reader = await openReader(connect, ending.signal, missedText, { kinds, endpoint })
    const { id, secret } = await reader.open()
    process.on('SIGINT', end).on('SIGTERM', end)
    console.error(`Listening at ${gateway}. Press Ctrl-C to stop.`)
    if (url !== null) console.error(`Forwarding to ${url}, signed with ${secret} (the same every time).`)
    const target = url === null ? null : { url, secret, listenerId: id, clock: systemClock }
    try {
      for await (const event of reader.events()) await print(event, target, options.json === true)
    } finally {
      process.off('SIGINT', end).off('SIGTERM', end)
      await reader.close()
    }
  })
}

async function print(event: GatewayEvent, target: Parameters<typeof forward>[0] | null, json: boolean): Promise<void> {
  if (!json) console.log(lineOf(event))
  const forwarded = target === null ? null : await forward(target, event)
  if (json) console.log(jsonLineOf(event, forwarded === null ? {} : { forwarded }))
  else if (forwarded !== null) console.log(forwardedLine(forwarded))
}

const missedText = (count: number | null): string =>
  count === null
    ? 'Events of the last hour or more may be missing.'
    : `The gateway dropped ${count} events before they were read.`

function kindsOf(list: string | undefined): EventKind[] | null {
  if (list === undefined) return null
  const kinds = list.split(',').flatMap(kind => kind.trim() || [])
  const wrong = kinds.find(kind => !(EVENT_KINDS as string[]).includes(kind))
  if (wrong !== undefined) {
    const meant = nearest(wrong, EVENT_KINDS)
    const guess = meant === undefined ? '' : ` Did you mean ${meant}?`
    throw new ConfigError(`--events names "${wrong}": choose from ${EVENT_KINDS.join(', ')}.${guess}`)
  }
  return kinds as EventKind[]
}

function targetOf(url: string | undefined): string | null {
  if (url === undefined) return null
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url
  throw new ConfigError('--forward-to is not an address such as http://127.0.0.1:3000/webhooks.')
}
