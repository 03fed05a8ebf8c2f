import { Type } from '../type.ts'
import { shownOf, renewCode } from '../../actions/answer-pairing.ts'
import { startPairing, watchPairing } from '../../actions/pair-session.ts'
import { GatewayError, invalid, notFound } from '../../domain/errors.ts'
import { FIRST_HISTORY } from '../../domain/history.ts'
import { parsePhone, phoneJid } from '../../domain/jid.ts'
import { isOver, PAIRING_STATUSES, type ShownCode } from '../../domain/pairing.ts'
import type { Store } from '../../store/store.ts'
import type { StoredPairing } from '../../store/pairings/pairings.ts'
import { parseProxyUrl } from '../../net/proxy-url.ts'
import type { Identity } from '../identity.ts'
import type { Deps } from '../deps.ts'
import { ById, DescribedTime, iso, OneOf, Strict } from '../schemas.ts'
import { openStream } from '../live/sse.ts'
import { route } from '../route.ts'
import { ProxyUrl } from './proxy-schema.ts'

/** How long the response waits for the first code, or for the reason why there is none. */
const FIRST_CODE_MS = 5_000

export const PasskeyOptionsSchema = Type.Object(
  { challenge: Type.String() },
  {
    additionalProperties: true,
    description: 'Pass it unchanged to `PublicKeyCredential.parseRequestOptionsFromJSON`.',
  },
)

export const Pairing = Strict({
  id: Type.String(),
  status: OneOf(PAIRING_STATUSES, {
    description:
      'pending: there is no code yet. waiting: show the code. scanned: the phone has read it. ' +
      'passkey: the platform requires a signature by the number’s passkey. ' +
      'confirm: a person must confirm that the phone shows the same code. linked, failed, cancelled and expired are final.',
  }),
  qr: Type.Optional(
    Type.String({
      description:
        'With the method qr: show this text as a QR code for the phone to scan. It changes while the pairing waits.',
    }),
  ),
  code: Type.Optional(
    Type.String({
      description:
        'With the method code: the code to type on the phone. It changes while the pairing waits. ' +
        'With the status confirm: the code to compare with the one on the phone.',
    }),
  ),
  passkey: Type.Optional(
    Strict(
      {
        options: PasskeyOptionsSchema,
        link: Type.String({
          description:
            'A secret link for the browser extension. Its holder can read the request and respond to it once.',
        }),
      },
      {
        description:
          'Present with the status passkey: the request that the passkey must sign on a page of web.whatsapp.com.',
      },
    ),
  ),
  session_id: Type.Optional(Type.String({ description: 'The number. Present once it is linked.' })),
  history_job_id: Type.Optional(
    Type.String({
      description:
        'With `history`: the job that shows how much of the history has arrived, for GET /v1/sessions/{id}/history/{job}. Present once the number is linked.',
    }),
  ),
  detail: Type.Optional(
    Type.String({ description: 'Present while the pairing is pending: why there is no code yet.' }),
  ),
  retry_at: Type.Optional(
    DescribedTime('Present while the platform makes the pairing wait: when the gateway requests the next code.'),
  ),
  error: Type.Optional(Type.String({ description: 'Why the pairing failed, and what to do.' })),
  expires_at: DescribedTime('When the current code or step expires, or the pairing if it has none.'),
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
    ...(pairing.sessionId !== null && pairing.historyJob !== null && { history_job_id: pairing.historyJob }),
    ...(pairing.error === null ? {} : { [expired || isOver(pairing.status) ? 'error' : 'detail']: pairing.error }),
    ...(isWaitingForCode(pairing) && { retry_at: iso(pairing.stepExpiresAt!) }),
    expires_at: iso(step === null ? pairing.expiresAt : (pairing.stepExpiresAt ?? pairing.expiresAt)),
  }
}

const isWaitingForCode = ({ status, step, stepExpiresAt }: StoredPairing): boolean =>
  status === 'pending' && step === null && stepExpiresAt !== null

function showCode({ publicUrl }: Pick<Deps, 'publicUrl'>, id: string, { passkey, ...codes }: ShownCode) {
  if (passkey === undefined) return codes
  const { options, ticket } = passkey
  // Behind the #, so that no server on the way logs it.
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

/** The common part of routes that pass an answer to a pairing's worker and show the pairing afterwards. */
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
  summary: 'Link a number with a QR code or with a code that you type on the phone',
  description:
    'The code changes while the pairing waits: follow GET /v1/pairings/{id}/events, or poll GET /v1/pairings/{id}, until the number is linked. ' +
    'To scan the code of a sandbox number, use POST /sandbox/pairings/{id}/scan.',
  scope: 'manage',
  body: Strict({
    method: OneOf(['qr', 'code'] as const),
    phone: Type.Optional(
      Type.String({
        maxLength: 30,
        description: 'The phone number with its country code. Required with the method code.',
      }),
    ),
    label: Type.Optional(Type.String({ maxLength: 100 })),
    platform: Type.Optional(OneOf(['whatsapp', 'sandbox'] as const, { default: 'whatsapp' })),
    history: Type.Optional(
      Type.Boolean({
        description: `The messages that the phone sends after it is linked become events of kind message with \`historic: true\` at endpoints that include history: at most ${FIRST_HISTORY.messages}, of the last ${FIRST_HISTORY.days} days.`,
      }),
    ),
    proxy: Type.Optional(
      Strict(
        { url: ProxyUrl },
        {
          description:
            'Links the number through this proxy, which it keeps. Without it, a number that you name in `phone` is linked through the proxy that it has.',
        },
      ),
    ),
  }),
  status: 201,
  response: Pairing,
  example: { body: { method: 'code', phone: '+1 555 123 4567', label: 'Support' } },
  async handler({ identity, body }, deps) {
    requireAllSessions(identity)
    const platform = body.platform ?? 'whatsapp'
    const phone = body.phone === undefined ? null : parsePhone('phone', body.phone)
    const proxy = body.proxy === undefined ? null : parseProxyUrl('proxy.url', body.proxy.url, deps.targets)
    const { method, label = '', history = false } = body
    const accountId = identity.account.id
    const sessionId = phone === null ? null : phoneJid(phone)
    if (history && !(await deps.store.endpoints.isIncludedForNew({ accountId, sessionId, word: 'history' })))
      throw invalid(
        'history needs an endpoint that includes history: create one with "include": ["history"]',
        'history',
      )
    const request = { accountId, platform, method, phone, label, proxy, history }
    return showPairing(deps, await firstCode(deps, await startPairing(deps, request)))
  },
})

export const getPairing = route({
  method: 'GET',
  path: '/v1/pairings/:id',
  tag: 'Numbers',
  summary: 'Get the state of a pairing',
  description:
    'The response has the code to scan or to type, and the next step. The code changes while the pairing waits: poll, or follow its events.',
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
  summary: 'Cancel a pairing',
  description: 'The number stays unlinked. A pairing that has ended does not change.',
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
  summary: 'Follow a pairing as server-sent events until it ends',
  description: 'Each event is named `pairing` and has the body of GET /v1/pairings/{id}.',
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
  summary: 'Request a new code to type for a pairing',
  description:
    'The gateway renews the code every three minutes, and when the platform withdraws it. If you request many codes, the ' +
    'platform makes you wait: the pairing is then pending and has detail and retry_at.',
  ...ANSWERS_A_PAIRING,
  async handler({ identity, params, gone }, deps) {
    await renewCode(deps, await ownPairing(deps, identity, params.id), gone())
    return showPairing(deps, await ownPairing(deps, identity, params.id))
  },
})
