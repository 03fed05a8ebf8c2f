import type { FastifyInstance, FastifyRequest } from 'fastify'
import { accountRoutes, operatorRoutes } from '../routes.ts'
import { type Gate, serveOperatorRoute, serveRoute, serveVisitorRoute, type Admit } from '../serve-route.ts'
import { userRoutes, visitorRoutes } from './portal-routes.ts'
import { isIP } from 'node:net'
import type { Config } from '../../config.ts'
import { SCOPES } from '../../domain/api-key.ts'
import { GatewayError } from '../../domain/errors.ts'
import { AsyncCache } from '../../runtime/async-cache.ts'
import { hashToken } from '../../domain/token.ts'
import type { Store } from '../../store/store.ts'
import type { Identity } from '../identity.ts'
import type { Deps } from '../deps.ts'
import { accountCaller } from '../limits/request-limits.ts'
import { clientAddress } from './client-address.ts'
import { tokenOf } from './session-cookie.ts'

/** The operations of the API under a cookie session, and those of the portal alone. */
export function servePortal(app: FastifyInstance, deps: Deps): void {
  const admit = makeAdmit(deps)
  void app.register(
    async portal => {
      portal.addHook('onRequest', async request => requireSameOrigin(request, deps.config, deps.publicUrl()))
      for (const route of visitorRoutes) serveVisitorRoute(portal, route, notTooOften(deps), deps)
      for (const route of [...accountRoutes, ...userRoutes]) serveRoute(portal, route, admit, deps)
      for (const route of operatorRoutes) serveOperatorRoute(portal, route, operatorOnly(admit), deps)
    },
    { prefix: '/portal/api' },
  )
}

/** Counts writes by address, before any other check. */
function notTooOften({ attempts, publicUrl }: Deps): Gate {
  return async request => {
    if (request.method !== 'GET') attempts.countRequest(clientAddress(request, publicUrl()))
  }
}

/**
 * A write must come from the portal's own pages. Browsers send the page's origin with every write; a request without it is
 * accepted only if the browser declares it same-origin.
 */
function requireSameOrigin(request: FastifyRequest, config: Pick<Config, 'publicUrl'>, publicUrl: string): void {
  if (request.method === 'GET' || request.method === 'HEAD') return
  const { origin } = request.headers
  const site = request.headers['sec-fetch-site']
  const own = origin === undefined ? site === 'same-origin' : isOwn(origin, request, config, publicUrl)
  if (own && (site === undefined || site === 'same-origin')) return
  throw new GatewayError(
    'origin_not_allowed',
    `Origin must be ${publicUrl}; if browsers use another address, set POSTERN_PUBLIC_URL to it`,
  )
}

function isOwn(origin: string, request: FastifyRequest, config: Pick<Config, 'publicUrl'>, publicUrl: string): boolean {
  if (origin === publicUrl) return true
  if (config.publicUrl !== null) return false
  const { host = '' } = request.headers
  return origin === `http://${host}` && isFixedHost(host)
}

/** A host name that no foreign name server can point at this machine. */
function isFixedHost(host: string): boolean {
  const name = host.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1')
  return name === 'localhost' || isIP(name) !== 0
}

const RATE = { perSecond: 50, burst: 500 }
/** The streams of one browser share one check of its session. */
const STILL_ADMITTED_MS = 250
const MAX_REMEMBERED = 10_000

type AdmitDeps = Pick<Deps, 'publicUrl' | 'authThrottle'> & { store: Pick<Store, 'accounts' | 'users'> }

const signedOut = (): GatewayError => new GatewayError('sign_in_required', 'sign in first')

/** Admits a signed-in user, with all rights of the account. The session is read each time, so that signing out takes effect at once. */
function makeAdmit(deps: AdmitDeps & Pick<Deps, 'clock' | 'requestLimits'>): Admit {
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
    // The log shows whose account it was.
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
