import { BOUNDS } from '../../domain/bounds.ts'
import { Type } from '../type.ts'
import { MAX_SKEW_MS } from '../../runtime/database-clock.ts'
import type { Node } from '../../store/nodes/nodes.ts'
import { platformVersionSchema, readVersionsInUse, showVersion } from '../platform-versions.ts'
import { operatorRoute } from '../route.ts'
import { iso, isoOrNull, Nullable, Strict, Time, upTo } from '../schemas.ts'

export const getOverview = operatorRoute({
  method: 'GET',
  path: '/operator/overview',
  tag: 'Operator',
  summary: 'Get the state of the gateway: nodes, leases, queues and dead letters',
  description:
    'The response shows which work is due or stuck, and which node owns each lease. It counts up to 20,000 entries of each queue. Metrics have the same counts over time.',
  status: 200,
  response: Strict({
    nodes: upTo(
      BOUNDS.nodesShown,
      Strict({
        id: Type.String(),
        roles: Type.String(),
        address: Type.String(),
        version: Type.String(),
        clock_ahead_ms: Type.Integer({
          description: 'How far the clock of its machine is ahead of the clock of the database.',
        }),
        started_at: Time,
        seen_at: Time,
      }),
    ),
    warnings: upTo(BOUNDS.nodesShown, Type.String(), 'Problems that the operator should fix, for people.'),
    platform_versions: upTo(
      10,
      platformVersionSchema,
      'The version of WhatsApp Web that numbers log in with. There is one entry for each network that has had numbers.',
    ),
    leases: upTo(
      BOUNDS.leasesShown,
      Strict({ resource: Type.String(), owner: Nullable(Type.String()), epoch: Type.Integer(), expires_at: Time }),
    ),
    commands: Strict({ due: Type.Integer(), oldest_due_at: Nullable(Time) }),
    deliveries: Strict({ queued: Type.Integer(), due: Type.Integer(), oldest_due_at: Nullable(Time) }),
    dead_letters: Type.Integer({
      description: 'How many dead letters all accounts have, without those whose events were delivered later.',
    }),
    poison: Strict(
      {
        total: Type.Integer(),
        numbers: upTo(100, Strict({ session_id: Type.String(), count: Type.Integer(), last_at: Time })),
      },
      {
        description:
          'Received items that the gateway stopped processing: unreadable ones immediately, all others after three attempts. It keeps them encrypted for 30 days, with the latest 500 bodies of each number. `numbers` lists the 100 numbers with the most.',
      },
    ),
  }),
  async handler(_request, deps) {
    const { store } = deps
    const [nodes, versions, leases, depth, deliveries, poison] = await Promise.all([
      store.nodes.listNodes(),
      readVersionsInUse(deps),
      store.leases.listLeases('session'),
      store.commands.readQueueDepth(),
      store.deliveries.readDeliveryDepth(),
      store.inbox.readPoison(),
    ])
    return {
      nodes: nodes.map(({ id, roles, address, version, clockAheadMs, startedAt, seenAt }) => ({
        id,
        roles,
        address,
        version,
        clock_ahead_ms: clockAheadMs,
        started_at: iso(startedAt),
        seen_at: iso(seenAt),
      })),
      warnings: nodes.flatMap(node => warnOfClock(node, deps.clock.now().getTime())),
      platform_versions: versions.map(showVersion),
      leases: leases.map(({ kind, id, owner, epoch, expiresAt }) => ({
        resource: `${kind}:${id}`,
        owner,
        epoch,
        expires_at: iso(expiresAt),
      })),
      commands: { due: depth.commands, oldest_due_at: isoOrNull(depth.oldestCommandDueAt) },
      deliveries: {
        queued: deliveries.queued,
        due: deliveries.due,
        oldest_due_at: isoOrNull(deliveries.oldestDueAt),
      },
      dead_letters: deliveries.deadLetters,
      poison: {
        total: poison.total,
        numbers: poison.numbers.map(({ sessionId, n, lastAt }) => ({
          session_id: sessionId,
          count: n,
          last_at: iso(lastAt),
        })),
      },
    }
  },
})

/** After this time without a heartbeat a node counts as gone, and its clock is ignored. */
const SILENT_MS = 60_000

function warnOfClock({ id, clockAheadMs, seenAt }: Node, nowMs: number): string[] {
  if (Math.abs(clockAheadMs) <= MAX_SKEW_MS || nowMs - seenAt > SILENT_MS) return []
  const way = clockAheadMs > 0 ? 'ahead of' : 'behind'
  const seconds = (Math.abs(clockAheadMs) / 1_000).toFixed(1)
  return [`The clock of ${id} is ${seconds} s ${way} the database’s. Let both machines follow NTP.`]
}
