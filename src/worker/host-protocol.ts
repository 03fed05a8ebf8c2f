import type { StoreHandle } from '../store/store.ts'
import type { HostIdentity } from '../store/hosting/hosting.ts'
import type { HostConfig, HostMetrics } from './deps.ts'

/** The data that a host's thread starts with. */
export interface HostStart {
  identity: HostIdentity
  store: StoreHandle
  secretKeys: Uint8Array[]
  platformIdKey: string
  config: HostConfig
}

export type ToHost = { stop: true }

/** Sums since the last message. */
export interface MetricSums {
  stanzas: Array<[...Parameters<HostMetrics['stanza']>, number]>
  commands: Array<[...Parameters<HostMetrics['command']>, number]>
  held: Array<[...Parameters<HostMetrics['held']>, number]>
  links: Array<[...Parameters<HostMetrics['link']>, number]>
  flags: Array<[...Parameters<HostMetrics['flag']>, number]>
  addressed: Array<[...Parameters<HostMetrics['addressed']>, number]>
  errors: Array<[...Parameters<HostMetrics['error']>, number]>
  sessions: Parameters<HostMetrics['sessions']> | null
}

export type FromHost = { ready: true } | MetricSums
