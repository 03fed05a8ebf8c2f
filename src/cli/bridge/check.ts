import { ConfigError } from '../../boot/config-error.ts'
import { getOwn } from '../../runtime/get-own.ts'
import { withoutDevice } from '../../domain/jid.ts'
import { chooseSession } from '../choose-session.ts'
import type { GatewayClient } from '../gateway-client.ts'
import { type ChatwootApi, ChatwootRefusal } from './chatwoot-api.ts'
import type { BridgeSettings } from './settings.ts'

/** What the inbox says of itself. */
export interface InboxFacts {
  webhookUrl: string | null
  /** What Chatwoot signs webhooks with; it tells administrators alone, and only newer ones sign. */
  secret: string | null
}

const NEEDED = ['send', 'read', 'manage']

/** Which number it is; what is wrong with the key or the account is named. */
export async function checkGateway(
  client: GatewayClient,
  named: { flag: string | undefined; env: NodeJS.ProcessEnv },
): Promise<string> {
  const me = await client.call<{ account: { tos_accepted: boolean }; key: { scopes: string[] } | null }>(
    'GET',
    '/v1/me',
  )
  const missing = me.key === null ? [] : NEEDED.filter(scope => !me.key!.scopes.includes(scope))
  if (missing.length > 0)
    throw new ConfigError(
      `the gateway's key lacks the scope ${missing.join(' and ')}: the bridge sends, reads and listens. Make one with all of ${NEEDED.join(', ')} (postern keys create).`,
    )
  if (!me.account.tos_accepted)
    throw new ConfigError('the account has not accepted the terms of service: accept them in the portal first.')
  const session = await chooseSession(client, named)
  const shown = await client.call<{ id: string }>('GET', `/v1/sessions/${encodeURIComponent(session)}`)
  return withoutDevice(shown.id)
}

/** `undefined`: Chatwoot does not answer now. */
export async function checkInbox(
  api: ChatwootApi,
  settings: Pick<BridgeSettings, 'origin' | 'account' | 'inbox'>,
): Promise<InboxFacts | undefined> {
  try {
    const inbox = await api.inbox(settings.inbox)
    const type = getOwn(inbox, 'channel_type')
    if (type !== 'Channel::Api')
      throw new ConfigError(
        `--inbox: inbox ${settings.inbox} is of the type ${String(type ?? 'that nobody knows').slice(0, 40)}, not API. Add an inbox of the type API in Chatwoot (Settings, Inboxes, Add inbox, API), and name that one.`,
      )
    return { webhookUrl: textIn(inbox, 'webhook_url'), secret: textIn(inbox, 'secret') }
  } catch (error) {
    if (!(error instanceof ChatwootRefusal)) throw error
    if (error.status === 0 || error.status === 429 || error.status >= 500) return undefined
    throw new ConfigError(wrongWith(error.status, settings))
  }
}

function wrongWith(
  status: number,
  { origin, account, inbox }: Pick<BridgeSettings, 'origin' | 'account' | 'inbox'>,
): string {
  switch (status) {
    case 401:
      return `Chatwoot at ${origin} refuses CHATWOOT_TOKEN for account ${account} (401). Copy the access token of a user who is in that account and in the inbox (Profile settings, Access token).`
    case 403:
      return `the user of CHATWOOT_TOKEN may not see inbox ${inbox} of account ${account} (403). Add the user to the inbox.`
    case 404:
      return `account ${account} of Chatwoot at ${origin} has no inbox ${inbox} (404). Both numbers are in the address of the inbox's settings: /app/accounts/ACCOUNT/settings/inboxes/INBOX.`
    default:
      return `Chatwoot at ${origin} answered ${status} for inbox ${inbox}. Is --chatwoot its address?`
  }
}

const textIn = (json: Record<string, unknown>, name: string): string | null => {
  const value = getOwn(json, name)
  return typeof value === 'string' && value !== '' ? value : null
}
