import type { Context } from '../context.ts'
import type { Account, Limits, Plan } from '../domain/account.ts'
import { mintKey, SCOPES } from '../domain/api-key.ts'
import { emailTaken, missing } from '../domain/errors.ts'
import { makeId } from '../domain/ids.ts'
import { normalEmail } from '../domain/user.ts'
import type { Store } from '../store/store.ts'
import { hashPassword } from './sign-in/passwords.ts'

export interface AccountRequest {
  name: string
  plan: Plan
  limits?: Partial<Limits>
  email?: string
  password?: string
  acceptTos: boolean
  keyLabel: string
}

export interface CreatedAccount {
  account: Account
  apiKey: { id: string; key: string; label: string }
}

/** Creates an account with its first key, and with a user if an email is given. */
export async function createAccount(
  { store, config }: Pick<Context, 'config'> & { store: Pick<Store, 'accounts'> },
  request: AccountRequest,
): Promise<CreatedAccount> {
  if (request.password !== undefined && request.email === undefined)
    throw missing('email is required with password', 'email')
  const { key, stored } = mintKey({ label: request.keyLabel, scopes: [...SCOPES], sessionIds: null })
  const userId = request.email === undefined ? null : makeId('usr')
  const created = await store.accounts.createAccount({
    id: makeId('acc'),
    name: request.name,
    plan: request.plan,
    limitOverrides: request.limits ?? {},
    acceptTosVersion: request.acceptTos ? config.tosVersion : null,
    user:
      userId === null
        ? null
        : {
            id: userId,
            email: normalEmail(request.email!),
            passwordHash: request.password === undefined ? null : await hashPassword(request.password),
            isOperator: false,
          },
    key: stored,
  })
  if (created.kind === 'email_taken') throw emailTaken()
  return { account: created.account, apiKey: { id: stored.id, key, label: stored.label } }
}
