import { queryOptions } from '@tanstack/react-query'
import { ApiError, api, take } from './client.ts'
import { isoMoment } from '../moments.ts'
import type { Replay } from './records.ts'

export interface ReplayWish {
  status: 'dead' | 'failed'
  since: string
  until: string
}

const rangeOf = ({ status, since, until }: ReplayWish) => ({ status, since: isoMoment(since), until: isoMoment(until) })

/** How many deliveries a replay would send, by webhook and endpoint. */
export const replayableQuery = (wish: ReplayWish) =>
  queryOptions({
    queryKey: ['replayable', wish],
    queryFn: async () => (await take(api.GET('/v1/replayable', { params: { query: rangeOf(wish) } }))).data,
    staleTime: 0,
  })

/** The route of a job: webhooks and endpoints have the same ones. */
const jobOf = ({ id, webhook_id, endpoint_id }: Replay) =>
  endpoint_id === null
    ? { route: '/v1/webhooks/{id}/replay/{replay_id}' as const, path: { id: webhook_id ?? '', replay_id: id } }
    : { route: '/v1/endpoints/{id}/replay/{replay_id}' as const, path: { id: endpoint_id, replay_id: id } }

export const replayQuery = (job: Replay) =>
  queryOptions({
    queryKey: ['replay', job.id],
    queryFn: () => {
      const { route, path } = jobOf(job)
      return take(api.GET(route, { params: { path } }))
    },
    initialData: job,
    refetchInterval: ({ state }) => (state.data && isUnderWay(state.data) ? 500 : false),
  })

const startReplay = (id: string, wish: ReplayWish): Promise<Replay> => {
  const route = id.startsWith('ep_') ? '/v1/endpoints/{id}/replay' : '/v1/webhooks/{id}/replay'
  return take(api.POST(route, { params: { path: { id } }, body: rangeOf(wish) }))
}

const ROOM_AGAIN_MS = 1_000

/** Starts a job for each webhook or endpoint. An account runs only a few at a time, so the others start as those end. */
export async function startReplays(ids: readonly string[], wish: ReplayWish): Promise<Replay[]> {
  const jobs: Replay[] = []
  for (const id of ids) {
    const begin = (): Promise<Replay> =>
      startReplay(id, wish).catch(async (error: unknown) => {
        if (jobs.length === 0 || !(error instanceof ApiError) || error.status >= 500) throw error
        await new Promise(resolve => setTimeout(resolve, ROOM_AGAIN_MS))
        return await begin()
      })
    jobs.push(await begin())
  }
  return jobs
}

/** A job that has ended needs no cancelling. */
export async function cancelReplay(job: Replay): Promise<void> {
  try {
    const { route, path } = jobOf(job)
    await take(api.DELETE(route, { params: { path } }))
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 404) throw error
  }
}

/** A job is over when all its deliveries are. */
export const isUnderWay = (job: Replay): boolean => job.state === 'running' || (job.pending ?? 0) > 0

export interface Sum {
  total: number
  /** Deliveries that arrived or are dead again, and pending ones that are now due. */
  over: number
  delivered: number
  failed: number
  pending: number
  isKnown: boolean
}

const pendingOf = (job: Replay): number =>
  job.state === 'running' ? job.total - (job.delivered ?? 0) - (job.failed ?? 0) : (job.pending ?? 0)

export function sumOf(jobs: readonly Replay[]): Sum {
  const add = (pick: (job: Replay) => number) => jobs.reduce((sum, job) => sum + pick(job), 0)
  const isKnown = jobs.every(job => job.pending !== null)
  const [delivered, failed] = [add(job => job.delivered ?? 0), add(job => job.failed ?? 0)]
  const total = add(job => job.total)
  return {
    total,
    over: isKnown ? delivered + failed : add(job => job.done),
    delivered,
    failed,
    pending: add(pendingOf),
    isKnown,
  }
}
