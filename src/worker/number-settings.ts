import { aboutAutoReject } from '../domain/sealed.ts'
import type { SessionCallbacks } from '../platform/platform.ts'
import type { Store } from '../store/store.ts'
import type { HostedRow } from '../store/hosting/hosting.ts'
import type { HeldLease } from './held-lease.ts'
import type { HostDeps } from './deps.ts'

type SettingsDeps = Pick<HostDeps, 'seal' | 'log'> & { store: Pick<Store, 'sessions'> }

/** The account and the settings of a number, which change while it is hosted. */
export class NumberSettings {
  readonly #deps: SettingsDeps
  readonly #heldLease: HeldLease
  #row: HostedRow

  constructor(deps: SettingsDeps, heldLease: HeldLease, row: HostedRow) {
    this.#deps = deps
    this.#heldLease = heldLease
    this.#row = row
  }

  refresh(row: HostedRow): void {
    this.#row = row
  }

  get accountId(): string {
    return this.#row.accountId
  }

  get device(): number {
    return this.#row.device
  }

  get paceMs(): number {
    return this.#row.paceMs
  }

  get addressing(): ReturnType<SessionCallbacks['addressing']> {
    return this.#row.addressing
  }

  get appearsOnline(): boolean {
    const { appear, isWatched } = this.#row
    return appear === 'online' || (appear === 'auto' && isWatched === 1)
  }

  get restrictedUntil(): number | null {
    return this.#row.restrictedUntil
  }

  autoReject(): ReturnType<SessionCallbacks['autoReject']> {
    const { autoReject, autoRejectMessage: sealed } = this.#row
    if (autoReject !== 1) return null
    const about = aboutAutoReject(this.#heldLease.sessionId)
    return { message: sealed && this.#deps.seal.open(sealed, about).toString('utf8') }
  }

  /** The platform forbids the number to write to strangers until then. */
  async restrict(untilMs: number): Promise<void> {
    const { store, log } = this.#deps
    const { sessionId, lease } = this.#heldLease
    this.#row = { ...this.#row, restrictedUntil: untilMs }
    log.warn({ session: sessionId, until: untilMs }, 'session.restricted')
    await store.sessions.restrictSession({ lease, untilMs }).catch((error: unknown) => {
      log.error({ session: sessionId, err: error }, 'session.restrict_failed')
    })
  }
}
