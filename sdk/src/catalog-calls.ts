import type { Api, CallOptions } from './api.ts'
import type { ListQuery } from './resources.ts'

/** What businesses sell, and what people order. The first argument is always the number. */
export function catalogCalls(api: Api) {
  return {
    /** The products of a business; without `jid` those of the number itself. */
    products: (id: string, query: ListQuery & { jid?: string } = {}, options: CallOptions = {}) =>
      api.call('get', '/v1/sessions/{id}/catalog', { in: { id }, query, ...options }),
    allProducts: (id: string, query: ListQuery & { jid?: string } = {}, options: CallOptions = {}) =>
      api.all('/v1/sessions/{id}/catalog', { in: { id }, query, ...options }),
    collections: (id: string, query: { jid?: string } = {}, options: CallOptions = {}) =>
      api.call('get', '/v1/sessions/{id}/catalog/collections', { in: { id }, query, ...options }),
    /** Both arguments come with the message that places the order, to endpoints that include `context`. */
    order: (id: string, orderId: string, token: string, options: CallOptions = {}) =>
      api.call('post', '/v1/sessions/{id}/orders', { in: { id }, body: { order_id: orderId, token }, ...options }),
  }
}
