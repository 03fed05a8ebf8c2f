import { Type } from 'typebox'
import { shownOf, renewCode } from '../../actions/answer-pairing.ts'
import { startPairing, watchPairing } from '../../actions/pair-session.ts'
import { GatewayError, notFound } from '../../domain/errors.ts'
import { parsePhone } from '../../domain/jid.ts'
import { isOver, PAIRING_STATUSES, type ShownCode } from '../../domain/pairing.ts'
import type { Store } from '../../store/store.ts'
import type { StoredPairing } from '../../store/pairings/pairings.ts'
import type { Identity } from '../identity.ts'
import type { Deps } from '../deps.ts'
import { ById, iso, OneOf, Strict, Time } from '../schemas.ts'
import { openStream } from '../live/sse.ts'
import { route } from '../route.ts'

/** How long the response waits for the first code, or for the reason why there is none. */
const FIRST_CODE_MS = 5_000

export const PasskeyOptionsSchema = Type.Object(
  { challenge: Type.String() },
  { additionalProperties: true, description: 'For `PublicKeyCredential.parseRequestOptionsFromJSON`, as it is.' },
)

export const Pairing = Strict({
  id: Type.String(),
  status: OneOf(PAIRING_STATUSES, {
    description:
      'waiting: a code is shown. scanned: the phone has it. passkey: the platform wants the word of the number’s passkey. ' +
      'confirm: phone and caller show a code, and a person says that they are the same. linked: done; the rest are ends too.',
  }),
  qr: Type.Optional(
    Type.String({ description: 'To be shown as a QR code and scanned by the phone; it renews itself.' }),
  ),
  code: Type.Optional(
    Type.String({
      description:
        'To be typed on the phone; the platform has taken it. It renews itself. With the status confirm it is compared with ' +
        'what the phone shows.',
    }),
  ),
  passkey: Type.Optional(
    Strict(
      {
        options: PasskeyOptionsSchema,
        link: Type.String({
          description: 'A secret for the browser extension: with it the request can be read and answered once.',
        }),
      },
      { description: 'With the status passkey: what its key is asked to sign, on a page of web.whatsapp.com.' },
    ),
  ),
  session_id: Type.Optional(Type.String({ description: 'The number, once it is linked.' })),
  detail: Type.Optional(Type.String({ description: 'While it is pending: why no code can be shown yet.' })),
  retry_at: Type.Optional(
    Type.String({
      format: 'date-time',
      description: 'While it is pending: when a code is asked for again, where the platform wants us to wait.',
    }),
  ),
  error: Type.Optional(Type.String({ description: 'Why it failed.' })),
  expires_at: Time,
})

/** What the caller of a pairing has to do now: a code that renews itself, or how the pairing ended. */
export function showPairing(deps: Pick<Deps, 'seal' | 'clock' | 'publicUrl'>, pairing: StoredPairing) {
  const step = shownOf(deps, pairing)
  const expired = !isOver(pairing.status) && pairing.expiresAt <= deps.clock.now().getTime()
  return {
    id: pairing.id,
    status: expired ? ('expired' as const) : pairing.status,
    ...(expired || step === null ? {} : showCode(deps, pairing.id, step)),
    ...(pairing.sessionId === null ? {} : { session_id: pairing.sessionId }),
    ...(pairing.error === null ? {} : { [expired || isOver(pairing.status) ? 'error' : 'detail']: pairing.error }),
    ...(isWaitingToAsk(pairing) && { retry_at: iso(pairing.stepExpiresAt!) }),
    expires_at: iso(step === null ? pairing.expiresAt : (pairing.stepExpiresAt ?? pairing.expiresAt)),
  }
}

const isWaitingToAsk = ({ status, step, stepExpiresAt }: StoredPairing): boolean =>
  status === 'pending' && step === null && stepExpiresAt !== null

function showCode({ publicUrl }: Pick<Deps, 'publicUrl'>, id: string, { passkey, ...codes }: ShownCode) {
  if (passkey === undefined) return codes
  const { options, ticket } = passkey
  // Behind the #, so that no log on the way has it.
  return { ...codes, passkey: { options, link: `${publicUrl()}/passkey/${id}#${ticket}` } }
}

/** A key that is limited to certain numbers cannot add others. */
export function requireAllSessions(identity: Identity): void {
  if (identity.sessionIds !== null) throw new GatewayError('key_limited', 'this key is limited to certain numbers')
}

export async function ownPairing(
  { store }: { store: Pick<Store, 'pairings'> },
  identity: Identity,
  id: string,
): Promise<StoredPairing> {
  requireAllSessions(identity)
  const pairing = await store.pairings.getPairing(id)
  if (pairing === undefined || pairing.accountId !== identity.account.id) throw notFound('pairing')
  return pairing
}

/** What calls have in common that pass something on to a pairing's worker and show the pairing afterwards. */
export const ANSWERS_A_PAIRING = {
  scope: 'manage' as const,
  params: ById,
  status: 200 as const,
  response: Pairing,
  errors: [404, 502],
  work: 'waiting' as const,
}

