import { Type } from '../type.ts'
import { sendSandboxRequest } from '../../actions/send-request.ts'
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
  summary: 'Store the full webhook bodies of a sandbox number for the next minute',
  description:
    'The gateway keeps them for an hour. Read them with GET /sandbox/deliveries/{id}. Repeat the request within the minute to continue. ' +
    'You cannot do this for real numbers.',
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
  summary: 'Get the exact body of a delivery of a sandbox number',
  description:
    'The gateway has the body of deliveries that it posted during a watch, and of those that are not delivered yet. Otherwise the response is 404.',
  scope: 'read',
  params: Strict({ id: Type.String() }),
  status: 200,
  response: Strict({
    id: Type.String(),
    event_id: Type.String(),
    body: Type.String({ description: 'The bytes that the gateway signs and sends, as text.' }),
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
  summary: 'Get the conditions of a sandbox number and of one of its contacts',
  description:
    'The response shows whether and until when the connection is cut, and whether the contact is online and reads messages.',
  scope: 'read',
  params: BySession,
  query: Strict({ contact: Type.Optional(Type.String({ minLength: 5, maxLength: 100 })) }),
  status: 200,
  response: Strict({
    cut_until: Nullable(Time),
    online: Type.Boolean({ description: 'Whether the contact is online.' }),
    read_receipts: Type.Boolean({ description: 'Whether the contact reads the messages that it receives.' }),
  }),
  errors: [404, 502],
  async handler({ identity, params, query, gone }, deps) {
    const { phone } = await ownSandbox(deps, identity, params.id)
    const contact = query.contact === undefined ? null : contactDigits('contact', query.contact)
    const state = await sendSandboxRequest<SandboxConditions>(deps, { kind: 'conditions', phone, contact }, gone())
    return { cut_until: isoOrNull(state.cutUntilMs), online: state.online, read_receipts: state.readReceipts }
  },
})
