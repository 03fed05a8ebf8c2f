import type { PosternClient } from '#sdk'
import { BridgeError } from './bridge-error.ts'
import { field } from './json.ts'
import { withoutDevice } from './jid.ts'
import { type ChatwootApi, ChatwootError } from './chatwoot-api.ts'
import type { BridgeSettings } from './settings.ts'

/** What Chatwoot reports about the inbox. */
export interface InboxFacts {
  webhookUrl: string | null
  /** The key that signs webhooks. Only newer versions sign, and only administrators may read it. */
  secret: string | null
}

const NEEDED = ['send', 'read', 'manage']

/** Checks the key and the account, and returns the session of the bridge. */
export async function checkGateway(client: PosternClient, chooseSession: () => Promise<string>): Promise<string> {
  const me = await client.me()
  const scopes: readonly string[] | undefined = me.key?.scopes
  const missing = scopes === undefined ? [] : NEEDED.filter(scope => !scopes.includes(scope))
  if (missing.length > 0)
    throw new BridgeError(
      `the gateway's key lacks the scope ${missing.join(' and ')}: the bridge sends, reads and listens. Make one with all of ${NEEDED.join(', ')} (postern keys create).`,
    )
  if (!me.account.tos_accepted)
    throw new BridgeError('the account has not accepted the terms of service: accept them in the portal first.')
  const { id } = await client.sessions.get(await chooseSession())
  return withoutDevice(id)
}

/** `undefined` if Chatwoot does not respond now. */
export async function checkInbox(
  api: ChatwootApi,
  settings: Pick<BridgeSettings, 'origin' | 'account' | 'inbox'>,
): Promise<InboxFacts | undefined> {
  try {
    const inbox = await api.inbox(settings.inbox)
    const type = field(inbox, 'channel_type')
    if (type !== 'Channel::Api')
      throw new BridgeError(
        `--inbox: inbox ${settings.inbox} is of the type ${String(type ?? 'unknown').slice(0, 40)}, not API. Add an inbox of the type API in Chatwoot (Settings, Inboxes, Add inbox, API), and name that one.`,
      )
    return { webhookUrl: textIn(inbox, 'webhook_url'), secret: textIn(inbox, 'secret') }
  } catch (error) {
    if (!(error instanceof ChatwootError)) throw error
    if (error.status === 0 || error.status === 429 || error.status >= 500) return undefined
    throw new BridgeError(wrongWith(error.status, settings))
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
  const value = field(json, name)
  return typeof value === 'string' && value !== '' ? value : null
}
