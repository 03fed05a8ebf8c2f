import type { Config } from '../config.ts'
import type { Context } from '../context.ts'
import type { CommandKind } from '../domain/command.ts'
import type { SessionState } from '../domain/session.ts'
import type { LINK_CHANGES } from '../observability/metrics.ts'
import type { AddressedOutcome } from '../platform/platform.ts'
import type { Store } from '../store/store.ts'

/** A link has come up, or down and how, or to its end. */
export type LinkStatus = (typeof LINK_CHANGES)[number]

export type StanzaOutcome = 'event' | 'receipt' | 'dropped'

/** What happens in a host that `/metrics` shows. A host in a thread passes it on. */
export interface HostMetrics {
  stanza(outcome: StanzaOutcome, reason: string): void
  command(kind: CommandKind, outcome: string): void
  link(change: LinkStatus): void
  addressed(form: 'lid' | 'pn', outcome: AddressedOutcome): void
  /** How many numbers are in which state, and the part of the time since the last call that their thread worked. */
  sessions(counts: Record<SessionState, number>, busy: number): void
  /** A line of level error, by its name. */
  error(event: string): void
}

/** Only what a host needs: the rest holds secrets. */
const HOST_SETTINGS = [
  'leaseTtlMs',
  'outageMs',
  'maxSessions',
  'disconnectGraceMs',
  'ackTimeoutMs',
  'sendRetryDelaysMs',
  'allowedTargets',
  'passkey',
  'mode',
  'publicUrl',
  'whatsappRevision',
  'logLevel',
  'logFormat',
  'recordDir',
  'tracing',
] as const satisfies Array<keyof Config>

export type HostConfig = Pick<Config, (typeof HOST_SETTINGS)[number]>

export const hostConfigOf = (config: HostConfig): HostConfig =>
  Object.fromEntries(HOST_SETTINGS.map(name => [name, config[name]])) as unknown as HostConfig

/** The repositories of everything that runs in a host; each class names those that it uses itself. */
export type HostStore = Pick<
  Store,
  | 'commands'
  | 'devices'
  | 'hosting'
  | 'inbox'
  | 'leases'
  | 'messages'
  | 'nodes'
  | 'pairings'
  | 'platformVersions'
  | 'requests'
  | 'retention'
  | 'sessions'
  | 'signals'
  | 'simulator'
  | 'traces'
  | 'uploads'
>

/** What hosting needs of the context, in whichever thread it runs. */
export interface HostDeps extends Pick<Context, 'seal' | 'clock' | 'log' | 'tracing'> {
  store: HostStore
  config: HostConfig
  metrics: HostMetrics
}
