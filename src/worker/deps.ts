import type { Config } from '../config.ts'
import type { Context } from '../context.ts'
import type { CommandKind } from '../domain/command.ts'
import type { HoldReason } from '../domain/pace.ts'
import type { SessionState } from '../domain/session.ts'
import type { LINK_CHANGES } from '../observability/metrics.ts'
import type { PlatformFlag } from '../domain/platform-flags.ts'
import type { AddressedOutcome } from '../platform/platform.ts'
import type { Store } from '../store/store.ts'

/** How a link changed: open, closed and why, or ended. */
export type LinkStatus = (typeof LINK_CHANGES)[number]

export type StanzaOutcome = 'event' | 'receipt' | 'dropped'

/** The metrics of a host. A host in a separate thread sends them to the main thread. */
export interface HostMetrics {
  stanza(outcome: StanzaOutcome, reason: string): void
  command(kind: CommandKind, outcome: string): void
  /** A chat's messages wait because of the number's pace. */
  held(because: HoldReason): void
  link(change: LinkStatus): void
  flag(flag: PlatformFlag): void
  addressed(form: 'lid' | 'pn', outcome: AddressedOutcome): void
  /** The numbers by state, and the share of the time since the last call in which their thread was busy. */
  sessions(counts: Record<SessionState, number>, busy: number): void
  /** A log line of level error, by its event. */
  error(event: string): void
}

/** The settings that a host needs; others hold secrets. */
const HOST_SETTINGS = [
  'leaseTtlMs',
  'outageMs',
  'maxSessions',
  'disconnectGraceMs',
  'ackTimeoutMs',
  'checksPerDay',
  'sendRetryDelaysMs',
  'allowedTargets',
  'passkey',
  'mode',
  'publicUrl',
  'whatsappRevision',
  'logLevel',
  'logFormat',
  'recordDir',
  'mediaDir',
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
  | 'endpoints'
  | 'hosting'
  | 'inbox'
  | 'leases'
  | 'media'
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

/** The part of the context that a host needs, in either thread. */
export interface HostDeps extends Pick<Context, 'seal' | 'mediaFiles' | 'platformIds' | 'clock' | 'log' | 'tracing'> {
  store: HostStore
  config: HostConfig
  metrics: HostMetrics
}
