import { Type } from '../type.ts'
import { replayDeliveries as replay } from '../../actions/change-deliveries.ts'
import { type TestResult as Tested, testWebhook as test } from '../../actions/test-webhook.ts'
import { notFound } from '../../domain/errors.ts'
import { CATEGORIES } from '../../domain/event.ts'
import type { Replay } from '../../store/replays/replays.ts'
import type { Identity } from '../identity.ts'
import type { Deps } from '../deps.ts'
import { route } from '../route.ts'
import { ById, iso, Nullable, OneOf, Strict, Time, upTo } from '../schemas.ts'
import { FailureKind, receiverOf, timeOf } from './deliveries.ts'
import { ownWebhook } from './webhooks.ts'

export const TestResult = Strict({
  category: OneOf(CATEGORIES),
  url: Type.String(),
  http_status: Nullable(Type.Integer()),
  latency_ms: Type.Integer(),
  response_excerpt: Type.String(),
  error: Type.Optional(Type.String({ description: 'The error, for people. Absent for a 2xx.' })),
  error_kind: Type.Optional(FailureKind),
})
export const TestResults = Strict({ data: upTo(CATEGORIES.length, TestResult) })

export const showTestResult = (result: Tested) => ({
  category: result.category,
  url: result.url,
  http_status: result.httpStatus,
  latency_ms: result.latencyMs,
  response_excerpt: result.excerpt,
  ...(result.error !== null && { error: result.error }),
  ...(result.errorKind !== null && { error_kind: result.errorKind }),
})

export const testWebhook = route({
  method: 'POST',
  path: '/v1/webhooks/:id/test',
  tag: 'Webhooks',
  summary: 'Send a sample payload to your endpoints and return their responses',
  description:
    'The gateway tests every endpoint, or only the one of `category`. It signs the sample with the real secret unless `sign` is false. Tests do not appear in the history. An account can start a burst of 30 tests and replays, then one per second.',
  scope: 'manage',
  params: ById,
  body: Strict({ category: Type.Optional(OneOf(CATEGORIES)), sign: Type.Optional(Type.Boolean({ default: true })) }),
  status: 200,
  response: TestResults,
  errors: [404],
  example: { body: { category: 'messages', sign: true } },
  async handler({ identity, params, body }, deps) {
    const webhook = await ownWebhook(deps, identity, params.id)
    deps.toolLimit.count(webhook.accountId)
    const results = await test(deps, webhook, {
      sign: body.sign ?? true,
      ...(body.category !== undefined && { category: body.category }),
    })
    return { data: results.map(showTestResult) }
  },
})

export const ReplaySchema = Strict({
  id: Type.String(),
  webhook_id: Nullable(Type.String({ description: 'Null for a job of an endpoint.' })),
  endpoint_id: Nullable(Type.String({ description: 'Null for a job of a webhook.' })),
  status: OneOf(['dead', 'failed'] as const, {
    description:
      'dead: the job sends dead letters again. failed: it retries failed deliveries now, before their next attempt is due.',
  }),
  state: OneOf(['running', 'done', 'cancelled'] as const),
  total: Type.Integer({
    description:
      'How many deliveries the job found when it was created. If there are more than 1,000 dead letters, the job adds the others as it finds them.',
  }),
  done: Type.Integer({ description: 'How many of them the job has queued.' }),
  delivered: Nullable(Type.Integer({ description: 'How many of the queued ones were delivered.' })),
  failed: Nullable(Type.Integer({ description: 'How many are dead again. Each replaces its first dead letter.' })),
  pending: Nullable(
    Type.Integer({
      description:
        'How many the gateway still tries to deliver. All three counts are null for a job over failed deliveries, and after a later job of the webhook has started.',
    }),
  ),
  created_at: Time,
  updated_at: Time,
})

export async function showReplay({ store }: Deps, job: Replay) {
  const outcome = await store.replays.readReplayOutcome(job)
  return {
    id: job.id,
    ...receiverOf(job),
    status: job.filter,
    state: job.state,
    total: job.total,
    done: job.done,
    delivered: outcome?.delivered ?? null,
    failed: outcome?.failed ?? null,
    pending: outcome?.pending ?? null,
    created_at: iso(job.createdAt),
    updated_at: iso(job.updatedAt),
  }
}

export const ReplayBody = Strict({
  since: Type.Optional(Type.String({ maxLength: 40 })),
  until: Type.Optional(Type.String({ maxLength: 40 })),
  status: Type.Optional(Type.String({ maxLength: 20, description: '`dead` (the default) or `failed`.' })),
})

export const replayWebhook = route({
  method: 'POST',
  path: '/v1/webhooks/:id/replay',
  tag: 'Webhooks',
  summary: 'Start a job that sends dead letters again',
  description:
    'The job creates one new delivery for each dead letter, unless another delivery of its event is queued or in progress. If you set `status` to `failed`, it creates no deliveries: it makes the next attempt of the waiting deliveries now. A webhook runs one job at a time: for a second one the response is 400 and names the first. An account runs up to five jobs at a time.',
  scope: 'manage',
  params: ById,
  body: ReplayBody,
  status: 202,
  response: ReplaySchema,
  errors: [404],
  example: { body: { since: '2026-01-01T00:00:00Z' } },
  async handler({ identity, params, body }, deps) {
    const sinceMs = timeOf('since', body.since)
    const untilMs = timeOf('until', body.until)
    const webhook = await ownWebhook(deps, identity, params.id)
    deps.toolLimit.count(webhook.accountId)
    return await showReplay(
      deps,
      await replay(deps, webhook, {
        ...(sinceMs !== undefined && { sinceMs }),
        ...(untilMs !== undefined && { untilMs }),
        ...(body.status !== undefined && { status: body.status }),
      }),
    )
  },
})

export const ReplayById = Strict({ id: Type.String(), replay_id: Type.String() })

async function ownReplay(deps: Deps, identity: Identity, params: { id: string; replay_id: string }): Promise<Replay> {
  const webhook = await ownWebhook(deps, identity, params.id)
  const job = await deps.store.replays.getReplay(params.replay_id)
  if (job === undefined || job.webhookId !== webhook.id) throw notFound('replay')
  return job
}

export const getReplay = route({
  method: 'GET',
  path: '/v1/webhooks/:id/replay/:replay_id',
  tag: 'Webhooks',
  summary: 'Get the progress of a replay job',
  description:
    'The response counts the deliveries that the job found and queued, and how many of them are delivered, dead again or pending.',
  scope: 'read',
  params: ReplayById,
  status: 200,
  response: ReplaySchema,
  errors: [404],
  handler: async ({ identity, params }, deps) => await showReplay(deps, await ownReplay(deps, identity, params)),
})

export const cancelReplay = route({
  method: 'DELETE',
  path: '/v1/webhooks/:id/replay/:replay_id',
  tag: 'Webhooks',
  summary: 'Cancel a replay job',
  description: 'The gateway still sends the deliveries that the job has queued. A finished job does not change.',
  scope: 'manage',
  params: ReplayById,
  status: 200,
  response: ReplaySchema,
  errors: [404],
  async handler({ identity, params }, deps) {
    const job = await ownReplay(deps, identity, params)
    const cancelled = await deps.store.replays.cancelReplay(job.id)
    if (cancelled === undefined) throw notFound('replay')
    return await showReplay(deps, cancelled)
  },
})
