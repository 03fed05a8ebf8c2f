import { findPeople } from '../../actions/find-people.ts'
import { invalid } from '../../domain/errors.ts'
import { parseContact, parsePhone, phoneJid } from '../../domain/jid.ts'
import { PERSON_SOURCES } from '../../domain/person.ts'
import { route } from '../route.ts'
import { DescribedTime, isoOrNull, Nullable, OneOf, Strict, upTo } from '../schemas.ts'
import { Type } from '../type.ts'
import { BySession } from './sessions.ts'

const MAX_PEOPLE = 100

const namesOf = (description: string) =>
  Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { minItems: 1, maxItems: MAX_PEOPLE, description }),
  )

const PersonSchema = Strict({
  jid: Type.String({ description: 'The person, as in the request; a phone number became a JID.' }),
  lid: Nullable(Type.String({ description: 'The hidden identifier, an @lid JID.' })),
  phone: Nullable(Type.String({ description: 'The JID with the phone number.' })),
  source: Nullable(
    OneOf(PERSON_SOURCES, {
      description:
        'What showed that both belong to one person: a received `message` or `receipt`, the members of a `group`, the phone’s `history`, a `lookup` of devices before a send, a `number_change` of the contact, or the `pairing` of the number itself.',
    }),
  ),
  known_at: Nullable(DescribedTime('When the number learned it.')),
})

function peopleIn({ jids, phones }: { jids?: string[]; phones?: string[] }): string[] {
  if ((jids === undefined) === (phones === undefined)) throw invalid('give either jids or phones', 'jids')
  if (jids !== undefined) return jids.map(jid => parseContact('jids', jid))
  return phones!.map(phone => phoneJid(parsePhone('phones', phone)))
}

export const findNumberPeople = route({
  method: 'POST',
  path: '/v1/sessions/:id/people',
  tag: 'Numbers',
  summary: 'Find the phone numbers of hidden identifiers, and the reverse',
  description:
    'The response has one entry for each name, in the order of the request. A field is null if the number has not learned it: the gateway never guesses, and sends no query to the platform. It works while the number is offline. An endpoint that includes `person` gets an event when a number learns a pair.',
  scope: 'read',
  params: BySession,
  body: Strict({
    jids: namesOf('Up to 100 JIDs of people: hidden identifiers or phone numbers. Give either this or `phones`.'),
    phones: namesOf('Up to 100 phone numbers.'),
  }),
  status: 200,
  response: Strict({ data: upTo(MAX_PEOPLE, PersonSchema) }),
  example: { body: { jids: ['100000000000001@lid', '15551234567@s.whatsapp.net'] } },
  async handler({ identity, params, body }, deps) {
    const jids = peopleIn(body)
    const session = await deps.sessions.own(identity, 'id', params.id)
    const people = await findPeople(deps, session.id, jids)
    return { data: people.map(({ knownAtMs, ...person }) => ({ ...person, known_at: isoOrNull(knownAtMs) })) }
  },
})
