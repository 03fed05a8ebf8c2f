import type { FastifyRequest } from 'fastify'
import { SCOPES } from '../../domain/api-key.ts'
import { GatewayError } from '../../domain/errors.ts'
import { AsyncCache } from '../../runtime/async-cache.ts'
import { hashToken } from '../../domain/token.ts'
import type { Store } from '../../store/store.ts'
import type { Identity } from '../identity.ts'
import type { Deps } from '../deps.ts'
import { accountCaller } from '../limits/rate-limited-callers.ts'
import type { Admit, Gate } from '../serve-route.ts'
import { clientAddress } from './client-address.ts'
import { tokenOf } from './session-cookie.ts'

const RATE = { perSecond: 50, burst: 500 }
/** Streams of one browser ask together whether they may go on. */
const STILL_ADMITTED_MS = 250
const MAX_REMEMBERED = 10_000

type AdmitDeps = Pick<Deps, 'publicUrl' | 'authThrottle'> & { store: Pick<Store, 'accounts' | 'users'> }

const signedOut = (): GatewayError => new GatewayError('sign_in_required', 'sign in first')

/** A signed-in user, who may do all that the account may. The session is looked up each time: signing out works at once. */
export function makeAdmit(deps: AdmitDeps & Pick<Deps, 'clock' | 'requestLimits'>): Admit {
  const still = new AsyncCache<boolean>(MAX_REMEMBERED, { ms: STILL_ADMITTED_MS, clock: deps.clock })
  return async request => {
    const identity = await findIdentity(deps, request)
    if (identity === undefined) throw signedOut()
    const browser = hashToken(tokenOf(request, deps.publicUrl())!).toString('hex')
    request.stillAdmitted = () => still.get(browser, async () => (await findIdentity(deps, request)) !== undefined)
    deps.requestLimits.count([{ id: `user:${identity.user!.id}`, rate: RATE }, ...accountCaller(identity)])
    return identity
  }
}

/** An operator's own account need not have accepted the Terms that it sets for others. */
export function operatorOnly(admit: Admit): Gate {
  return async request => {
    const identity = await admit(request)
    if (identity.user?.isOperator !== true) throw new GatewayError('operator_only', 'only an operator may do this')
    // The log says which account's user it was.
    request.identity = identity
  }
}

async function findIdentity(
  { store, publicUrl, authThrottle }: AdmitDeps,
  request: FastifyRequest,
): Promise<Identity | undefined> {
  const token = tokenOf(request, publicUrl())
  if (token === undefined) return undefined
  const digest = hashToken(token)
  const session = await authThrottle.check(
    clientAddress(request, publicUrl()),
    `session ${digest.toString('hex')}`,
    () => store.users.findPortalSession(digest),
  )
  if (session === undefined) return undefined
  const account = await store.accounts.getAccount(session.user.accountId)
  if (account === undefined) return undefined
  return { account, scopes: SCOPES, sessionIds: null, key: null, user: session.user }
}
