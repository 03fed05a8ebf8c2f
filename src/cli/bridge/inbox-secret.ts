import type { Clock } from '../../clock.ts'
import type { BridgeLedger } from '../../store/bridge/bridge-ledger.ts'
import type { ChatwootApi } from './chatwoot-api.ts'
import { checkInbox, type InboxFacts } from './check.ts'
import type { BridgeSettings } from './settings.ts'

const ASKED_EVERY_MS = 60_000
const FACT = 'inbox_secret'

/** What Chatwoot signs with, as it was told last: somebody may have it made anew. */
export class InboxSecret {
  readonly #parts: { api: ChatwootApi; ledger: BridgeLedger; clock: Clock; settings: BridgeSettings }
  #askedMs: number

  constructor(parts: { api: ChatwootApi; ledger: BridgeLedger; clock: Clock; settings: BridgeSettings }) {
    this.#parts = parts
    this.#askedMs = parts.clock.monotonicMs()
  }

  /** `undefined`: Chatwoot does not answer now. */
  async learn(): Promise<InboxFacts | undefined> {
    const facts = await checkInbox(this.#parts.api, this.#parts.settings)
    if (facts !== undefined) this.#parts.ledger.noteSecret(FACT, facts.secret ?? '')
    return facts
  }

  async current(isStale: boolean): Promise<string | null> {
    const now = this.#parts.clock.monotonicMs()
    if (isStale && now - this.#askedMs > ASKED_EVERY_MS) {
      this.#askedMs = now
      await this.learn().catch(() => undefined)
    }
    return this.#parts.ledger.secret(FACT) || null
  }
}
