import { makeId } from '../domain/ids.ts'
import { normalEmail } from '../domain/user.ts'
import type { Login } from '../store/users/users.ts'
import { hashPassword } from './passwords.ts'

/** The credentials that a user signs in with from now on; what is not given stays. */
export async function newLogin({ email, password }: { email?: string; password?: string }): Promise<Login> {
  return {
    ...(email === undefined ? {} : { email: normalEmail(email) }),
    ...(password === undefined ? {} : { passwordHash: await hashPassword(password) }),
    newUserId: makeId('usr'),
  }
}
