import { Type } from 'typebox'
import { replayDeliveries as replay } from '../../actions/change-deliveries.ts'
import { type TestResult, testWebhook as test } from '../../actions/test-webhook.ts'
import { notFound } from '../../domain/errors.ts'
import { CATEGORIES } from '../../domain/event.ts'
import type { Replay } from '../../store/replays/replays.ts'
import type { Identity } from '../identity.ts'
import type { Deps } from '../deps.ts'
import { route } from '../route.ts'
import { ById, iso, Nullable, OneOf, Strict, Time } from '../schemas.ts'
import { FailureKind, timeOf } from './deliveries.ts'
import { ownWebhook } from './webhooks.ts'

export const TestResults = Strict({
  data: Type.Array(
    Strict({
      category: OneOf(CATEGORIES),
      url: Type.String(),
      http_status: Nullable(Type.Integer()),
      latency_ms: Type.Integer(),
      response_excerpt: Type.String(),
      error: Type.Optional(Type.String({ description: 'What went wrong, in words; absent for a 2xx.' })),
      error_kind: Type.Optional(FailureKind),
    }),
  ),
})

export const showTestResult = (result: TestResult) => ({
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
  summary: 'Send a sample payload to each endpoint, or to one, and see what it answers',
  description:
    'Signed with the real secret unless `sign` is false. Test sends are not part of the history. An account starts tests and replays at most 30 at once, and one each second after that.',
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

const ReplaySchema = Strict({
  id: Type.String(),
  webhook_id: Type.String(),
  status: OneOf(['dead', 'failed'] as const, {
    description: 'Dead letters are sent again; failed deliveries, which wait for their next attempt, are tried now.',
  }),
  state: OneOf(['running', 'done', 'cancelled'] as const),
  total: Type.Integer({
    description:
      'Deliveries found when the job was made. Of more than 1,000 dead letters the rest is added as it is found.',
  }),
  done: Type.Integer({ description: 'Those of them that are in the queue by now.' }),
  delivered: Nullable(Type.Integer({ description: 'Of those in the queue the ones that have arrived.' })),
  failed: Nullable(
    Type.Integer({ description: 'Those that are dead again, each in the place of its first dead letter.' }),
  ),
  pending: Nullable(
    Type.Integer({
      description:
        'Those that are still tried. All three are null of a job over failed deliveries, and once a later job of the webhook has begun.',
    }),
  ),
  created_at: Time,
  updated_at: Time,
})

async function showReplay({ store }: Deps, job: Replay) {
  const outcome = await store.replays.readReplayOutcome(job)
  return {
    id: job.id,
    webhook_id: job.webhookId,
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

export const replayWebhook = route({
  method: 'POST',
  path: '/v1/webhooks/:id/replay',
  tag: 'Webhooks',
  summary: 'Send dead letters again, as a job that can be watched and cancelled',
  description:
    'Each dead letter becomes one new delivery, unless one of its event is on its way. With `status` `failed`, deliveries that wait for their next attempt are tried now instead. One job of a webhook runs at a time: a second one is 400 and names the first. Of an account five run at a time.',
  scope: 'manage',
  params: ById,
  body: Strict({
    since: Type.Optional(Type.String({ maxLength: 40 })),
    until: Type.Optional(Type.String({ maxLength: 40 })),
    status: Type.Optional(Type.String({ maxLength: 20, description: 'dead (default) or failed.' })),
  }),
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

const ReplayById = Strict({ id: Type.String(), replay_id: Type.String() })

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
  summary: 'How far a replay job is',
  description:
    'How many were found and put into the queue, and what became of them: delivered, failed again, still pending.',
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
  summary: 'Stop a replay job; what is in the queue by now is still sent',
  description: 'One that is done stays as it is.',
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
