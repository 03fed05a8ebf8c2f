import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { api, take } from './client.ts'
import { isBetween, isoMoment } from '../moments.ts'
import { paging } from './paging.ts'
import type { LoggedRequest, RequestStatus } from './records.ts'

/** The filters of the API log; all of them are in the URL. */
export interface RequestFilter {
  key?: string
  status?: RequestStatus
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path?: string
  search?: string
  /** Without it the log hides successful reads. */
  reads?: 'show'
  since?: string
  until?: string
}

export const requestsQuery = (filter: RequestFilter) =>
  infiniteQueryOptions({
    queryKey: ['requests', filter],
    queryFn: ({ pageParam }) => take(api.GET('/v1/requests', { params: { query: toQuery(filter, pageParam) } })),
    ...paging,
  })

export const requestQuery = (id: string) =>
  queryOptions({
    queryKey: ['request', id],
    queryFn: () => take(api.GET('/v1/requests/{id}', { params: { path: { id } } })),
  })

function toQuery(filter: RequestFilter, cursor: string | undefined) {
  return {
    limit: 100,
    cursor,
    key_id: filter.key,
    status: filter.status,
    method: filter.method,
    path: filter.path,
    search: filter.search,
    reads: filter.reads ?? ('hide' as const),
    since: isoMoment(filter.since),
    until: isoMoment(filter.until),
  }
}

/** Whether a new request matches the current filters. */
export function matchesRequest(filter: RequestFilter, request: LoggedRequest): boolean {
  return (
    (filter.reads === 'show' || request.method !== 'GET' || request.status >= 400) &&
    (filter.key === undefined || filter.key === request.key_id) &&
    (filter.status === undefined || filter.status[0] === String(request.status)[0]) &&
    (filter.method === undefined || filter.method === request.method) &&
    (filter.path === undefined || request.path.includes(filter.path) || request.route.includes(filter.path)) &&
    (filter.search === undefined || mentionsRequest(request, filter.search.toLowerCase())) &&
    isBetween(request.created_at, filter.since, filter.until)
  )
}

/** In the form that the gateway searches for. */
const mentionsRequest = ({ request_id, code, error, status }: LoggedRequest, words: string): boolean =>
  String(status) === words || [request_id, code, error].some(text => text?.toLowerCase().includes(words))
