import type { Api, CallOptions } from './api.ts'
import type { ListQuery, LoggedRequestQuery, NewApiKey } from './resources.ts'

export function keyCalls(api: Api) {
  return {
    list: (query: ListQuery = {}, options: CallOptions = {}) => api.call('get', '/v1/keys', { query, ...options }),
    all: (query: ListQuery = {}, options: CallOptions = {}) => api.all('/v1/keys', { query, ...options }),
    /** `key` of the answer is shown here and never again. */
    create: (body: NewApiKey, options: CallOptions = {}) => api.call('post', '/v1/keys', { body, ...options }),
    revoke: (id: string, options: CallOptions = {}) => api.call('delete', '/v1/keys/{id}', { in: { id }, ...options }),
  }
}

/** The requests that the account's keys have made. */
export function requestCalls(api: Api) {
  return {
    list: (query: LoggedRequestQuery = {}, options: CallOptions = {}) =>
      api.call('get', '/v1/requests', { query, ...options }),
    all: (query: LoggedRequestQuery = {}, options: CallOptions = {}) => api.all('/v1/requests', { query, ...options }),
    get: (id: string, options: CallOptions = {}) => api.call('get', '/v1/requests/{id}', { in: { id }, ...options }),
  }
}
