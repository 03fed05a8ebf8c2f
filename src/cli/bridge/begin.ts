import { randomBytes } from 'node:crypto'
import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../../runtime/clock.ts'
import { ConfigError } from '../../boot/config-error.ts'
import type { BridgeLedger } from '../../store/bridge/bridge-ledger.ts'
import type { GatewayClient } from '../gateway-client.ts'
import { EventReader, type Opened } from '../listen/event-reader.ts'
import { Bridge } from './bridge.ts'
import { ChatwootApi } from './chatwoot-api.ts'
import { checkGateway, type InboxFacts } from './check.ts'
import { enterLater, enterWebhook } from './enter-webhook.ts'
import { InboxSecret } from './inbox-secret.ts'
import type { Says } from './says.ts'
import type { BridgeOptions, BridgeSettings } from './settings.ts'

/** A weekend, and the days around it. */
const KEEP_HOURS = 168

interface Beginning {
  options: BridgeOptions
  env: NodeJS.ProcessEnv
  settings: BridgeSettings
  ledger: BridgeLedger
  says: Says
  reach: () => Promise<GatewayClient>
  ending: AbortController
}

interface Begun extends Beginning {
  api: ChatwootApi
  bridge: Bridge
  reader: EventReader
  inbox: InboxFacts | undefined
}

/** Whatever is wrong is said now. A bridge that has run before also begins while one of the sides is away. */
export async function begin(beginning: Beginning): Promise<Begun> {
  const { settings, ledger, says, reach, ending } = beginning
  const api = new ChatwootApi(settings)
  const inboxSecret = new InboxSecret({ api, ledger, clock: systemClock, settings, says })
  const before = ledger.fact('session')
  const inbox = await inboxSecret.learn()
  if (inbox === undefined) {
    if (before === undefined)
      throw new ConfigError(`no Chatwoot answers at ${settings.origin}. Is CHATWOOT_URL its address?`)
    says.news('chatwoot_away', 'Chatwoot does not answer; what is for it waits.')
  }
  const session = await sessionOf(beginning, before)
  bind(ledger, `${settings.origin} ${settings.account} ${settings.inbox}`, session)
  const secret = ledger.secret('path') ?? randomBytes(24).toString('base64url')
  ledger.noteSecret('path', secret)
  const signedWith = (isStale: boolean) => inboxSecret.current(isStale)
  const bridge = new Bridge({
    settings,
    ledger,
    api,
    reach,
    session,
    secret,
    signedWith,
    says,
    clock: systemClock,
    ending,
  })
  return { ...beginning, api, bridge, inbox, reader: await openReader(beginning) }
}

async function sessionOf({ options, env, reach, says }: Beginning, before: string | undefined): Promise<string> {
  try {
    const client = await reach()
    // One that is not there answers nothing, whatever it is asked.
    if (before === undefined || (await client.ask('GET', '/healthz')) !== undefined)
      return await checkGateway(client, { flag: options.session ?? before, env })
    says.news('gateway_away', 'The gateway does not answer; waiting for it.')
  } catch (error) {
    if (before === undefined || !(error instanceof ConfigError) || !error.message.startsWith('no gateway runs'))
      throw error
    says.news('gateway_away', 'No gateway runs here; waiting for it.')
  }
  return before
}

/** What a ledger holds is true of one inbox and one number. */
function bind(ledger: BridgeLedger, inbox: string, session: string): void {
  const [inboxBefore, sessionBefore] = [ledger.fact('inbox'), ledger.fact('session')]
  if (inboxBefore !== undefined && inboxBefore !== inbox)
    throw new ConfigError(`--data is the folder of another inbox (${inboxBefore}). Give this one a folder of its own.`)
  if (sessionBefore !== undefined && sessionBefore !== session)
    throw new ConfigError(
      `--data is the folder of another number (${sessionBefore}). Give this one a folder of its own.`,
    )
  ledger.commit(() => {
    ledger.note('inbox', inbox)
    ledger.note('session', session)
  })
}

/** Goes on with the listener of the last run, behind what is on disk. */
async function openReader({ ledger, says, reach, ending }: Beginning): Promise<EventReader> {
  const keep = ({ id, cursor, secret }: Opened): void =>
    ledger.commit(() => {
      ledger.noteSecret('listener', JSON.stringify({ id, secret }))
      ledger.note('cursor', cursor)
    })
  const news = {
    away: () => says.news('gateway_away', 'The gateway does not answer; waiting for it.'),
    back: () => says.news('gateway_back', 'The gateway is back.'),
    missed: (count: number | null) => says.news('missed', missedWords(count)),
    opened: keep,
  }
  const reader = new EventReader(reach, { clock: systemClock, news, signal: ending.signal, keepHours: KEEP_HOURS })
  const [listener, cursor] = [ledger.secret('listener'), ledger.fact('cursor')]
  if (listener === undefined || cursor === undefined) await reader.open()
  else reader.resume({ ...(JSON.parse(listener) as Pick<Opened, 'id' | 'secret'>), cursor })
  return reader
}

const missedWords = (count: number | null): string =>
  count === null
    ? 'The bridge was away for too long: messages since then may be missing in Chatwoot. They are on the phone.'
    : `${count} events were dropped before the bridge came: messages may be missing in Chatwoot. They are on the phone.`

function keptWords(ledger: BridgeLedger): string {
  const kept = ledger.givenUp()
  return kept === 0 ? '' : `, ${kept} were given up and are kept (--retry tries them again)`
}

/** Serves, says where, and works until it is ended. */
export async function runBridge({ api, bridge, reader, settings, ledger, says, inbox, ending }: Begun): Promise<void> {
  const { server, url } = await bridge.serve()
  try {
    if (settings.retry) says.news('retried', `Tried again of what was given up: ${ledger.bringBack()}.`)
    const path = join(settings.dataDir, 'webhook-url')
    // The mode is that of a new file alone.
    writeFileSync(`${path}.new`, `${url}\n`, { mode: 0o600 })
    renameSync(`${path}.new`, path)
    const parts = { api, inbox: settings.inbox, url }
    const isThere = inbox?.webhookUrl === url
    const isEntered = isThere || !settings.setWebhook || (await enterWebhook(parts))
    if (!isThere && !settings.setWebhook && inbox !== undefined)
      says.news(
        'webhook_url',
        `In Chatwoot the inbox has another webhook URL: enter the one in ${path}, or add --set-webhook.`,
      )
    says.news(
      'ready',
      `The bridge runs at ${new URL(url).origin}; ${ledger.waiting()} wait from before${keptWords(ledger)}. Ctrl-C ends it.`,
    )
    const work = bridge.run(reader)
    if (!isEntered) await enterLater(parts, { says, clock: systemClock, signal: ending.signal })
    await work
  } finally {
    ending.abort()
    server.close()
    server.closeAllConnections()
  }
}
