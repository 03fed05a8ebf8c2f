import type { Clock } from './clock.ts'
import type { BridgeLedger } from './ledger.ts'
import type { ChatwootApi } from './chatwoot-api.ts'
import { checkInbox, type InboxFacts } from './check.ts'
import type { BridgeLog } from './bridge-log.ts'
import type { BridgeSettings } from './settings.ts'

const REFRESH_MS = 60_000
const FACT = 'inbox_secret'

interface Deps {
  api: ChatwootApi
  ledger: BridgeLedger
  clock: Clock
  settings: Pick<BridgeSettings, 'origin' | 'account' | 'inbox'>
  log: BridgeLog
}

/** The key with which Chatwoot signs webhooks. An administrator may replace it. */
export class InboxSecret {
  readonly #deps: Deps
  #refreshedMs: number
  #isWarned = false

  constructor(deps: Deps) {
    this.#deps = deps
    this.#refreshedMs = deps.clock.monotonicMs()
  }

  /** `undefined` if Chatwoot does not respond now. */
  async learn(): Promise<InboxFacts | undefined> {
    const facts = await checkInbox(this.#deps.api, this.#deps.settings)
    // A known key stays when Chatwoot no longer reports it, so that unsigned webhooks are not accepted.
    if (facts?.secret) this.#deps.ledger.setSecret(FACT, facts.secret)
    return facts
  }

  async current(isStale: boolean): Promise<string | null> {
    const now = this.#deps.clock.monotonicMs()
    if (isStale && now - this.#refreshedMs > REFRESH_MS) {
      this.#refreshedMs = now
      await this.learn().catch(() => undefined)
    }
    const known = this.#deps.ledger.secret(FACT) ?? null
    if (known === null) this.#warnUnsigned()
    return known
  }

  #warnUnsigned(): void {
    if (this.#isWarned) return
    this.#isWarned = true
    this.#deps.log.warn(
      'unsigned',
      'Chatwoot tells no secret of the inbox: webhooks are believed by the secret in their path alone. A newer Chatwoot tells it to the token of an administrator.',
    )
  }
}
