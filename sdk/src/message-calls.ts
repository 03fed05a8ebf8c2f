import type { Api, CallOptions } from './api.ts'
import type { MessageQuery, OutgoingMessage, QueuedMessage } from './resources.ts'

export interface SendOptions extends CallOptions {
  /** Chosen by you so that a retry of yours is no second message; made up, once for all tries, where absent. */
  readonly idempotencyKey?: string
}

export function messageCalls(api: Api) {
  return {
    /** Queues a message. Safe to repeat: the same idempotency key never makes a second message. */
    send: (
      body: OutgoingMessage,
      { idempotencyKey = globalThis.crypto.randomUUID(), ...options }: SendOptions = {},
    ): Promise<QueuedMessage> => api.ask('post', '/v1/messages', { body, idempotencyKey, ...options }),
    list: (query: MessageQuery = {}, options: CallOptions = {}) =>
      api.ask('get', '/v1/messages', { query, ...options }),
    all: (query: MessageQuery = {}, options: CallOptions = {}) => api.all('/v1/messages', { query, ...options }),
    /** The record of a message: its state and how it got there. */
    get: (id: string, options: CallOptions = {}) => api.ask('get', '/v1/messages/{id}', { in: { id }, ...options }),
    edit: (id: string, text: string, options: CallOptions = {}) =>
      api.ask('patch', '/v1/messages/{id}', { in: { id }, body: { text }, ...options }),
    revoke: (id: string, options: CallOptions = {}) =>
      api.ask('delete', '/v1/messages/{id}', { in: { id }, ...options }),
  }
}
