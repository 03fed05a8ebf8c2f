import type { Api, CallOptions } from './api.ts'
import type { ChatChange, HistoryRequest, ListQuery, StarQuery } from './resources.ts'

/** The chats of a number, without content. The first argument is always the number. */
export function chatCalls(api: Api) {
  const of = (id: string, jid: string, options: CallOptions) => ({ in: { id, jid }, ...options })
  return {
    list: (id: string, query: ListQuery = {}, options: CallOptions = {}) =>
      api.call('get', '/v1/sessions/{id}/chats', { in: { id }, query, ...options }),
    all: (id: string, query: ListQuery = {}, options: CallOptions = {}) =>
      api.all('/v1/sessions/{id}/chats', { in: { id }, query, ...options }),
    get: (id: string, jid: string, options: CallOptions = {}) =>
      api.call('get', '/v1/sessions/{id}/chats/{jid}', of(id, jid, options)),
    /** Archives, pins, mutes, marks or labels a chat, also on the phone of the number. */
    update: (id: string, jid: string, change: ChatChange, options: CallOptions = {}) =>
      api.call('patch', '/v1/sessions/{id}/chats/{jid}', { body: change, ...of(id, jid, options) }),
    /** Stars a message for the owner of the number. `participant`: its author, in a group whose message was not seen. */
    star: (id: string, jid: string, messageId: string, query: StarQuery = {}, options: CallOptions = {}) =>
      api.call('put', '/v1/sessions/{id}/chats/{jid}/stars/{message_id}', {
        in: { id, jid, message_id: messageId },
        query,
        ...options,
      }),
    unstar: (id: string, jid: string, messageId: string, query: StarQuery = {}, options: CallOptions = {}) =>
      api.call('delete', '/v1/sessions/{id}/chats/{jid}/stars/{message_id}', {
        in: { id, jid, message_id: messageId },
        query,
        ...options,
      }),
    /** Asks the phone for older messages; they arrive as events with `historic` at endpoints that include `history`. */
    requestHistory: (id: string, jid: string, body: HistoryRequest, options: CallOptions = {}) =>
      api.call('post', '/v1/sessions/{id}/chats/{jid}/history', { body, ...of(id, jid, options) }),
    /** What has come of such a request. */
    historyJob: (id: string, job: string, options: CallOptions = {}) =>
      api.call('get', '/v1/sessions/{id}/history/{job}', { in: { id, job }, ...options }),
  }
}
