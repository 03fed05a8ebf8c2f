import { systemClock } from '../runtime/clock.ts'
import { withSecretFiles } from '../boot/secret-files.ts'
import { secretKeys } from '../boot/secret-keys.ts'
import { makeBridgeFolder, openLedger } from '../store/bridge/open-ledger.ts'
import { Seal } from '../store/seal.ts'
import { begin, runBridge } from './bridge/begin.ts'
import { Says } from './bridge/says.ts'
import { BRIDGE_PORT, type BridgeOptions, readBridgeSettings } from './bridge/settings.ts'
import { SESSION_HELP } from './choose-session.ts'
import { CLIENT_HELP, openClient } from './gateway-client.ts'

export const bridgeChatwootHelp = `postern bridge chatwoot --chatwoot https://… --chatwoot-account N --inbox N
                        [--data FOLDER] [--groups] [--retry] [--json]
                        [--host 127.0.0.1] [--port ${BRIDGE_PORT}]
                        [--public-url https://…] [--set-webhook] [--session ID]
                        [--files-url http://…] [--files-host HOST]
                        [--timeout 20] [--grace 60] [--url http://…]
                        [--key ptn_…] [--account acc_…]

Carries messages between a number and an inbox of Chatwoot of the type API, both
ways, with files and receipts. It runs beside the gateway until Ctrl-C. What
comes is on disk before it is acknowledged: a kill loses nothing and doubles
nothing, and who is away is waited for.

In Chatwoot: add an inbox of the type API, copy the access token of an
administrator (Profile settings), and put
  CHATWOOT_URL=https://…  CHATWOOT_TOKEN=…  CHATWOOT_ACCOUNT=1
  CHATWOOT_INBOX=1
into the environment or .env. CHATWOOT_TOKEN_FILE names a file with the token
instead. docs/chatwoot.md has the rest.

  --chatwoot          where Chatwoot is, else CHATWOOT_URL
  --chatwoot-account  the number of the account there, else CHATWOOT_ACCOUNT
  --inbox             the number of the inbox, else CHATWOOT_INBOX
  --data              a folder for what it has to remember, ./bridge-chatwoot
                      where not given; one for each bridge
  --port, --host      where Chatwoot brings webhooks and the gateway fetches
                      files; port 0 picks a free one
  --public-url        the address of that, where it is another outside; with a
                      secret path behind it, it is the webhook URL of the inbox,
                      which the file webhook-url in --data holds
  --set-webhook       enter that address in Chatwoot; needs an administrator's
                      token
  --groups            groups too; each is a conversation
  --files-url         where the gateway reaches the bridge for files, where that
                      is not --public-url
  --files-host        besides Chatwoot, hosts that files of agents may be
                      fetched from, else CHATWOOT_FILES_HOST
  --timeout           seconds that Chatwoot may take for an answer
  --grace             seconds beyond that before what may have been posted there
                      is posted again, 60 where not given
  --retry             try what was given up before once more, ahead of what came
                      later in the same chat
  --json              what is done and what is wrong, as lines of JSON; never
                      content, numbers or secrets
${SESSION_HELP}
${CLIENT_HELP}`

export async function bridgeChatwoot(options: BridgeOptions, env: NodeJS.ProcessEnv): Promise<void> {
  const settings = readBridgeSettings(options, env)
  const says = new Says(options.json === true, systemClock)
  makeBridgeFolder(settings.dataDir)
  const keys = secretKeys(withSecretFiles(env)['POSTERN_SECRET_KEY'], false, settings.dataDir)
  const ledger = openLedger(settings.dataDir, { seal: new Seal(keys), clock: systemClock })
  const ending = new AbortController()
  const end = (): void => ending.abort()
  try {
    const begun = await begin({ options, env, settings, ledger, says, reach: () => openClient(options, env), ending })
    process.once('SIGINT', end).once('SIGTERM', end)
    await runBridge(begun)
  } finally {
    process.off('SIGINT', end).off('SIGTERM', end)
    ledger.close()
  }
}
