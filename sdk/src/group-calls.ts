import type { Api, CallOptions } from './api.ts'
import type { SendOptions } from './message-calls.ts'
import type {
  GroupChange,
  GroupMembersChange,
  GroupRequestsAnswer,
  ListQuery,
  NewCommunity,
  NewGroup,
  NewPicture,
  PictureQuery,
} from './resources.ts'

/** The groups that a number is in. The first argument is always the number. */
export function groupCalls(api: Api) {
  const of = (id: string, jid: string, options: CallOptions) => ({ in: { id, jid }, ...options })
  return {
    list: (id: string, query: ListQuery = {}, options: CallOptions = {}) =>
      api.call('get', '/v1/sessions/{id}/groups', { in: { id }, query, ...options }),
    all: (id: string, query: ListQuery = {}, options: CallOptions = {}) =>
      api.all('/v1/sessions/{id}/groups', { in: { id }, query, ...options }),
    /** A group with its members. */
    get: (id: string, jid: string, options: CallOptions = {}) =>
      api.call('get', '/v1/sessions/{id}/groups/{jid}', of(id, jid, options)),
    /** Safe to repeat: the same idempotency key never makes a second group. */
    create: (
      id: string,
      body: NewGroup,
      { idempotencyKey = globalThis.crypto.randomUUID(), ...options }: SendOptions = {},
    ) => api.call('post', '/v1/sessions/{id}/groups', { in: { id }, body, idempotencyKey, ...options }),
    /** Changes what is given of the subject, the description and the settings. */
    update: (id: string, jid: string, body: GroupChange, options: CallOptions = {}) =>
      api.call('patch', '/v1/sessions/{id}/groups/{jid}', { body, ...of(id, jid, options) }),
    /** The communities among the groups. */
    communities: (id: string, query: ListQuery = {}, options: CallOptions = {}) =>
      api.call('get', '/v1/sessions/{id}/communities', { in: { id }, query, ...options }),
    allCommunities: (id: string, query: ListQuery = {}, options: CallOptions = {}) =>
      api.all('/v1/sessions/{id}/communities', { in: { id }, query, ...options }),
    /** Safe to repeat, like `create`. For groups in it, give `create` its `community_jid`. */
    createCommunity: (
      id: string,
      body: NewCommunity,
      { idempotencyKey = globalThis.crypto.randomUUID(), ...options }: SendOptions = {},
    ) => api.call('post', '/v1/sessions/{id}/communities', { in: { id }, body, idempotencyKey, ...options }),
    /** The groups of a community, also those that the number is not in. */
    linked: (id: string, jid: string, query: ListQuery = {}, options: CallOptions = {}) =>
      api.call('get', '/v1/sessions/{id}/communities/{jid}/groups', { query, ...of(id, jid, options) }),
    allLinked: (id: string, jid: string, query: ListQuery = {}, options: CallOptions = {}) =>
      api.all('/v1/sessions/{id}/communities/{jid}/groups', { query, ...of(id, jid, options) }),
    link: (id: string, jid: string, group: string, options: CallOptions = {}) =>
      api.call('put', '/v1/sessions/{id}/communities/{jid}/groups/{group}', { in: { id, jid, group }, ...options }),
    unlink: (id: string, jid: string, group: string, options: CallOptions = {}) =>
      api.call('delete', '/v1/sessions/{id}/communities/{jid}/groups/{group}', { in: { id, jid, group }, ...options }),
    /** Leaves the community with all its groups. */
    leaveCommunity: (id: string, jid: string, options: CallOptions = {}) =>
      api.call('post', '/v1/sessions/{id}/communities/{jid}/leave', of(id, jid, options)),
    leave: (id: string, jid: string, options: CallOptions = {}) =>
      api.call('post', '/v1/sessions/{id}/groups/{jid}/leave', of(id, jid, options)),
    /** Adds, removes, promotes or demotes people; the answer has an outcome for each. */
    changeMembers: (id: string, jid: string, body: GroupMembersChange, options: CallOptions = {}) =>
      api.call('post', '/v1/sessions/{id}/groups/{jid}/members', { body, ...of(id, jid, options) }),
    invite: (id: string, jid: string, options: CallOptions = {}) =>
      api.call('get', '/v1/sessions/{id}/groups/{jid}/invite', of(id, jid, options)),
    /** The old link stops working; the answer has the new one. */
    revokeInvite: (id: string, jid: string, options: CallOptions = {}) =>
      api.call('delete', '/v1/sessions/{id}/groups/{jid}/invite', of(id, jid, options)),
    picture: (id: string, jid: string, query: PictureQuery = {}, options: CallOptions = {}) =>
      api.call('get', '/v1/sessions/{id}/groups/{jid}/picture', { query, ...of(id, jid, options) }),
    /** Sets the picture from a stored file or a URL. */
    setPicture: (id: string, jid: string, body: NewPicture, options: CallOptions = {}) =>
      api.call('put', '/v1/sessions/{id}/groups/{jid}/picture', { body, ...of(id, jid, options) }),
    removePicture: (id: string, jid: string, options: CallOptions = {}) =>
      api.call('delete', '/v1/sessions/{id}/groups/{jid}/picture', of(id, jid, options)),
    /** What an invite link leads to. */
    preview: (id: string, invite: string, options: CallOptions = {}) =>
      api.call('post', '/v1/sessions/{id}/groups/preview', { in: { id }, body: { invite }, ...options }),
    join: (id: string, invite: string, options: CallOptions = {}) =>
      api.call('post', '/v1/sessions/{id}/groups/join', { in: { id }, body: { invite }, ...options }),
    /** People who wait for an admin. */
    requests: (id: string, jid: string, query: ListQuery = {}, options: CallOptions = {}) =>
      api.call('get', '/v1/sessions/{id}/groups/{jid}/requests', { query, ...of(id, jid, options) }),
    allRequests: (id: string, jid: string, query: ListQuery = {}, options: CallOptions = {}) =>
      api.all('/v1/sessions/{id}/groups/{jid}/requests', { query, ...of(id, jid, options) }),
    answerRequests: (id: string, jid: string, body: GroupRequestsAnswer, options: CallOptions = {}) =>
      api.call('post', '/v1/sessions/{id}/groups/{jid}/requests', { body, ...of(id, jid, options) }),
  }
}
