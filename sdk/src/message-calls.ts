import type { Api, CallOptions } from './api.ts'
import type { ListQuery, MessageQuery, OutgoingMessage, QueuedMessage } from './resources.ts'

export interface SendOptions extends CallOptions {
  /** Choose a key so that your own retry does not send a second message. By default each call makes one for its attempts. */
  readonly idempotencyKey?: string
}

export function messageCalls(api: Api) {
  return {
    /** Queues a message. Safe to repeat: the same idempotency key never makes a second message. */
    send: (
      body: OutgoingMessage,
      { idempotencyKey = globalThis.crypto.randomUUID(), ...options }: SendOptions = {},
    ): Promise<QueuedMessage> => api.call('post', '/v1/messages', { body, idempotencyKey, ...options }),
    list: (query: MessageQuery = {}, options: CallOptions = {}) =>
      api.call('get', '/v1/messages', { query, ...options }),
    all: (query: MessageQuery = {}, options: CallOptions = {}) => api.all('/v1/messages', { query, ...options }),
    /** The record of a message: its state and how it got there. */
    get: (id: string, options: CallOptions = {}) => api.call('get', '/v1/messages/{id}', { in: { id }, ...options }),
    /** Who has seen a status post, or read a message. */
    viewers: (id: string, query: ListQuery = {}, options: CallOptions = {}) =>
      api.call('get', '/v1/messages/{id}/viewers', { in: { id }, query, ...options }),
    allViewers: (id: string, query: ListQuery = {}, options: CallOptions = {}) =>
      api.all('/v1/messages/{id}/viewers', { in: { id }, query, ...options }),
    edit: (id: string, text: string, options: CallOptions = {}) =>
      api.call('patch', '/v1/messages/{id}', { in: { id }, body: { text }, ...options }),
    revoke: (id: string, options: CallOptions = {}) =>
      api.call('delete', '/v1/messages/{id}', { in: { id }, ...options }),
  }
}
