import type { Api, Body, CallOptions } from './api.ts'
import type { ListQuery, NewPairing, NewSandboxSession, Pairing, SessionChange } from './resources.ts'

export function sessionCalls(api: Api) {
  const of = (id: string, options: CallOptions) => ({ in: { id }, ...options })
  return {
    list: (query: ListQuery = {}, options: CallOptions = {}) => api.call('get', '/v1/sessions', { query, ...options }),
    all: (query: ListQuery = {}, options: CallOptions = {}) => api.all('/v1/sessions', { query, ...options }),
    get: (id: string, options: CallOptions = {}) => api.call('get', '/v1/sessions/{id}', of(id, options)),
    createSandbox: (body: Omit<NewSandboxSession, 'platform'> = {}, options: CallOptions = {}) =>
      api.call('post', '/v1/sessions', { body: { platform: 'sandbox', ...body }, ...options }),
    update: (id: string, body: SessionChange, options: CallOptions = {}) =>
      api.call('patch', '/v1/sessions/{id}', { body, ...of(id, options) }),
    /** Unlinks the number. */
    delete: (id: string, options: CallOptions = {}) => api.call('delete', '/v1/sessions/{id}', of(id, options)),
    restart: (id: string, options: CallOptions = {}) => api.call('post', '/v1/sessions/{id}/restart', of(id, options)),
    autoReject: (id: string, body: Body<'post', '/v1/sessions/{id}/calls/auto-reject'>, options: CallOptions = {}) =>
      api.call('post', '/v1/sessions/{id}/calls/auto-reject', { body, ...of(id, options) }),
    subscribePresence: (id: string, contact_jid: string, options: CallOptions = {}) =>
      api.call('post', '/v1/sessions/{id}/presence/subscribe', { body: { contact_jid }, ...of(id, options) }),
    typing: (id: string, body: Body<'post', '/v1/sessions/{id}/typing'>, options: CallOptions = {}) =>
      api.call('post', '/v1/sessions/{id}/typing', { body, ...of(id, options) }),
    markRead: (id: string, body: Body<'post', '/v1/sessions/{id}/read'>, options: CallOptions = {}) =>
      api.call('post', '/v1/sessions/{id}/read', { body, ...of(id, options) }),
    /** Whether a number has an account on the platform, and its JID. */
    checkContact: (id: string, phone: string, options: CallOptions = {}) =>
      api.call('get', '/v1/sessions/{id}/contacts/check', { query: { phone }, ...of(id, options) }),
    privacy: (id: string, options: CallOptions = {}) => api.call('get', '/v1/sessions/{id}/privacy', of(id, options)),
    /** Changes what is given of the privacy settings; the answer has all of them. */
    updatePrivacy: (id: string, body: Body<'patch', '/v1/sessions/{id}/privacy'>, options: CallOptions = {}) =>
      api.call('patch', '/v1/sessions/{id}/privacy', { body, ...of(id, options) }),
    /** What the number shows of itself. */
    profile: (id: string, options: CallOptions = {}) => api.call('get', '/v1/sessions/{id}/profile', of(id, options)),
    /** Changes what is given of name and about, on the phone too. */
    updateProfile: (id: string, body: Body<'patch', '/v1/sessions/{id}/profile'>, options: CallOptions = {}) =>
      api.call('patch', '/v1/sessions/{id}/profile', { body, ...of(id, options) }),
    /** An uploaded file, or the URL of one. */
    setPicture: (id: string, body: Body<'put', '/v1/sessions/{id}/profile/picture'>, options: CallOptions = {}) =>
      api.call('put', '/v1/sessions/{id}/profile/picture', { body, ...of(id, options) }),
    removePicture: (id: string, options: CallOptions = {}) =>
      api.call('delete', '/v1/sessions/{id}/profile/picture', of(id, options)),
    /** The error has the status 404 if no such call rings. */
    rejectCall: (id: string, callId: string, options: CallOptions = {}) =>
      api.call('post', '/v1/sessions/{id}/calls/{call_id}/reject', { in: { id, call_id: callId }, ...options }),
    createCallLink: (id: string, media: 'audio' | 'video', options: CallOptions = {}) =>
      api.call('post', '/v1/sessions/{id}/calls/links', { body: { media }, ...of(id, options) }),
    /** Scheme, host and port; never the user name and the password. */
    proxy: (id: string, options: CallOptions = {}) => api.call('get', '/v1/sessions/{id}/proxy', of(id, options)),
    /** From now on all connections of the number to the platform go through this proxy. */
    setProxy: (id: string, url: string, options: CallOptions = {}) =>
      api.call('put', '/v1/sessions/{id}/proxy', { body: { url }, ...of(id, options) }),
    removeProxy: (id: string, options: CallOptions = {}) =>
      api.call('delete', '/v1/sessions/{id}/proxy', of(id, options)),
    testProxy: (id: string, options: CallOptions = {}) =>
      api.call('post', '/v1/sessions/{id}/proxy/test', of(id, options)),
    /** The phone numbers of hidden identifiers, and the reverse, as far as the number has learned them. */
    people: (id: string, body: Body<'post', '/v1/sessions/{id}/people'>, options: CallOptions = {}) =>
      api.call('post', '/v1/sessions/{id}/people', { body, ...of(id, options) }),
    /** What the platform has reported about the number, answered chats and refused messages. */
    health: (id: string, options: CallOptions = {}) => api.call('get', '/v1/sessions/{id}/health', of(id, options)),
    /** Both ids come from a `newsletter_message` event; an empty emoji removes the reaction. */
    reactInNewsletter: (
      id: string,
      newsletter: string,
      body: Body<'post', '/v1/sessions/{id}/newsletters/{nl}/react'>,
      options: CallOptions = {},
    ) => api.call('post', '/v1/sessions/{id}/newsletters/{nl}/react', { in: { id, nl: newsletter }, body, ...options }),
  }
}

export function pairingCalls(api: Api) {
  const of = (id: string, options: CallOptions) => ({ in: { id }, ...options })
  return {
    create: (body: NewPairing, options: CallOptions = {}) => api.call('post', '/v1/pairings', { body, ...options }),
    get: (id: string, options: CallOptions = {}) => api.call('get', '/v1/pairings/{id}', of(id, options)),
    cancel: (id: string, options: CallOptions = {}) => api.call('delete', '/v1/pairings/{id}', of(id, options)),
    /** The pairing at each of its steps, until it is over. */
    events: (id: string, options: CallOptions = {}) =>
      api.follow<Pairing>('/v1/pairings/{id}/events', 'pairing', of(id, options)),
    newCode: (id: string, options: CallOptions = {}) => api.call('post', '/v1/pairings/{id}/code', of(id, options)),
    answerPasskey: (id: string, body: Body<'post', '/v1/pairings/{id}/passkey'>, options: CallOptions = {}) =>
      api.call('post', '/v1/pairings/{id}/passkey', { body, ...of(id, options) }),
    confirm: (id: string, options: CallOptions = {}) => api.call('post', '/v1/pairings/{id}/confirm', of(id, options)),
  }
}
