import type { Api, CallOptions } from './api.ts'
import type { SandboxAction, SandboxIncoming, SandboxMessageQuery } from './resources.ts'

/** The other side of a sandbox number: contacts who write, read, call and vote. */
export function sandboxCalls(api: Api) {
  const of = (id: string, options: CallOptions) => ({ in: { id }, ...options })
  return {
    /** A contact writes to the number. */
    incoming: (id: string, body: SandboxIncoming, options: CallOptions = {}) =>
      api.call('post', '/sandbox/sessions/{id}/incoming', { body, ...of(id, options) }),
    /** A contact, or the platform, does something else. */
    act: (id: string, body: SandboxAction, options: CallOptions = {}) =>
      api.call('post', '/sandbox/sessions/{id}/actions', { body, ...of(id, options) }),
    messages: (id: string, query: SandboxMessageQuery = {}, options: CallOptions = {}) =>
      api.call('get', '/sandbox/sessions/{id}/messages', { query, ...of(id, options) }),
    allMessages: (id: string, query: SandboxMessageQuery = {}, options: CallOptions = {}) =>
      api.all('/sandbox/sessions/{id}/messages', { query, ...of(id, options) }),
    /** Uploads a file of this type (`image/jpeg`) for the account's sandbox numbers: its `media_url` can be sent. */
    uploadMedia: (content: Blob | Uint8Array, type: string, options: CallOptions = {}) =>
      api.call('post', '/sandbox/media', { file: { content, type }, ...options }),
    conditions: (id: string, contact?: string, options: CallOptions = {}) =>
      api.call('get', '/sandbox/sessions/{id}/conditions', { query: { contact }, ...of(id, options) }),
    watch: (id: string, options: CallOptions = {}) => api.call('post', '/sandbox/sessions/{id}/watch', of(id, options)),
    /** The phone scans the code of a pairing. */
    scan: (pairingId: string, options: CallOptions = {}) =>
      api.call('post', '/sandbox/pairings/{id}/scan', of(pairingId, options)),
    passkey: (pairingId: string, options: CallOptions = {}) =>
      api.call('post', '/sandbox/pairings/{id}/passkey', of(pairingId, options)),
    delivery: (id: string, options: CallOptions = {}) => api.call('get', '/sandbox/deliveries/{id}', of(id, options)),
  }
}
