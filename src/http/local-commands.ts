import type { FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { SCOPES } from '../domain/api-key.ts'
import { GatewayError, invalid } from '../domain/errors.ts'
import { isSameToken, LOCAL_TOKEN_PREFIX } from '../boot/local-access.ts'
import type { Store } from '../store/store.ts'
import type { Identity } from './identity.ts'
import { type RequestLimits, accountCaller } from './limits/request-limits.ts'

interface LocalDeps extends Pick<Context, 'localToken'> {
  store: Pick<Store, 'accounts' | 'users'>
  requestLimits: RequestLimits
}

/** The account that a command acts for; without it, the account of the first start. */
const ACCOUNT_HEADER = 'x-postern-account'

/** Commands on the same machine, by users who can read the data folder: they act as the operator or as any account. */
export class LocalCommands {
  readonly #deps: LocalDeps

  constructor(deps: LocalDeps) {
    this.#deps = deps
  }

  /** A direct connection from this machine, without a proxy, with the token of this process. */
  isLocal(request: FastifyRequest): boolean {
    const { authorization } = request.headers
    if (authorization === undefined || !authorization.startsWith(`Bearer ${LOCAL_TOKEN_PREFIX}`)) return false
    return isOwnMachine(request) && isSameToken(authorization, `Bearer ${this.#deps.localToken}`)
  }

  async identify(request: FastifyRequest): Promise<Identity> {
    const { store, requestLimits } = this.#deps
    const named = request.headers[ACCOUNT_HEADER]
    const id = typeof named === 'string' ? named : (await store.users.findOperator())?.accountId
    if (id === undefined) throw invalid('there is no first account: name one with --account')
    const account = await store.accounts.getAccount(id)
    if (account === undefined) throw new GatewayError('not_found', 'account not found')
    const identity: Identity = { account, scopes: SCOPES, sessionIds: null, key: null, user: null }
    request.stillAdmitted = async () => (await store.accounts.getAccount(id)) !== undefined
    requestLimits.count(accountCaller(identity))
    return identity
  }
}

const LOOPBACK = /^(127\.|::1$|::ffff:127\.)/

function isOwnMachine({ headers, raw: { socket } }: FastifyRequest): boolean {
  if (headers['x-forwarded-for'] !== undefined || headers['forwarded'] !== undefined) return false
  const { remoteAddress, localAddress } = socket
  if (remoteAddress === undefined || localAddress === undefined) return false
  return remoteAddress === localAddress || (LOOPBACK.test(remoteAddress) && LOOPBACK.test(localAddress))
}
