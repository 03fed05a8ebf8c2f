import { Type } from '../type.ts'
import { invalid, missing } from '../../domain/errors.ts'
import { isSettable, PRIVACY, PRIVACY_NAMES, type PrivacyName } from '../../domain/privacy.ts'
import { route } from '../route.ts'
import { Nullable, OneOf, Strict } from '../schemas.ts'
import { ask } from './session-actions.ts'
import { BySession } from './sessions.ts'

const DESCRIPTIONS: Record<PrivacyName, string> = {
  last_seen: 'Who sees when the number was last online.',
  online: 'Who sees that the number is online.',
  picture: 'Who sees the picture.',
  about: 'Who sees the about.',
  read_receipts: 'Whether people see that their messages were read.',
  group_add: 'Who may add the number to groups.',
  call_add: 'Whose calls ring: those of all people, or only of people that the number knows.',
  messages: 'Who may write to the number.',
}

const optionOf = <Name extends PrivacyName>(name: Name) =>
  OneOf<(typeof PRIVACY)[Name]>(PRIVACY[name], { description: DESCRIPTIONS[name] })

const Settings = Strict({
  last_seen: Nullable(optionOf('last_seen')),
  online: Nullable(optionOf('online')),
  picture: Nullable(optionOf('picture')),
  about: Nullable(optionOf('about')),
  read_receipts: Nullable(optionOf('read_receipts')),
  group_add: Nullable(optionOf('group_add')),
  call_add: Nullable(optionOf('call_add')),
  messages: Nullable(optionOf('messages')),
})

export const getPrivacy = route({
  method: 'GET',
  path: '/v1/sessions/:id/privacy',
  tag: 'Numbers',
  summary: 'Get the privacy settings of a number',
  description: 'Who sees what of the number. A setting is null if the platform does not name it.',
  scope: 'read',
  params: BySession,
  status: 200,
  work: 'waiting',
  response: Settings,
  errors: [409, 502],
  async handler(incoming, deps) {
    return (await ask(deps, incoming, { kind: 'privacy_show' }, 'privacy')).settings
  },
})

export const updatePrivacy = route({
  method: 'PATCH',
  path: '/v1/sessions/:id/privacy',
  tag: 'Numbers',
  summary: 'Change the privacy settings of a number',
  description:
    'Give only what changes. The gateway makes the changes one after the other: if the platform refuses one, the earlier ones stay. `contacts_except` can be chosen on the phone only.',
  scope: 'manage',
  params: BySession,
  body: Strict({
    last_seen: Type.Optional(optionOf('last_seen')),
    online: Type.Optional(optionOf('online')),
    picture: Type.Optional(optionOf('picture')),
    about: Type.Optional(optionOf('about')),
    read_receipts: Type.Optional(optionOf('read_receipts')),
    group_add: Type.Optional(optionOf('group_add')),
    call_add: Type.Optional(optionOf('call_add')),
    messages: Type.Optional(optionOf('messages')),
  }),
  status: 200,
  response: Settings,
  errors: [409, 502],
  example: { body: { last_seen: 'contacts', read_receipts: 'none' } },
  async handler({ body, ...incoming }, deps) {
    const given = PRIVACY_NAMES.filter(name => body[name] !== undefined)
    if (given.length === 0) throw missing(`one of ${PRIVACY_NAMES.join(', ')} is required`, PRIVACY_NAMES[0]!)
    const unsettable = given.find(name => !isSettable(body[name]!))
    if (unsettable) throw invalid(`${unsettable}: contacts_except can be chosen on the phone only`, unsettable)
    return (await ask(deps, incoming, { kind: 'privacy_change', change: body }, 'privacy')).settings
  },
})
