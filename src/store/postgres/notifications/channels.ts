import { parseLane, shardOf } from '../../../domain/delivery.ts'
import { type LeaseName, sessionLease, shardLease, SIMULATOR_LEASE } from '../../../domain/lease.ts'
import type { Signal, Topic } from '../../signals.ts'

/**
 * Where a signal is sent: to the owner of a lease, to one process, or to the channel of its topic, which every process with
 * a listener for it has subscribed to.
 */
export type Target =
  | { kind: 'owner'; lease: LeaseName; orElse: Signal | null }
  | { kind: 'process'; address: string }
  | { kind: 'all' }

export function targetOf(signal: Signal): Target {
  switch (signal.about) {
    case 'commands':
    case 'requests':
      return { kind: 'owner', lease: sessionLease(signal.sessionId), orElse: null }
    // A number without an owner is free: any host may take it.
    case 'sessions':
      return { kind: 'owner', lease: sessionLease(signal.sessionId), orElse: { about: 'hosts' } }
    case 'deliveries':
      return { kind: 'owner', lease: shardLease(shardOf(parseLane(signal.lane).webhookId)), orElse: null }
    case 'webhooks':
      return { kind: 'owner', lease: shardLease(shardOf(signal.webhookId)), orElse: null }
    case 'sandbox_requests':
      return { kind: 'owner', lease: SIMULATOR_LEASE, orElse: null }
    case 'answers':
      return { kind: 'process', address: signal.to }
    case 'shards':
    case 'replays':
    case 'erasures':
    case 'nodes':
    case 'keys':
    case 'pairings':
    case 'listened':
    case 'hosts':
      return { kind: 'all' }
    default: {
      const never: never = signal
      return never
    }
  }
}

const TOPICS_FOR_ALL: readonly Topic[] = [
  'shards',
  'replays',
  'erasures',
  'nodes',
  'keys',
  'pairings',
  'listened',
  'hosts',
]

export const isForAll = (topic: Topic): boolean => TOPICS_FOR_ALL.includes(topic)

/** Channel names are SQL identifiers; addresses and topics need no quoting. */
export const channelOf = (addressOrTopic: string): string => `postern_${addressOrTopic}`
