import type { Config } from '../config.ts'
import type { Context } from '../context.ts'
import type { CommandKind } from '../domain/command.ts'
import type { PlatformName, SessionState } from '../domain/session.ts'
import type { ClosedKind } from '../platform/platform.ts'
import type { Store } from '../store/store.ts'
import { reasonLabel } from './reason-label.ts'

/** A link has come up, or down and how, or to its end. */
export type LinkStatus = ClosedKind | 'open' | 'logged_out'

/** What happens in a host that `/metrics` shows. A host in a thread passes it on. */
export interface HostMetrics {
  stanza(outcome: 'event' | 'receipt' | 'dropped', reason: string): void
  command(kind: CommandKind, outcome: string): void
  link(change: LinkStatus): void
  sessions(counts: Record<SessionState, number>): void
}

export type HostConfig = Pick<
  Config,
  | 'leaseTtlMs'
  | 'disconnectGraceMs'
  | 'ackTimeoutMs'
  | 'sendRetryDelaysMs'
  | 'allowedTargets'
  | 'mode'
  | 'publicUrl'
  | 'logLevel'
>

/** What hosting needs of the context, in whichever thread it runs. */
export interface HostParts extends Pick<Context, 'seal' | 'clock' | 'log'> {
  store: Pick<Store, 'commands' | 'hosting' | 'inbox' | 'leases' | 'nodes' | 'requests' | 'signals'>
  config: HostConfig
  metrics: HostMetrics
}

/** Counts into a context's registry. */
export function metricsOf(metrics: Context['metrics'], platform: PlatformName): HostMetrics {
  return {
    stanza: (outcome, reason) => metrics.stanzas.inc({ outcome, reason: reasonLabel(reason) }),
    command: (kind, outcome) => metrics.commands.inc({ kind, outcome }),
    link: change => metrics.links.inc({ platform, change }),
    sessions: counts => {
      for (const [state, n] of Object.entries(counts)) metrics.sessions.set({ platform, state }, n)
    },
  }
}
