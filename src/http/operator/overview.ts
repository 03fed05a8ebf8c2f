import { Type } from 'typebox'
import { MAX_SKEW_MS } from '../../runtime/database-clock.ts'
import type { Node } from '../../store/nodes/nodes.ts'
import { platformVersionSchema, readVersionsInUse, showVersion } from '../platform-versions.ts'
import { operatorRoute } from '../route.ts'
import { iso, isoOrNull, Nullable, Strict, Time } from '../schemas.ts'

export const getOverview = operatorRoute({
  method: 'GET',
  path: '/operator/overview',
  tag: 'Operator',
  summary:
    'Nodes, leases, queues, dead letters and what was received and given up; of each queue 20,000 are counted at most',
  description:
    'For a look at the whole gateway: what is due, what is stuck and who holds what. Metrics say the same as numbers over time.',
  status: 200,
  response: Strict({
    nodes: Type.Array(
      Strict({
        id: Type.String(),
        roles: Type.String(),
        address: Type.String(),
        version: Type.String(),
        clock_ahead_ms: Type.Integer({ description: 'How far its machine’s clock is ahead of the database’s.' }),
        started_at: Time,
        seen_at: Time,
      }),
    ),
    warnings: Type.Array(Type.String(), { description: 'What an operator should see to, in words.' }),
    platform_versions: Type.Array(platformVersionSchema, {
      description:
        'As which version of the web client numbers log in, of each network that has had numbers. Learnt when it became known here, or, of a built-in one, when it was released; confirmed when a source named it last; expires where the platform has said so.',
    }),
    leases: Type.Array(
      Strict({ resource: Type.String(), owner: Nullable(Type.String()), epoch: Type.Integer(), expires_at: Time }),
    ),
    commands: Strict({ due: Type.Integer(), oldest_due_at: Nullable(Time) }),
    deliveries: Strict({ queued: Type.Integer(), due: Type.Integer(), oldest_due_at: Nullable(Time) }),
    dead_letters: Type.Integer({ description: 'Of all accounts, those that were not delivered again.' }),
    poison: Strict(
      {
        total: Type.Integer(),
        numbers: Type.Array(Strict({ session_id: Type.String(), count: Type.Integer(), last_at: Time })),
      },
      {
        description:
          'Received and given up: what cannot be read at once, all else after three tries. Kept sealed for 30 days, of each number the latest 500 bodies. `numbers` lists the 100 with the most.',
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
