import { Type } from '../type.ts'
import { changeEmail as setEmail, changePassword as setPassword } from '../../actions/sign-in/sign-in.ts'
import { PLANS } from '../../domain/account.ts'
import { VERSION } from '../../version.ts'
import { route } from '../route.ts'
import { Email, GivenPassword, iso, NewPassword, Nullable, OneOf, Strict, Time } from '../schemas.ts'
import { clientAddress } from './client-address.ts'
import { FEW_FIELDS } from '../limits/json-shape.ts'
import { clearSessionCookie, tokenOf } from './session-cookie.ts'
import { SignedOut, signInOptions } from './sign-in-routes.ts'

/** A user may call these whether or not its account has accepted the Terms; no key can call them. */
const ofUser = { tag: 'User', scope: null, beforeTerms: true, status: 200 } as const

export const getVisitor = route({
  method: 'GET',
  path: '/session',
  summary: 'Get the signed-in user and the account',
  ...ofUser,
  response: Strict({
    user: Strict({
      id: Type.String(),
      email: Type.String(),
      is_operator: Type.Boolean(),
      has_password: Type.Boolean(),
    }),
    account: Strict({
      id: Type.String(),
      name: Type.String(),
      plan: OneOf(PLANS),
      tos_accepted: Type.Boolean(),
      tos_version: Nullable(Type.String()),
      current_tos_version: Type.String(),
      created_at: Time,
    }),
    mode: OneOf(['development', 'production'] as const),
    sandbox: Type.Boolean({ description: 'Whether the gateway has a sandbox network.' }),
    ...signInOptions,
  }),
  handler: async ({ identity: { user, account } }, { config }) => ({
    user: {
      id: user!.id,
      email: user!.email,
      is_operator: user!.isOperator,
      has_password: user!.passwordHash !== null,
    },
    account: {
      id: account.id,
      name: account.name,
      plan: account.plan,
      tos_accepted: account.tosAcceptedAt !== null,
      tos_version: account.tosVersion,
      current_tos_version: config.tosVersion,
      created_at: iso(account.createdAt),
    },
    mode: config.mode,
    sandbox: config.sandbox,
    signup: config.signup,
    version: VERSION,
  }),
})

export const signOutEverywhere = route({
  method: 'POST',
  path: '/sign-out-everywhere',
  summary: 'Sign the user out in every browser',
  ...ofUser,
  body: Strict({}),
  ...FEW_FIELDS,
  response: SignedOut,
  async handler({ identity, reply }, { store, publicUrl }) {
    await store.users.endPortalSessions({ userId: identity.user!.id, keepTokenHash: null })
    clearSessionCookie(reply, publicUrl())
    return { signed_out: true }
  },
})

const Changed = Strict({ changed: Type.Literal(true) })

export const changePassword = route({
  method: 'POST',
  path: '/password',
  summary: 'Set or change the password, and sign out other browsers',
  ...ofUser,
  body: Strict({ current_password: Type.Optional(GivenPassword), new_password: NewPassword }),
  ...FEW_FIELDS,
  response: Changed,
  async handler({ identity, body, reply: { request } }, deps) {
    const token = tokenOf(request, deps.publicUrl())!
    const address = clientAddress(request, deps.publicUrl())
    const { current_password: current, new_password: next } = body
    await setPassword(deps, { user: identity.user!, token, current, next, address })
    return { changed: true }
  },
})

export const changeEmail = route({
  method: 'POST',
  path: '/email',
  summary: 'Change the email that the user signs in with',
  ...ofUser,
  body: Strict({ email: Email, password: Type.Optional(GivenPassword) }),
  ...FEW_FIELDS,
  response: Changed,
  async handler({ identity, body: { email, password }, reply: { request } }, deps) {
    const address = clientAddress(request, deps.publicUrl())
    await setEmail(deps, { user: identity.user!, email, password, address })
    return { changed: true }
  },
})
