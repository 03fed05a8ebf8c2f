import { Type } from '../type.ts'
import {
  CHECK_OUTCOMES,
  type CheckedNumber,
  type CheckOutcome,
  type Contact,
  HIDDEN_PARTS,
  HOURS_MODES,
} from '../../domain/contact.ts'
import { BOUNDS } from '../../domain/bounds.ts'
import { GatewayError } from '../../domain/errors.ts'
import { parseContact, parsePhone } from '../../domain/jid.ts'
import { pagesOf } from '../page.ts'
import { route } from '../route.ts'
import { iso, isoOrNull, listOf, Nullable, OneOf, pageQuery, Strict, Time, upTo } from '../schemas.ts'
import { PictureFile, PictureQuery, showPicture } from './picture.ts'
import { ask } from './session-actions.ts'
import { BySession } from './sessions.ts'

const MAX_CHECKED = 100

const ByContact = Strict({
  ...BySession.properties,
  jid: Type.String({ description: 'The JID or the phone number of the contact.' }),
})

const Text = Nullable(Type.String())

export const Business = Strict({
  name: Nullable(Type.String({ description: 'The name that the platform has verified.' })),
  description: Text,
  category: Text,
  address: Text,
  email: Text,
  websites: upTo(BOUNDS.websitesShown, Type.String()),
  hours: Nullable(
    Strict({
      timezone: Text,
      days: upTo(
        BOUNDS.openingHoursShown,
        Strict({
          day: Type.String({ examples: ['mon'] }),
          mode: Nullable(OneOf(HOURS_MODES)),
          opens: Nullable(Type.Integer({ description: 'Minutes after midnight.' })),
          closes: Nullable(Type.Integer({ description: 'Minutes after midnight.' })),
        }),
      ),
    }),
  ),
})

const Detail = Strict({
  jid: Type.String({ description: 'The JID with the phone number; an @lid JID if the number is not known.' }),
  lid: Nullable(Type.String({ description: 'The hidden identifier.' })),
  phone: Nullable(Type.String({ description: 'The JID with the phone number, if it is known.' })),
  name: Nullable(
    Type.String({ description: 'The name that people give themselves, as of their last message to the number.' }),
  ),
  about: Text,
  about_set_at: Nullable(Time),
  picture_id: Nullable(Type.String({ description: 'The id of the picture. Another picture has another id.' })),
  business: Nullable(Business),
  hidden: upTo(HIDDEN_PARTS.length, OneOf(HIDDEN_PARTS), 'What the person does not show to the number.'),
})

const showContact = (contact: Contact) => ({
  jid: contact.jid,
  lid: contact.lid,
  phone: contact.phone,
  name: contact.name,
  about: contact.about,
  about_set_at: isoOrNull(contact.aboutSetAtMs),
  picture_id: contact.pictureId,
  business: contact.business,
  hidden: contact.hidden,
})

export const getContact = route({
  method: 'GET',
  path: '/v1/sessions/:id/contacts/:jid',
  tag: 'Contacts',
  summary: 'Get a contact',
  description:
    'What the platform shows of a person to this number. A field is null if the person has not set it; `hidden` names those that the person hides.',
  scope: 'read',
  params: ByContact,
  status: 200,
  work: 'waiting',
  response: Detail,
  errors: [404, 409, 502],
  async handler(incoming, deps) {
    const jid = parseContact('jid', incoming.params.jid)
    return showContact((await ask(deps, incoming, { kind: 'contact_show', jid }, 'contact')).contact)
  },
})

export const getContactPicture = route({
  method: 'GET',
  path: '/v1/sessions/:id/contacts/:jid/picture',
  tag: 'Contacts',
  summary: 'Get the picture of a contact',
  description: '404 if the contact has no picture, or does not show it to the number.',
  scope: 'read',
  params: ByContact,
  query: PictureQuery,
  status: 200,
  work: 'waiting',
  response: PictureFile,
  errors: [404, 409, 502],
  async handler({ query, ...incoming }, deps) {
    const jid = parseContact('jid', incoming.params.jid)
    const request = { kind: 'contact_picture', jid, size: query.size ?? 'full' } as const
    return showPicture((await ask(deps, incoming, request, 'picture')).picture)
  },
})

export const checkContact = route({
  method: 'GET',
  path: '/v1/sessions/:id/contacts/check',
  tag: 'Contacts',
  summary: 'Check whether a phone number is on the platform',
  description:
    'The gateway queries the platform through this number. Check only numbers that you want to write to: many checks of unknown numbers look like spam. The check counts against the daily budget of the number.',
  scope: 'read',
  params: BySession,
  query: Strict({ phone: Type.String({ minLength: 1, maxLength: 30 }) }),
  status: 200,
  work: 'waiting',
  response: Strict({ phone: Type.String(), exists: Type.Boolean(), jid: Nullable(Type.String()) }),
  errors: [409, 502],
  example: { query: { phone: '15551234567' } },
  async handler({ query, ...incoming }, deps) {
    const phone = parsePhone('phone', query.phone)
    const { numbers } = await ask(deps, incoming, { kind: 'contact_check', phones: [phone] }, 'checked')
    const [checked] = numbers
    if (checked === undefined || checked.outcome === 'unanswered')
      throw new GatewayError('worker_unavailable', 'the platform did not answer in time')
    return { phone, exists: checked.outcome === 'found', jid: checked.jid }
  },
})

