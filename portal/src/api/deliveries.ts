import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { api, take } from './client.ts'
import { isBetween, isoMoment } from '../moments.ts'
import { paging } from './paging.ts'
import type { Delivery, DeliveryStatus, EventType } from './records.ts'
import { bareId } from './sessions.ts'

/** The filters of the list of deliveries; all of them are in the URL. */
export interface DeliveryFilter {
  number?: string
  type?: EventType
  status?: DeliveryStatus
  webhook?: string
  endpoint?: string
  since?: string
  until?: string
}

export const deliveriesQuery = (filter: DeliveryFilter) =>
  infiniteQueryOptions({
    queryKey: ['deliveries', filter],
    queryFn: ({ pageParam }) => take(api.GET('/v1/deliveries', { params: { query: toQuery(filter, pageParam) } })),
    ...paging,
  })

export const deliveryQuery = (id: string) =>
  queryOptions({
    queryKey: ['delivery', id],
    queryFn: () => take(api.GET('/v1/deliveries/{id}', { params: { path: { id } } })),
  })

function toQuery(filter: DeliveryFilter, cursor: string | undefined) {
  return {
    limit: 100,
    cursor,
    session_id: filter.number,
    event_type: filter.type,
    status: filter.status,
    webhook_id: filter.webhook,
    endpoint_id: filter.endpoint,
    since: isoMoment(filter.since),
    until: isoMoment(filter.until),
  }
}

/** Whether a new delivery matches the current filters. */
export function matches(filter: DeliveryFilter, delivery: Delivery): boolean {
  return (
    (filter.number === undefined || bareId(filter.number) === bareId(delivery.session_id)) &&
    (filter.type === undefined || filter.type === delivery.event_type) &&
    (filter.status === undefined || filter.status === delivery.status) &&
    (filter.webhook === undefined || filter.webhook === delivery.webhook_id) &&
    (filter.endpoint === undefined || filter.endpoint === delivery.endpoint_id) &&
    isBetween(delivery.created_at, filter.since, filter.until)
  )
}