export const createPairing = route({
  method: 'POST',
  path: '/v1/pairings',
  tag: 'Numbers',
  summary: 'Link a number: by a QR code that its phone scans, or by a code that is typed on it',
  description:
    'Codes renew themselves: follow GET /v1/pairings/{id}/events, or ask again until it is linked. A sandbox number is ' +
    'scanned with POST /sandbox/pairings/{id}/scan.',
  scope: 'manage',
  body: Strict({
    method: OneOf(['qr', 'code'] as const),
    phone: Type.Optional(Type.String({ maxLength: 30, description: 'The number; required with method code.' })),
    label: Type.Optional(Type.String({ maxLength: 100 })),
    platform: Type.Optional(OneOf(['whatsapp', 'sandbox'] as const, { default: 'whatsapp' })),
  }),
  status: 201,
  response: Pairing,
  example: { body: { method: 'code', phone: '+1 555 123 4567', label: 'Support' } },
  async handler({ identity, body }, deps) {
    requireAllSessions(identity)
    const platform = body.platform ?? 'whatsapp'
    const phone = body.phone === undefined ? null : parsePhone('phone', body.phone)
    const request = { accountId: identity.account.id, platform, method: body.method, phone, label: body.label ?? '' }
    return showPairing(deps, await firstCode(deps, await startPairing(deps, request)))
  },
})

export const getPairing = route({
  method: 'GET',
  path: '/v1/pairings/:id',
  tag: 'Numbers',
  summary: 'How a pairing stands',
  description:
    'The code to scan or to type in, and what is to be done next. Codes change while it waits: ask again, or follow its events.',
  scope: 'manage',
  params: ById,
  status: 200,
  response: Pairing,
  errors: [404],
  handler: async ({ identity, params }, deps) => showPairing(deps, await ownPairing(deps, identity, params.id)),
})

export const cancelPairing = route({
  method: 'DELETE',
  path: '/v1/pairings/:id',
  tag: 'Numbers',
  summary: 'Cancel a pairing; one that is over stays as it is',
  description: 'Unless it is over already, the number stays unlinked.',
  scope: 'manage',
  params: ById,
  status: 200,
  response: Pairing,
  errors: [404],
  async handler({ identity, params }, deps) {
    const { id } = await ownPairing(deps, identity, params.id)
    const ended = await deps.store.pairings.endPairing({ id, status: 'cancelled', error: null })
    return showPairing(deps, ended!)
  },
})

export const followPairing = route({
  method: 'GET',
  path: '/v1/pairings/:id/events',
  tag: 'Numbers',
  summary: 'The steps of a pairing as server-sent events, until it is over',
  description: 'Each event is named `pairing` and carries what GET /v1/pairings/{id} would answer.',
  scope: 'manage',
  params: ById,
  status: 200,
  response: Type.String(),
  contentType: 'text/event-stream',
  errors: [404],
  async handler({ identity, params, reply }, deps) {
    const first = await ownPairing(deps, identity, params.id)
    const stream = await openStream(reply, deps)
    let latest = first
    try {
      for await (const pairing of watchToItsEnd(deps, first, stream.signal)) {
        latest = pairing
        stream.send('pairing', showPairing(deps, pairing))
      }
      if (!isOver(latest.status)) stream.send('pairing', showPairing(deps, latest))
    } finally {
      stream.end()
    }
  },
})

/** Until the pairing ends: a step that needs a person extends it. */
async function* watchToItsEnd(
  deps: Pick<Deps, 'clock' | 'store'>,
  first: StoredPairing,
  signal: AbortSignal,
): AsyncGenerator<StoredPairing> {
  let { expiresAt } = first
  for (let watchedTo = 0; watchedTo < expiresAt && !signal.aborted; ) {
    watchedTo = expiresAt
    const leftMs = Math.max(0, expiresAt - deps.clock.now().getTime())
    const until = AbortSignal.any([signal, AbortSignal.timeout(leftMs + 1_000)])
    for await (const pairing of watchPairing(deps, first.id, until)) {
      expiresAt = pairing.expiresAt
      yield pairing
      if (isOver(pairing.status)) return
    }
  }
}

async function firstCode(deps: Deps, created: StoredPairing): Promise<StoredPairing> {
  let latest = created
  for await (const pairing of watchPairing(deps, created.id, AbortSignal.timeout(FIRST_CODE_MS))) {
    latest = pairing
    if (pairing.status !== 'pending' || pairing.error !== null) break
  }
  return latest
}

export const askForNewCode = route({
  method: 'POST',
  path: '/v1/pairings/:id/code',
  tag: 'Numbers',
  summary: 'Have another code to type in place of the one that a pairing shows',
  description:
    'Codes renew themselves every three minutes, and when the platform takes one back. Asking for many makes the ' +
    'platform give none for a while: the pairing is then pending, with detail and retry_at.',
  ...ANSWERS_A_PAIRING,
  async handler({ identity, params, gone }, deps) {
    await renewCode(deps, await ownPairing(deps, identity, params.id), gone())
    return showPairing(deps, await ownPairing(deps, identity, params.id))
  },
})
