import type { Api, Body, CallOptions, Query } from './api.ts'

/** The events of the account for a program that no webhook reaches: `read` acknowledges the events up to `after`. */
export const listenerCalls = (api: Api) => ({
  create: (body: Body<'post', '/v1/listeners'> = {}, options: CallOptions = {}) =>
    api.call('post', '/v1/listeners', { body, ...options }),
  read: (id: string, query: Query<'/v1/listeners/{id}/events'>, options: CallOptions = {}) =>
    api.call('get', '/v1/listeners/{id}/events', { in: { id }, query, ...options }),
  delete: (id: string, options: CallOptions = {}) =>
    api.call('delete', '/v1/listeners/{id}', { in: { id }, ...options }),
})
