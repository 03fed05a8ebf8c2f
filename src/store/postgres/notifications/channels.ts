import { parseLane, shardOf } from '../../../domain/delivery.ts'
import { type LeaseName, sessionLease, shardLease, SIMULATOR_LEASE } from '../../../domain/lease.ts'
import type { Signal, Topic } from '../../signals.ts'

/**
 * How a signal finds those who wait for it: at whoever holds a lease, at one process, or on the topic's own channel, where
 * every process listens that has somebody waiting for it.
 */
export type Way =
  | { kind: 'holder'; lease: LeaseName; orElse: Signal | null }
  | { kind: 'process'; address: string }
  | { kind: 'all' }

export function wayOf(signal: Signal): Way {
  switch (signal.about) {
    case 'commands':
    case 'requests':
      return { kind: 'holder', lease: sessionLease(signal.sessionId), orElse: null }
    // A number that nobody holds is free to be taken.
    case 'sessions':
      return { kind: 'holder', lease: sessionLease(signal.sessionId), orElse: { about: 'hosts' } }
    case 'deliveries':
      return { kind: 'holder', lease: shardLease(shardOf(parseLane(signal.lane).webhookId)), orElse: null }
    case 'webhooks':
      return { kind: 'holder', lease: shardLease(shardOf(signal.webhookId)), orElse: null }
    case 'sandbox_requests':
      return { kind: 'holder', lease: SIMULATOR_LEASE, orElse: null }
    case 'answers':
      return { kind: 'process', address: signal.to }
    case 'shards':
    case 'replays':
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

const TOPICS_FOR_ALL: readonly Topic[] = ['shards', 'replays', 'keys', 'pairings', 'listened', 'hosts']

export const isForAll = (topic: Topic): boolean => TOPICS_FOR_ALL.includes(topic)

/** Names of channels are identifiers: addresses are ids, and topics words. */
export const channelOf = (addressOrTopic: string): string => `postern_${addressOrTopic}`
