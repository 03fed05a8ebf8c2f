import type { Context } from '../../context.ts'
import { emailTaken, GatewayError, invalid, missing, wrongState } from '../../domain/errors.ts'
import { makeId } from '../../domain/ids.ts'
import { hashToken, makeToken } from '../../domain/token.ts'
import { normalEmail } from '../../domain/user.ts'
import type { Store } from '../../store/store.ts'
import type { User } from '../../store/users/users.ts'
import { hashPassword, isPassword } from './passwords.ts'
import type { SignInAttempts } from './sign-in-attempts.ts'

export const SESSION_LIFETIME_MS = 14 * 86_400_000

interface Deps {
  store: Pick<Store, 'accounts' | 'users'>
  attempts: SignInAttempts
}

/** One text for every failure, so that it does not reveal who has an account. */
const signInFailed = () => new GatewayError('sign_in_failed', 'email or password is wrong')

/** Returns the token of a new portal session. */
export async function signIn(deps: Deps, given: { email: string; password: string; address: string }): Promise<string> {
  const email = normalEmail(given.email)
  deps.attempts.begin(given.address, email)
  const user = await deps.store.users.findUserByEmail(email)
  const right = await isPassword(given.password, user?.passwordHash ?? null)
  if (user === undefined || !right) throw signInFailed()
  deps.attempts.succeed(given.address, email)
  return await openPortalSession(deps, user.id, user.passwordHash)
}

export async function signInByLink(deps: Deps, given: { token: string; address: string }): Promise<string> {
  deps.attempts.begin(given.address)
  const userId = await deps.store.users.takeSignInLink(hashToken(given.token))
  if (userId === undefined) {
    throw new GatewayError(
      'link_expired',
      'this sign-in link was used or has expired; make another one with: postern sign-in-link',
    )
  }
  deps.attempts.succeed(given.address)
  return await openPortalSession(deps, userId)
}

/** Creates an account of the smallest plan, and signs its first user in. */
export async function signUp(
  deps: Deps & Pick<Context, 'config'>,
  given: { name: string; email: string; password: string; address: string },
): Promise<string> {
  if (deps.config.signup !== 'open') {
    throw new GatewayError('sign_up_closed', 'sign-up is closed here: ask the operator for an account')
  }
  deps.attempts.begin(given.address)
  deps.attempts.signUp(given.address)
  const email = normalEmail(given.email)
  const user = { id: makeId('usr'), email, passwordHash: await hashPassword(given.password), isOperator: false }
  const created = await deps.store.accounts.createAccount({
    id: makeId('acc'),
    name: given.name,
    plan: 'free',
    limitOverrides: {},
    acceptTosVersion: null,
    user,
    key: null,
  })
  if (created.kind === 'email_taken') throw emailTaken()
  return await openPortalSession(deps, user.id)
}

async function openPortalSession(
  { store }: Pick<Deps, 'store'>,
  userId: string,
  passwordHash?: string | null,
): Promise<string> {
  const token = makeToken()
  const session = { tokenHash: hashToken(token), userId, lifetimeMs: SESSION_LIFETIME_MS }
  const isOpen = await store.users.createPortalSession(
    passwordHash === undefined ? session : { ...session, passwordHash },
  )
  if (!isOpen) throw signInFailed()
  return token
}

/** Sets a password and ends the user's other portal sessions. The first password needs no current one. */
export async function changePassword(
  deps: Deps,
  given: { user: User; token: string; current: string | undefined; next: string; address: string },
): Promise<void> {
  await requirePassword(deps, given.user, given.current, 'current_password', given.address)
  await deps.store.users.changePassword({
    userId: given.user.id,
    passwordHash: await hashPassword(given.next),
    keepTokenHash: hashToken(given.token),
  })
}

export async function changeEmail(
  deps: Deps,
  given: { user: User; email: string; password: string | undefined; address: string },
): Promise<void> {
  if (given.user.passwordHash === null) throw wrongState('set a password before you change the email')
  await requirePassword(deps, given.user, given.password, 'password', given.address)
  const changed = await deps.store.users.changeEmail({ userId: given.user.id, email: normalEmail(given.email) })
  if (changed === 'email_taken') throw emailTaken()
}

/** An open browser alone must not be enough. */
async function requirePassword(
  { attempts }: Deps,
  user: User,
  password: string | undefined,
  field: string,
  address: string,
): Promise<void> {
  if (user.passwordHash === null) return
  if (password === undefined) throw missing(`${field} is required`, field)
  attempts.begin(address, user.email)
  if (!(await isPassword(password, user.passwordHash))) throw invalid(`${field} is wrong`, field)
  attempts.succeed(address, user.email)
}
