import type { Api, CallOptions } from './api.ts'
import type { ListQuery } from './resources.ts'

/** The people that a number knows. The first argument is always the number; a contact is a JID or a phone number. */
export function contactCalls(api: Api) {
  const of = (id: string, jid: string, options: CallOptions) => ({ in: { id, jid }, ...options })
  return {
    get: (id: string, jid: string, options: CallOptions = {}) =>
      api.call('get', '/v1/sessions/{id}/contacts/{jid}', of(id, jid, options)),
    /** The picture in base64; the error has the status 404 if there is none, or the person hides it. */
    picture: (id: string, jid: string, query: { size?: 'preview' | 'full' } = {}, options: CallOptions = {}) =>
      api.call('get', '/v1/sessions/{id}/contacts/{jid}/picture', { query, ...of(id, jid, options) }),
    /** Which of up to 100 phone numbers are on the platform; each costs one of the number's daily budget. */
    check: (id: string, phones: string[], options: CallOptions = {}) =>
      api.call('post', '/v1/sessions/{id}/contacts/check', { in: { id }, body: { phones }, ...options }),
    blocks: (id: string, query: ListQuery = {}, options: CallOptions = {}) =>
      api.call('get', '/v1/sessions/{id}/blocks', { in: { id }, query, ...options }),
    allBlocks: (id: string, query: ListQuery = {}, options: CallOptions = {}) =>
      api.all('/v1/sessions/{id}/blocks', { in: { id }, query, ...options }),
    block: (id: string, jid: string, options: CallOptions = {}) =>
      api.call('put', '/v1/sessions/{id}/blocks/{jid}', of(id, jid, options)),
    unblock: (id: string, jid: string, options: CallOptions = {}) =>
      api.call('delete', '/v1/sessions/{id}/blocks/{jid}', of(id, jid, options)),
  }
}
