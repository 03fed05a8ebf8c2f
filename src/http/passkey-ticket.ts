import { timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { Type } from './type.ts'
import { submitPasskey, shownOf } from '../actions/answer-pairing.ts'
import { GatewayError } from '../domain/errors.ts'
import { PAIRING_STATUSES } from '../domain/pairing.ts'
import { hashToken } from '../domain/token.ts'
import type { StoredPairing } from '../store/pairings/pairings.ts'
import { clientAddress } from './portal/client-address.ts'
import type { Deps } from './deps.ts'
import { type VisitorRoute, visitorRoute } from './route.ts'
import type { Gate } from './serve-route.ts'
import { ById, iso, OneOf, Strict, Time } from './schemas.ts'
import { assertionOf, credential } from './v1/passkey.ts'
import { PasskeyOptionsSchema } from './v1/pairings.ts'

/** More than all fields of an assertion together. */
const ASSERTION_BYTES = 32 * 1024

const wrongTicket = (): GatewayError =>
  new GatewayError('link_expired', 'the link is wrong, was used or has expired: copy it again from the portal')

/**
 * The pairing that the request has the ticket of. A ticket is valid for one passkey request: until that is answered or
 * expires.
 */
async function ticketed(deps: Deps, id: string, request: FastifyRequest): Promise<StoredPairing> {
  const { authorization = '' } = request.headers
  const ticket = authorization.startsWith('Bearer ') ? authorization.slice('Bearer '.length) : ''
  const digest = hashToken(`${id} ${ticket}`)
  const address = clientAddress(request, deps.publicUrl())
  const found = await deps.authThrottle.check(address, `ticket ${digest.toString('hex')}`, () => find(deps, id, digest))
  if (found === undefined) throw wrongTicket()
  return found
}

async function find(deps: Deps, id: string, digest: Buffer): Promise<StoredPairing | undefined> {
  const pairing = await deps.store.pairings.getPairing(id)
  const isRequested = pairing?.status === 'passkey' && (pairing.stepExpiresAt ?? 0) > deps.clock.now().getTime()
  const ticket = isRequested ? shownOf(deps, pairing)?.passkey?.ticket : undefined
  return ticket !== undefined && timingSafeEqual(hashToken(`${id} ${ticket}`), digest) ? pairing : undefined
}

/** Checks the ticket before the body is read. */
export const ticketGate =
  (deps: Deps): Gate =>
  async request =>
    void (await ticketed(deps, (request.params as { id: string }).id, request))

/** Called by the browser extension with the link that a person has copied from the portal. */
const getRequest = visitorRoute({
  method: 'GET',
  path: '/passkey/:id',
  tag: 'Numbers',
  summary: 'Get the request that a passkey must sign',
  params: ById,
  status: 200,
  response: Strict({ options: PasskeyOptionsSchema, expires_at: Time }),
  async handler({ params, reply }, deps) {
    const pairing = await ticketed(deps, params.id, reply.request)
    const { options } = shownOf(deps, pairing)!.passkey!
    return { options, expires_at: iso(pairing.stepExpiresAt!) }
  },
})

const postAssertion = visitorRoute({
  method: 'POST',
  path: '/passkey/:id',
  tag: 'Numbers',
  summary: 'Submit the signature of the passkey',
  params: ById,
  body: Strict(credential),
  bodyLimit: ASSERTION_BYTES,
  status: 200,
  response: Strict({ id: Type.String(), status: OneOf(PAIRING_STATUSES) }),
  async handler({ params, body, reply, gone }, deps) {
    const pairing = await ticketed(deps, params.id, reply.request)
    await submitPasskey(deps, pairing, { assertion: assertionOf(body), compareCodes: false }, gone())
    const { id, status } = (await deps.store.pairings.getPairing(params.id)) ?? pairing
    return { id, status }
  },
})

/** Authenticated by a ticket alone, without a key or a session. No page can call them, since they send no CORS headers. */
export const ticketRoutes: readonly VisitorRoute[] = [getRequest, postAssertion]