const Checked = Strict({
  phone: Type.String({ description: 'The digits of the number; the text of the request if it is no number.' }),
  outcome: OneOf(CHECK_OUTCOMES, {
    description:
      '`found` or `not_found`; `invalid`: it is no number with a country code; `unanswered`: the platform said nothing about it.',
  }),
  exists: Nullable(Type.Boolean({ description: 'Null if it is not known.' })),
  jid: Nullable(Type.String({ description: 'The JID to write to. It may have other digits than the number.' })),
})

const shown = (phone: string, outcome: CheckOutcome, jid: string | null) => ({
  phone,
  outcome,
  exists: outcome === 'found' || outcome === 'not_found' ? outcome === 'found' : null,
  jid,
})

/** The digits of a number; `undefined` if the text is none. */
function digitsOrNone(written: string): string | undefined {
  try {
    return parsePhone('phones', written)
  } catch {
    return undefined
  }
}

export const checkContacts = route({
  method: 'POST',
  path: '/v1/sessions/:id/contacts/check',
  tag: 'Contacts',
  summary: 'Check which phone numbers are on the platform',
  description: `Up to ${MAX_CHECKED} numbers in one query, with an outcome for each. WhatsApp bans numbers that check many strangers, so each of your numbers has a daily budget (\`POSTERN_CHECKS_PER_DAY\`, UTC): the request is rejected as a whole with 429 if the budget does not suffice. Invalid numbers cost nothing.`,
  scope: 'read',
  params: BySession,
  body: Strict({
    phones: Type.Array(Type.String({ minLength: 1, maxLength: 30 }), {
      minItems: 1,
      maxItems: MAX_CHECKED,
      description: 'Phone numbers with their country codes.',
    }),
  }),
  status: 200,
  work: 'waiting',
  response: Strict({
    data: upTo(100, Checked),
    budget: Strict({
      limit: Type.Integer({ description: 'How many numbers may be checked in a day.' }),
      left: Type.Integer(),
      resets_at: Time,
    }),
  }),
  errors: [409, 502],
  example: { body: { phones: ['15551234567', '+1 555 765 4321'] } },
  async handler({ body, ...incoming }, deps) {
    const written = body.phones.map(phone => [phone, digitsOrNone(phone)] as const)
    const phones = [...new Set(written.flatMap(([, digits]) => digits ?? []))]
    const { numbers, budget } = await ask(deps, incoming, { kind: 'contact_check', phones }, 'checked')
    const found = new Map(numbers.map(number => [number.phone, number] as [string, CheckedNumber]))
    const data = written.map(([text, digits]) => {
      if (digits === undefined) return shown(text, 'invalid', null)
      const { outcome = 'unanswered', jid = null } = found.get(digits) ?? {}
      return shown(digits, outcome, jid)
    })
    const { limit, left, resetsAtMs } = budget
    return { data, budget: { limit, left, resets_at: iso(resetsAtMs) } }
  },
})

export const listBlocks = route({
  method: 'GET',
  path: '/v1/sessions/:id/blocks',
  tag: 'Contacts',
  summary: 'List the contacts that a number has blocked',
  scope: 'read',
  params: BySession,
  query: Strict(pageQuery),
  status: 200,
  work: 'waiting',
  response: listOf(Strict({ jid: Type.String(), phone: Nullable(Type.String()) })),
  errors: [409, 502],
  async handler({ query, ...incoming }, deps) {
    const pages = pagesOf(deps, incoming.identity, `blocks ${incoming.params.id}`, query)
    const { limit, cursor } = pages.request
    const { people, after } = await ask(deps, incoming, { kind: 'block_list', after: cursor, limit }, 'blocks')
    return { data: people, next_cursor: pages.next(after) }
  },
})

const Blocked = Strict({ jid: Type.String(), blocked: Type.Boolean() })

export const blockContact = route({
  method: 'PUT',
  path: '/v1/sessions/:id/blocks/:jid',
  tag: 'Contacts',
  summary: 'Block a contact',
  description:
    'The number then receives no messages, calls and presence of the contact. Messages in common groups still arrive. The phone of the number shows the contact as blocked too.',
  scope: 'send',
  params: ByContact,
  status: 200,
  response: Blocked,
  errors: [404, 409, 502],
  async handler(incoming, deps) {
    const jid = parseContact('jid', incoming.params.jid)
    await ask(deps, incoming, { kind: 'block_change', jid, isBlocked: true }, 'done')
    return { jid, blocked: true }
  },
})

export const unblockContact = route({
  method: 'DELETE',
  path: '/v1/sessions/:id/blocks/:jid',
  tag: 'Contacts',
  summary: 'Unblock a contact',
  scope: 'send',
  params: ByContact,
  status: 200,
  response: Blocked,
  errors: [404, 409, 502],
  async handler(incoming, deps) {
    const jid = parseContact('jid', incoming.params.jid)
    await ask(deps, incoming, { kind: 'block_change', jid, isBlocked: false }, 'done')
    return { jid, blocked: false }
  },
})
