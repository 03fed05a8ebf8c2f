import type { Clock } from '../../runtime/clock.ts'
import type { BridgeLedger } from '../../store/bridge/bridge-ledger.ts'
import type { ChatwootApi } from './chatwoot-api.ts'
import { checkInbox, type InboxFacts } from './check.ts'
import type { Says } from './says.ts'
import type { BridgeSettings } from './settings.ts'

const ASKED_EVERY_MS = 60_000
const FACT = 'inbox_secret'

interface Parts {
  api: ChatwootApi
  ledger: BridgeLedger
  clock: Clock
  settings: BridgeSettings
  says: Says
}

/** What Chatwoot signs with, as it was told last: somebody may have it made anew. */
export class InboxSecret {
  readonly #parts: Parts
  #askedMs: number
  #isSaid = false

  constructor(parts: Parts) {
    this.#parts = parts
    this.#askedMs = parts.clock.monotonicMs()
  }

  /** `undefined`: Chatwoot does not answer now. */
  async learn(): Promise<InboxFacts | undefined> {
    const facts = await checkInbox(this.#parts.api, this.#parts.settings)
    // One that is known stays: that it is told no more does not mean that anybody is believed.
    if (facts?.secret) this.#parts.ledger.noteSecret(FACT, facts.secret)
    return facts
  }

  async current(isStale: boolean): Promise<string | null> {
    const now = this.#parts.clock.monotonicMs()
    if (isStale && now - this.#askedMs > ASKED_EVERY_MS) {
      this.#askedMs = now
      await this.learn().catch(() => undefined)
    }
    const known = this.#parts.ledger.secret(FACT) ?? null
    if (known === null) this.#sayUnsigned()
    return known
  }

  #sayUnsigned(): void {
    if (this.#isSaid) return
    this.#isSaid = true
    this.#parts.says.news(
      'unsigned',
      'Chatwoot tells no secret of the inbox: webhooks are believed by the secret in their path alone. A newer Chatwoot tells it to the token of an administrator.',
    )
  }
}
