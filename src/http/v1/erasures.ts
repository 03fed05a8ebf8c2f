import { Readable } from 'node:stream'
import { exportPerson as exportLines } from '../../actions/people/export-person.ts'
import { invalid, notFound, tooManyErasures } from '../../domain/errors.ts'
import { makeId } from '../../domain/ids.ts'
import { digitsOf, parseContact, phoneJid } from '../../domain/jid.ts'
import { aboutErasure } from '../../domain/sealed.ts'
import type { StoredErasure } from '../../store/erasures/erasures.ts'
import type { Deps } from '../deps.ts'
import type { Identity } from '../identity.ts'
import { inTurn } from '../limits/fair-scheduler.ts'
import { route } from '../route.ts'
import { ById, iso, isoOrNull, Nullable, OneOf, Strict, Time } from '../schemas.ts'
import { Type } from '../type.ts'
import { requireAllSessions } from './pairings.ts'

const PersonBody = Strict({
  jid: Type.String({
    minLength: 1,
    maxLength: 100,
    description: 'The person: a phone number, a JID with one, or a hidden identifier.',
  }),
})

const ErasureSchema = Strict({
  id: Type.String({ examples: ['job_01jd3kqv5m2x7n8p9r0s1t2v3w'] }),
  state: OneOf(['running', 'done'] as const),
  erased: Type.Record(Type.String(), Type.Integer(), {
    description: 'How many entries of each kind were erased so far, for example `{"messages": 12, "history": 3}`.',
  }),
  created_at: Time,
  finished_at: Nullable(Time),
})

const show = ({ id, state, erased, createdAt, finishedAt }: StoredErasure) => ({
  id,
  state,
  erased,
  created_at: iso(createdAt),
  finished_at: isoOrNull(finishedAt),
})

/** Never a number of the account itself. */
async function personIn(deps: Deps, identity: Identity, given: string): Promise<string> {
  requireAllSessions(identity)
  const jid = parseContact('jid', given)
  const own = await deps.store.sessions.getSession(phoneJid(digitsOf(jid)))
  if (own?.accountId === identity.account.id)
    throw invalid('jid is a number of the account: delete the number instead', 'jid')
  return jid
}

export const erasePerson = route({
  method: 'POST',
  path: '/v1/people/erase',
  tag: 'People',
  summary: 'Erase everything that the account stores about a person',
  description:
    'The job searches every number of the account for the phone number and the hidden identifier of the person, in plain and ' +
    'encrypted data, and removes what names them. The records of your messages stay without the recipient, so that a ' +
    'repeated request sends nothing. It does not stop the person from writing again. Backups and what your endpoints have ' +
    'received are not changed.',
  scope: 'manage',
  body: PersonBody,
  status: 202,
  response: ErasureSchema,
  example: { body: { jid: '15550001234' } },
  async handler({ identity, body }, deps) {
    const jid = await personIn(deps, identity, body.jid)
    const id = makeId('job')
    const names = deps.seal.sealJson({ jid }, aboutErasure(id))
    const created = await deps.store.erasures.createErasure({ id, accountId: identity.account.id, names })
    if (created === 'full') throw tooManyErasures()
    return show(created)
  },
})

export const getErasure = route({
  method: 'GET',
  path: '/v1/people/erase/:id',
  tag: 'People',
  summary: 'Get the state and the report of an erasure',
  description: 'The gateway keeps the report for 30 days. It does not say who was erased.',
  scope: 'manage',
  params: ById,
  status: 200,
  response: ErasureSchema,
  errors: [404],
  async handler({ identity, params }, deps) {
    requireAllSessions(identity)
    const found = await deps.store.erasures.getErasure({ id: params.id, accountId: identity.account.id })
    if (found === undefined) throw notFound('erasure')
    return show(found)
  },
})

export const exportPerson = route({
  method: 'POST',
  path: '/v1/people/export',
  tag: 'People',
  summary: 'Export everything that the account stores about a person',
  description:
    'The response is a file with one JSON object in each line: the names of the person first, then each entry that names them, ' +
    'with its content. Secrets of the numbers’ devices are listed without their content.',
  scope: 'manage',
  body: PersonBody,
  status: 200,
  work: 'waiting',
  contentType: 'application/octet-stream',
  response: Type.Unsafe<Readable>({ type: 'string', format: 'binary' }),
  example: { body: { jid: '15550001234' } },
  async handler({ identity, body }, deps) {
    const jid = await personIn(deps, identity, body.jid)
    const { id } = identity.account
    return Readable.from(inTurn(deps.scheduler.store, id, exportLines(deps, id, jid)), { objectMode: false })
  },
})
