import type { CommandKind } from '../domain/command.ts'
import type { HoldReason } from '../domain/pace.ts'
import type { SessionState } from '../domain/session.ts'
import type { PlatformFlag } from '../domain/platform-flags.ts'
import type { AddressedOutcome } from '../platform/platform.ts'
import type { FromHost, MetricSums } from './host-protocol.ts'
import type { HostMetrics, LinkStatus } from './deps.ts'

const FLUSH_MS = 500

/** Counts in a thread and posts the sums twice a second: a message for each would cost more than counting. */
export class MetricsRelay implements HostMetrics {
  readonly #post: (message: FromHost) => void
  readonly #stanzas = new Map<string, MetricSums['stanzas'][number]>()
  readonly #commands = new Map<string, MetricSums['commands'][number]>()
  readonly #addressed = new Map<string, MetricSums['addressed'][number]>()
  readonly #held = new Map<HoldReason, number>()
  readonly #links = new Map<LinkStatus, number>()
  readonly #flags = new Map<PlatformFlag, number>()
  readonly #errors = new Map<string, number>()
  #sessions: MetricSums['sessions'] = null
  /** The sessions that were posted last. */
  #posted = ''
  #timer: NodeJS.Timeout | undefined

  constructor(post: (message: FromHost) => void) {
    this.#post = post
  }

  stanza(outcome: 'event' | 'receipt' | 'dropped', reason: string): void {
    const name = `${outcome} ${reason}`
    const sum = this.#stanzas.get(name)
    if (sum === undefined) this.#stanzas.set(name, [outcome, reason, 1])
    else sum[2]++
    this.#flushSoon()
  }

  command(kind: CommandKind, outcome: string): void {
    const name = `${kind} ${outcome}`
    const sum = this.#commands.get(name)
    if (sum === undefined) this.#commands.set(name, [kind, outcome, 1])
    else sum[2]++
    this.#flushSoon()
  }

  held(because: HoldReason): void {
    this.#held.set(because, (this.#held.get(because) ?? 0) + 1)
    this.#flushSoon()
  }

  link(change: LinkStatus): void {
    this.#links.set(change, (this.#links.get(change) ?? 0) + 1)
    this.#flushSoon()
  }

  flag(flag: PlatformFlag): void {
    this.#flags.set(flag, (this.#flags.get(flag) ?? 0) + 1)
    this.#flushSoon()
  }

  addressed(form: 'lid' | 'pn', outcome: AddressedOutcome): void {
    const name = `${form} ${outcome}`
    const sum = this.#addressed.get(name)
    if (sum === undefined) this.#addressed.set(name, [form, outcome, 1])
    else sum[2]++
    this.#flushSoon()
  }

  error(event: string): void {
    this.#errors.set(event, (this.#errors.get(event) ?? 0) + 1)
    this.#flushSoon()
  }

  sessions(counts: Record<SessionState, number>, busy: number): void {
    const sessions: MetricSums['sessions'] = [counts, Math.round(busy * 100) / 100]
    const text = JSON.stringify(sessions)
    if (text === this.#posted) return
    this.#posted = text
    this.#sessions = sessions
    this.flush()
  }

  flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const [stanzas, commands] = [[...this.#stanzas.values()], [...this.#commands.values()]]
    const [links, addressed, errors] = [[...this.#links], [...this.#addressed.values()], [...this.#errors]]
    const [flags, held] = [[...this.#flags], [...this.#held]]
    this.#post({ stanzas, commands, held, links, flags, addressed, errors, sessions: this.#sessions })
    this.#stanzas.clear()
    this.#commands.clear()
    this.#held.clear()
    this.#links.clear()
    this.#flags.clear()
    this.#addressed.clear()
    this.#errors.clear()
    this.#sessions = null
  }

  #flushSoon(): void {
    this.#timer ??= setTimeout(() => this.flush(), FLUSH_MS)
  }
}
