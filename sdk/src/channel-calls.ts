import type { Api, CallOptions } from './api.ts'
import type { SendOptions } from './message-calls.ts'
import type { ChannelChange, ListQuery, NewChannel, NewPicture } from './resources.ts'

/** The channels that a number follows or manages. The first argument is always the number. */
export function channelCalls(api: Api) {
  const of = (id: string, channel: string, options: CallOptions) => ({ in: { id, nl: channel }, ...options })
  return {
    list: (id: string, query: ListQuery = {}, options: CallOptions = {}) =>
      api.call('get', '/v1/sessions/{id}/newsletters', { in: { id }, query, ...options }),
    all: (id: string, query: ListQuery = {}, options: CallOptions = {}) =>
      api.all('/v1/sessions/{id}/newsletters', { in: { id }, query, ...options }),
    get: (id: string, channel: string, options: CallOptions = {}) =>
      api.call('get', '/v1/sessions/{id}/newsletters/{nl}', of(id, channel, options)),
    /** What a link leads to. */
    preview: (id: string, invite: string, options: CallOptions = {}) =>
      api.call('post', '/v1/sessions/{id}/newsletters/preview', { in: { id }, body: { invite }, ...options }),
    /** Safe to repeat: the same idempotency key never makes a second channel. */
    create: (
      id: string,
      body: NewChannel,
      { idempotencyKey = globalThis.crypto.randomUUID(), ...options }: SendOptions = {},
    ) => api.call('post', '/v1/sessions/{id}/newsletters', { in: { id }, body, idempotencyKey, ...options }),
    /** Changes what is given of the name, the description and the reactions that are allowed. */
    update: (id: string, channel: string, body: ChannelChange, options: CallOptions = {}) =>
      api.call('patch', '/v1/sessions/{id}/newsletters/{nl}', { body, ...of(id, channel, options) }),
    delete: (id: string, channel: string, options: CallOptions = {}) =>
      api.call('delete', '/v1/sessions/{id}/newsletters/{nl}', of(id, channel, options)),
    /** Sets the picture from a stored file or a URL. */
    setPicture: (id: string, channel: string, body: NewPicture, options: CallOptions = {}) =>
      api.call('put', '/v1/sessions/{id}/newsletters/{nl}/picture', { body, ...of(id, channel, options) }),
    removePicture: (id: string, channel: string, options: CallOptions = {}) =>
      api.call('delete', '/v1/sessions/{id}/newsletters/{nl}/picture', of(id, channel, options)),
    follow: (id: string, channel: string, options: CallOptions = {}) =>
      api.call('put', '/v1/sessions/{id}/newsletters/{nl}/follow', of(id, channel, options)),
    unfollow: (id: string, channel: string, options: CallOptions = {}) =>
      api.call('delete', '/v1/sessions/{id}/newsletters/{nl}/follow', of(id, channel, options)),
    mute: (id: string, channel: string, options: CallOptions = {}) =>
      api.call('put', '/v1/sessions/{id}/newsletters/{nl}/mute', of(id, channel, options)),
    unmute: (id: string, channel: string, options: CallOptions = {}) =>
      api.call('delete', '/v1/sessions/{id}/newsletters/{nl}/mute', of(id, channel, options)),
    /** The newest first, with what people did with them. */
    posts: (id: string, channel: string, query: ListQuery = {}, options: CallOptions = {}) =>
      api.call('get', '/v1/sessions/{id}/newsletters/{nl}/posts', { query, ...of(id, channel, options) }),
    allPosts: (id: string, channel: string, query: ListQuery = {}, options: CallOptions = {}) =>
      api.all('/v1/sessions/{id}/newsletters/{nl}/posts', { query, ...of(id, channel, options) }),
    stats: (id: string, channel: string, options: CallOptions = {}) =>
      api.call('get', '/v1/sessions/{id}/newsletters/{nl}/stats', of(id, channel, options)),
    /** With the admins, for those who manage the channel. */
    followers: (id: string, channel: string, query: { limit?: number } = {}, options: CallOptions = {}) =>
      api.call('get', '/v1/sessions/{id}/newsletters/{nl}/followers', { query, ...of(id, channel, options) }),
    /** The owner, the admins, and the people who are invited. */
    admins: (id: string, channel: string, options: CallOptions = {}) =>
      api.call('get', '/v1/sessions/{id}/newsletters/{nl}/admins', of(id, channel, options)),
    /** The person gets a message, and is an admin once they accept. */
    inviteAdmin: (
      id: string,
      channel: string,
      jid: string,
      body: { caption?: string } = {},
      options: CallOptions = {},
    ) =>
      api.call('put', '/v1/sessions/{id}/newsletters/{nl}/admins/{jid}', {
        in: { id, nl: channel, jid },
        body,
        ...options,
      }),
    revokeAdminInvite: (id: string, channel: string, jid: string, options: CallOptions = {}) =>
      api.call('delete', '/v1/sessions/{id}/newsletters/{nl}/admins/{jid}/invite', {
        in: { id, nl: channel, jid },
        ...options,
      }),
    /** Accepts the invitation that the number got. */
    acceptAdminInvite: (id: string, channel: string, options: CallOptions = {}) =>
      api.call('post', '/v1/sessions/{id}/newsletters/{nl}/accept', of(id, channel, options)),
    /** Makes an admin a follower again. */
    demote: (id: string, channel: string, jid: string, options: CallOptions = {}) =>
      api.call('delete', '/v1/sessions/{id}/newsletters/{nl}/admins/{jid}', {
        in: { id, nl: channel, jid },
        ...options,
      }),
  }
}
