import { Type } from '../type.ts'
import { pictureSource } from '../../actions/profile-picture.ts'
import { MAX_ABOUT, MAX_NAME, type OwnProfile } from '../../domain/contact.ts'
import { missing } from '../../domain/errors.ts'
import { route } from '../route.ts'
import { isoOrNull, Nullable, Strict, Time } from '../schemas.ts'
import { Business } from './contacts.ts'
import { ask } from './session-actions.ts'
import { BySession } from './sessions.ts'

const Profile = Strict({
  jid: Type.String(),
  name: Nullable(Type.String({ description: 'The name that the number gives itself. Its messages have it.' })),
  about: Nullable(Type.String()),
  about_set_at: Nullable(Time),
  picture_id: Nullable(Type.String({ description: 'The id of the picture. Another picture has another id.' })),
  business: Nullable(Business),
})

const showProfile = (profile: OwnProfile) => ({
  jid: profile.jid,
  name: profile.name,
  about: profile.about,
  about_set_at: isoOrNull(profile.aboutSetAtMs),
  picture_id: profile.pictureId,
  business: profile.business,
})

export const getProfile = route({
  method: 'GET',
  path: '/v1/sessions/:id/profile',
  tag: 'Numbers',
  summary: 'Get the profile of a number',
  description: 'What the number shows of itself. `business` is null unless its phone uses WhatsApp Business.',
  scope: 'read',
  params: BySession,
  status: 200,
  work: 'waiting',
  response: Profile,
  errors: [409, 502],
  async handler(incoming, deps) {
    return showProfile((await ask(deps, incoming, { kind: 'profile_show' }, 'profile')).profile)
  },
})

export const updateProfile = route({
  method: 'PATCH',
  path: '/v1/sessions/:id/profile',
  tag: 'Numbers',
  summary: 'Change the name and the about of a number',
  description:
    'Give only what changes. The phone of the number shows the same afterwards. The platform takes the name first: if it refuses the about, the new name stays.',
  scope: 'manage',
  params: BySession,
  body: Strict({
    name: Type.Optional(Type.String({ minLength: 1, maxLength: MAX_NAME, pattern: '\\S' })),
    about: Type.Optional(Type.String({ maxLength: MAX_ABOUT, description: 'Empty removes it.' })),
  }),
  status: 200,
  response: Profile,
  errors: [409, 502],
  example: { body: { name: 'Example Ltd', about: 'We answer from 9 to 5.' } },
  async handler({ body, ...incoming }, deps) {
    if (body.name === undefined && body.about === undefined) throw missing('name or about is required', 'name')
    return showProfile((await ask(deps, incoming, { kind: 'profile_change', ...body }, 'profile')).profile)
  },
})

const SetPicture = Strict({
  picture_id: Nullable(
    Type.String({ description: 'The id of the new picture; null if the platform does not say it.' }),
  ),
})

export const setProfilePicture = route({
  method: 'PUT',
  path: '/v1/sessions/:id/profile/picture',
  tag: 'Numbers',
  summary: 'Set the picture of a number',
  description:
    'A JPEG, PNG or WebP file that you uploaded with POST /v1/media, or the URL from which the gateway fetches it. The platform shows the middle of the picture as a square of 640 by 640 pixels.',
  scope: 'manage',
  params: BySession,
  body: Strict({
    media_id: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
    media_url: Type.Optional(Type.String({ minLength: 1, maxLength: 4096 })),
  }),
  status: 200,
  response: SetPicture,
  errors: [409, 502],
  example: { body: { media_id: 'med_01jd3kqv5m2x7n8p9r0s1t2v3w' } },
  async handler({ body, ...incoming }, deps) {
    const { identity } = incoming
    const session = await deps.sessions.own(identity, 'id', incoming.params.id)
    const requester = { account: identity.account, sessionId: session.id, sessionIds: identity.sessionIds }
    const url = await pictureSource(deps, requester, body)
    return { picture_id: (await ask(deps, incoming, { kind: 'profile_picture', url }, 'profile_picture')).id }
  },
})

export const deleteProfilePicture = route({
  method: 'DELETE',
  path: '/v1/sessions/:id/profile/picture',
  tag: 'Numbers',
  summary: 'Remove the picture of a number',
  description: 'You can repeat the request: it is no error if the number has no picture.',
  scope: 'manage',
  params: BySession,
  status: 200,
  response: SetPicture,
  errors: [409, 502],
  async handler(incoming, deps) {
    await ask(deps, incoming, { kind: 'profile_picture', url: null }, 'profile_picture')
    return { picture_id: null }
  },
})
