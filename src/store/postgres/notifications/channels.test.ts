import { describe, expect, it } from 'vitest'
import { shardOf } from '../../../domain/delivery.ts'
import { shardLease } from '../../../domain/lease.ts'
import type { Signal } from '../../signals.ts'
import { isForAll, targetOf } from './channels.ts'

const shard = shardLease(shardOf('wh_1'))
const number = { kind: 'session', id: '1@s.whatsapp.net' }

describe('a notification goes', () => {
  it.each<[string, Signal, unknown]>([
    ['to a number’s host', { about: 'commands', sessionId: number.id }, { lease: number, orElse: null }],
    ['to a number’s host', { about: 'requests', sessionId: number.id }, { lease: number, orElse: null }],
    [
      'to a number’s host, or to all that might take it',
      { about: 'sessions', sessionId: number.id },
      { lease: number, orElse: { about: 'hosts' } },
    ],
    ['to the shard’s dispatcher', { about: 'deliveries', lane: 'wh_1:messages', dueAt: 1 }, { lease: shard }],
    ['to the shard’s dispatcher', { about: 'webhooks', webhookId: 'wh_1' }, { lease: shard }],
    ['to the sandbox network', { about: 'sandbox_requests' }, { lease: { kind: 'simulator', id: 'sandbox' } }],
    [
      'to the process that made the request',
      { about: 'answers', requestId: 'r', to: 'node_1' },
      { kind: 'process', address: 'node_1' },
    ],
    ['to all who keep keys', { about: 'keys', accountId: 'a' }, { kind: 'all' }],
    ['to all who pair', { about: 'pairings', pairingId: 'p' }, { kind: 'all' }],
    ['to all hosts', { about: 'hosts' }, { kind: 'all' }],
    ['to all dispatchers', { about: 'shards' }, { kind: 'all' }],
    ['to all dispatchers', { about: 'replays' }, { kind: 'all' }],
    ['to all processes', { about: 'erasures' }, { kind: 'all' }],
    ['to all processes', { about: 'nodes' }, { kind: 'all' }],
  ])('%s', (_, signal, way) => {
    expect(targetOf(signal)).toMatchObject(way as object)
    expect(isForAll(signal.about)).toBe(targetOf(signal).kind === 'all')
  })
})
