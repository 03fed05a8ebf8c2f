import { randomBytes } from 'node:crypto'
import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { EventReader, type Gateway, type Listener } from '#listener/event-reader'
import { PosternError } from '#sdk'
import { Bridge } from './bridge.ts'
import { BridgeError } from './bridge-error.ts'
import type { BridgeLog } from './bridge-log.ts'
import { ChatwootApi } from './chatwoot-api.ts'
import { checkGateway, type InboxFacts } from './check.ts'
import type { Clock } from './clock.ts'
import { enterLater, enterWebhook } from './enter-webhook.ts'
import { GatewayNotRunning } from './gateway.ts'
import { InboxSecret } from './inbox-secret.ts'
import type { BridgeLedger } from './ledger.ts'
import type { BridgeSettings } from './settings.ts'

/** The gateway keeps events for a week while the bridge does not read. */
const KEEP_HOURS = 168

export interface StartDeps {
  settings: BridgeSettings
  ledger: BridgeLedger
  log: BridgeLog
  clock: Clock
  /** Finds the gateway: after a restart it may have another address or token. */
  connect: () => Promise<Gateway>
  /** Returns the number that the user named, or the only one; `before` is the number of the last run. */
  chooseSession: (before: string | undefined) => Promise<string>
  ending: AbortController
}

export interface StartedBridge extends StartDeps {
  api: ChatwootApi
  bridge: Bridge
  reader: EventReader
  inbox: InboxFacts | undefined
}

/** Reports every wrong setting now. A bridge that has run before also starts while one of the sides is unreachable. */
export async function startBridge(deps: StartDeps): Promise<StartedBridge> {
  const { settings, ledger, log, clock, connect, ending } = deps
  const api = new ChatwootApi(settings)
  const inboxSecret = new InboxSecret({ api, ledger, clock, settings, log })
  const before = ledger.fact('session')
  const inbox = await inboxSecret.learn()
  if (inbox === undefined) {
    if (before === undefined)
      throw new BridgeError(`no Chatwoot answers at ${settings.origin}. Is CHATWOOT_URL its address?`)
    log.warn('chatwoot_away', 'Chatwoot does not answer; what is for it waits.')
  }
  const session = await sessionOf(deps, before)
  bind(ledger, `${settings.origin} ${settings.account} ${settings.inbox}`, session)
  const secret = ledger.secret('path') ?? randomBytes(24).toString('base64url')
  ledger.setSecret('path', secret)
  const signedWith = (isStale: boolean) => inboxSecret.current(isStale)
  const bridge = new Bridge({ settings, ledger, api, connect, session, secret, signedWith, log, clock, ending })
  return { ...deps, api, bridge, inbox, reader: await openReader(deps) }
}

async function sessionOf({ connect, chooseSession, log }: StartDeps, before: string | undefined): Promise<string> {
  try {
    const { client } = await connect()
    return await checkGateway(client, () => chooseSession(before))
  } catch (error) {
    if (before === undefined) throw error
    if (error instanceof GatewayNotRunning) log.warn('gateway_away', 'No gateway runs here; waiting for it.')
    else if (error instanceof PosternError && error.status === 0)
      log.warn('gateway_away', 'The gateway does not answer; waiting for it.')
    else throw error
    return before
  }
}

/** A ledger belongs to one inbox and one number. */
function bind(ledger: BridgeLedger, inbox: string, session: string): void {
  const [inboxBefore, sessionBefore] = [ledger.fact('inbox'), ledger.fact('session')]
  if (inboxBefore !== undefined && inboxBefore !== inbox)
    throw new BridgeError(`--data is the folder of another inbox (${inboxBefore}). Give this one a folder of its own.`)
  if (sessionBefore !== undefined && sessionBefore !== session)
    throw new BridgeError(
      `--data is the folder of another number (${sessionBefore}). Give this one a folder of its own.`,
    )
  ledger.commit(() => {
    ledger.setFact('inbox', inbox)
    ledger.setFact('session', session)
  })
}

/** Continues with the listener of the last run, behind the events that are stored. */
async function openReader({ ledger, log, clock, connect, ending }: StartDeps): Promise<EventReader> {
  const reader = new EventReader({
    connect,
    sleep: (ms, signal) => clock.sleep(ms, signal),
    signal: ending.signal,
    keepHours: KEEP_HOURS,
    // Without typing and presence, so that the phones of the numbers keep their notifications.
    kinds: ['message', 'receipt', 'status'],
    onUnreachable: () => log.warn('gateway_away', 'The gateway does not answer; waiting for it.'),
    onReachable: () => log.warn('gateway_back', 'The gateway is back.'),
    onMissed: count => log.warn('missed', missedText(count)),
    onOpened: ({ id, cursor }) =>
      ledger.commit(() => {
        ledger.setSecret('listener', JSON.stringify({ id }))
        ledger.setFact('cursor', cursor)
      }),
  })
  const [listener, cursor] = [ledger.secret('listener'), ledger.fact('cursor')]
  if (listener === undefined || cursor === undefined) await reader.open()
  else reader.resume({ id: (JSON.parse(listener) as Listener).id, cursor })
  return reader
}

const missedText = (count: number | null): string =>
  count === null
    ? 'The bridge was away for too long: messages since then may be missing in Chatwoot. They are on the phone.'
    : `${count} events were dropped before the bridge came: messages may be missing in Chatwoot. They are on the phone.`

function abandonedText(ledger: BridgeLedger): string {
  const kept = ledger.countAbandoned()
  return kept === 0 ? '' : `, ${kept} were given up and are kept (--retry tries them again)`
}

/** Serves webhooks, logs the address, and works until it is stopped. */
export async function runBridge(started: StartedBridge): Promise<void> {
  const { api, bridge, reader, settings, ledger, log, clock, inbox, ending } = started
  const { server, url } = await bridge.serve()
  try {
    if (settings.retry) log.warn('retried', `Tried again of what was given up: ${ledger.restoreAbandoned()}.`)
    const path = join(settings.dataDir, 'webhook-url')
    // The mode applies only to a new file, so the bridge replaces the old one.
    writeFileSync(`${path}.new`, `${url}\n`, { mode: 0o600 })
    renameSync(`${path}.new`, path)
    const entry = { api, inbox: settings.inbox, url }
    const isThere = inbox?.webhookUrl === url
    const isEntered = isThere || !settings.setWebhook || (await enterWebhook(entry))
    if (!isThere && !settings.setWebhook && inbox !== undefined)
      log.warn(
        'webhook_url',
        `In Chatwoot the inbox has another webhook URL: enter the one in ${path}, or add --set-webhook.`,
      )
    log.warn(
      'ready',
      `The bridge runs at ${new URL(url).origin}; ${ledger.countWaiting()} wait from before${abandonedText(ledger)}. Ctrl-C ends it.`,
    )
    const work = bridge.run(reader)
    if (!isEntered) await enterLater(entry, { log, clock, signal: ending.signal })
    await work
  } finally {
    ending.abort()
    server.close()
    server.closeAllConnections()
  }
}
