import type { Account } from '../domain/account.ts'
import type { ApiKey, Scope } from '../domain/api-key.ts'
import { foreignSession, GatewayError, text } from '../domain/errors.ts'
import type { User } from '../store/users/users.ts'

/** The caller: an account, through a key or a signed-in user, and its permissions. */
export interface Identity {
  account: Account
  scopes: readonly Scope[]
  /** `null`: every session of the account. */
  sessionIds: readonly string[] | null
  key: ApiKey | null
  user: User | null
}

export function requireTerms(identity: Identity): void {
  if (identity.account.tosAcceptedAt !== null) return
  throw new GatewayError('terms_not_accepted', text.termsNotAccepted, {
    hint: 'accept them in the portal, or with POST /v1/tos/accept',
  })
}

export function requireScope(identity: Identity, scope: Scope): void {
  if (!identity.scopes.includes(scope)) throw new GatewayError('scope_missing', `this key lacks the scope "${scope}"`)
}

/** Data of another account, and sessions that the key was not granted, give the same error. */
export function requireOwn(identity: Identity, owned: { accountId: string; sessionId: string }): void {
  if (owned.accountId !== identity.account.id || !maySee(identity, owned.sessionId)) throw foreignSession()
}

function maySee(identity: Identity, sessionId: string): boolean {
  return identity.sessionIds === null || identity.sessionIds.includes(sessionId)
}
