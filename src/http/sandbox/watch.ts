import { Type } from 'typebox'
import { askSandbox } from '../../actions/ask.ts'
import { notFound } from '../../domain/errors.ts'
import type { SandboxConditions } from '../../domain/sandbox.ts'
import { aboutEvent } from '../../domain/sealed.ts'
import { requireOwn } from '../identity.ts'
import { route } from '../route.ts'
import { iso, isoOrNull, Nullable, Strict, Time } from '../schemas.ts'
import { BySession } from '../v1/sessions.ts'
import { contactDigits, ownSandbox } from './sandbox.ts'

const WATCH_MS = 60_000

export const watchSandbox = route({
  method: 'POST',
  path: '/sandbox/sessions/:id/watch',
  tag: 'Sandbox',
  summary: 'Keep what is posted for a sandbox number in full, for the next minute',
  description:
    'Content is kept for an hour and read with GET /sandbox/deliveries/{id}. Ask again within the minute to go on. ' +
    'Real numbers cannot be watched.',
  scope: 'manage',
  params: BySession,
  status: 200,
  response: Strict({ watched_until: Time }),
  errors: [404],
  async handler({ identity, params }, deps) {
    const session = await ownSandbox(deps, identity, params.id)
    return { watched_until: iso(await deps.store.simulator.watchSandbox({ sessionId: session.id, forMs: WATCH_MS })) }
  },
})

export const getSandboxDelivery = route({
  method: 'GET',
  path: '/sandbox/deliveries/:id',
  tag: 'Sandbox',
  summary: 'The exact body of a delivery of a sandbox number',
  description:
    'Kept of what is posted while the number is watched, and of what is not delivered yet. 404 where it is kept no longer.',
  scope: 'read',
  params: Strict({ id: Type.String() }),
  status: 200,
  response: Strict({
    id: Type.String(),
    event_id: Type.String(),
    body: Type.String({ description: 'The bytes that are signed and sent, as text.' }),
  }),
  errors: [404],
  async handler({ identity, params }, deps) {
    const entry = await deps.store.deliveries.getDelivery(params.id)
    if (entry === undefined) throw notFound('delivery')
    requireOwn(identity, entry)
    await ownSandbox(deps, identity, entry.sessionId)
    const sealed = await deps.store.simulator.readSandboxPayload({ eventId: entry.eventId, deliveryId: entry.id })
    if (sealed === undefined) throw notFound('body')
    const body = deps.seal.open(sealed, aboutEvent(entry.eventId)).toString('utf8')
    return { id: entry.id, event_id: entry.eventId, body }
  },
})

export const getConditions = route({
  method: 'GET',
  path: '/sandbox/sessions/:id/conditions',
  tag: 'Sandbox',
  summary: 'How things stand around a sandbox number, and with one of its contacts',
  description: 'Whether its link is cut and until when, and whether the contact is online and reads.',
  scope: 'read',
  params: BySession,
  query: Strict({ contact: Type.Optional(Type.String({ minLength: 5, maxLength: 100 })) }),
  status: 200,
  response: Strict({
    cut_until: Nullable(Time),
    online: Type.Boolean({ description: 'Whether the contact is online.' }),
    read_receipts: Type.Boolean({ description: 'Whether the contact reads what it receives.' }),
  }),
  errors: [404, 502],
  async handler({ identity, params, query, gone }, deps) {
    const { phone } = await ownSandbox(deps, identity, params.id)
    const contact = query.contact === undefined ? null : contactDigits('contact', query.contact)
    const state = await askSandbox<SandboxConditions>(deps, { kind: 'conditions', phone, contact }, gone())
    return { cut_until: isoOrNull(state.cutUntilMs), online: state.online, read_receipts: state.readReceipts }
  },
})
