import type { Account } from '../domain/account.ts'
import { emailTaken, missing, notFound } from '../domain/errors.ts'
import type { Store } from '../store/store.ts'
import type { AccountChange } from '../store/accounts/accounts.ts'
import { makeId } from '../domain/ids.ts'
import { normalEmail } from '../domain/user.ts'
import type { Login } from '../store/users/users.ts'
import { hashPassword } from './sign-in/passwords.ts'

/** Makes all of the changes that are given, or none. */
export async function changeAccount(
  { store }: { store: Pick<Store, 'accounts'> },
  change: AccountChange,
): Promise<Account> {
  const result = await store.accounts.updateAccount(change)
  switch (result.kind) {
    case 'updated':
      return result.account
    case 'unknown':
      throw notFound('account')
    case 'email_taken':
      throw emailTaken()
    case 'email_needed':
      throw missing('email is required: this account has no user who signs in yet', 'email')
    default: {
      const never: never = result
      return never
    }
  }
}

/** The credentials that a user signs in with from now on; an omitted one stays. */
export async function newLogin({ email, password }: { email?: string; password?: string }): Promise<Login> {
  return {
    ...(email === undefined ? {} : { email: normalEmail(email) }),
    ...(password === undefined ? {} : { passwordHash: await hashPassword(password) }),
    newUserId: makeId('usr'),
  }
}
