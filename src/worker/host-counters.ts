import type { Context } from '../context.ts'
import type { HostFigures } from '../observability/metrics.ts'
import type { CommandKind } from '../domain/command.ts'
import type { HoldReason } from '../domain/pace.ts'
import type { PlatformName, SessionState } from '../domain/session.ts'
import type { PlatformFlag } from '../domain/platform-flags.ts'
import type { AddressedOutcome } from '../platform/platform.ts'
import type { HostMetrics, LinkStatus, StanzaOutcome } from './deps.ts'

/** Reasons in one registry: senders choose the kinds of stanzas. */
const MAX_REASONS = 200

/** Counts into the registry of a context, one at a time or the sums of a thread. */
export class HostCounters implements HostMetrics {
  readonly #metrics: Context['metrics']
  readonly #platform: PlatformName
  readonly #figures: HostFigures

  constructor(metrics: Context['metrics'], platform: PlatformName) {
    this.#metrics = metrics
    this.#platform = platform
    this.#figures = { platform, sessions: {}, busy: 0 }
    metrics.hosts.add(this.#figures)
  }

  stanza(outcome: StanzaOutcome, reason: string, n = 1): void {
    this.#metrics.stanzas.inc({ outcome, reason: this.#labelOf(reason) }, n)
  }

  command(kind: CommandKind, outcome: string, n = 1): void {
    this.#metrics.commands.inc({ kind, outcome }, n)
  }

  held(because: HoldReason, n = 1): void {
    this.#metrics.held.inc({ because }, n)
  }

  link(change: LinkStatus, n = 1): void {
    this.#metrics.links.inc({ platform: this.#platform, change }, n)
  }

  flag(flag: PlatformFlag, n = 1): void {
    this.#metrics.flags.inc({ platform: this.#platform, flag }, n)
  }

  addressed(form: 'lid' | 'pn', outcome: AddressedOutcome, n = 1): void {
    this.#metrics.addressed.inc({ addressing: form, outcome }, n)
  }

  sessions(counts: Record<SessionState, number>, busy: number): void {
    Object.assign(this.#figures, { sessions: counts, busy })
  }

  error(event: string, n = 1): void {
    this.#metrics.errors.inc({ event }, n)
  }

  /** Removes the host and its numbers from the metrics. */
  end(): void {
    this.#metrics.hosts.delete(this.#figures)
  }

  #labelOf(reason: string): string {
    const { stanzaReasons } = this.#metrics
    if (!stanzaReasons.has(reason) && stanzaReasons.size >= MAX_REASONS) return 'other'
    stanzaReasons.add(reason)
    return reason
  }
}
