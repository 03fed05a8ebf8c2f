import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from '../type.ts'
import {
  signIn as signInUser,
  signInByLink as signInUserByLink,
  signUp as signUpUser,
} from '../../actions/sign-in/sign-in.ts'
import { SIGNUPS } from '../../config.ts'
import { hashToken } from '../../domain/token.ts'
import { VERSION } from '../../version.ts'
import type { Deps } from '../deps.ts'
import { visitorRoute } from '../route.ts'
import { Email, GivenPassword, NewPassword, OneOf, Strict } from '../schemas.ts'
import { clientAddress } from './client-address.ts'
import { FEW_FIELDS } from '../limits/json-shape.ts'
import { clearSessionCookie, setSessionCookie, tokenOf } from './session-cookie.ts'

/** The facts about the gateway that pages may show before the sign-in. */
export const signInOptions = { signup: OneOf(SIGNUPS), version: Type.String() }

export const getSignInOptions = visitorRoute({
  method: 'GET',
  path: '/sign-in-options',
  tag: 'Sign-in',
  summary: 'Get the options for visitors who are not signed in',
  status: 200,
  response: Strict(signInOptions),
  handler: async (_asked, { config }) => ({ signup: config.signup, version: VERSION }),
})

const SignedIn = Strict({ signed_in: Type.Literal(true) })
export const SignedOut = Strict({ signed_out: Type.Literal(true) })

export const signIn = visitorRoute({
  method: 'POST',
  path: '/sign-in',
  tag: 'Sign-in',
  summary: 'Sign in with a password',
  body: Strict({ email: Type.String({ minLength: 1, maxLength: 255 }), password: GivenPassword }),
  ...FEW_FIELDS,
  status: 200,
  response: SignedIn,
  handler: async ({ body, reply }, deps) =>
    startSession(deps, reply, await signInUser(deps, { ...body, address: addressOf(deps, reply.request) })),
})

export const signInByLink = visitorRoute({
  method: 'POST',
  path: '/sign-in/link',
  tag: 'Sign-in',
  summary: 'Sign in with a one-time link',
  body: Strict({ token: Type.String({ minLength: 1, maxLength: 200 }) }),
  ...FEW_FIELDS,
  status: 200,
  response: SignedIn,
  handler: async ({ body, reply }, deps) =>
    startSession(deps, reply, await signInUserByLink(deps, { ...body, address: addressOf(deps, reply.request) })),
})

export const signUp = visitorRoute({
  method: 'POST',
  path: '/sign-up',
  tag: 'Sign-in',
  summary: 'Create an account and sign in to it',
  body: Strict({ name: Type.String({ minLength: 1, maxLength: 200 }), email: Email, password: NewPassword }),
  ...FEW_FIELDS,
  status: 200,
  response: SignedIn,
  handler: async ({ body, reply }, deps) =>
    startSession(deps, reply, await signUpUser(deps, { ...body, address: addressOf(deps, reply.request) })),
})

export const signOut = visitorRoute({
  method: 'POST',
  path: '/sign-out',
  tag: 'Sign-in',
  summary: 'Sign out in this browser',
  body: Strict({}),
  ...FEW_FIELDS,
  status: 200,
  response: SignedOut,
  async handler({ reply }, deps) {
    await endSession(deps, reply.request)
    clearSessionCookie(reply, deps.publicUrl())
    return { signed_out: true }
  },
})

const addressOf = ({ publicUrl }: Deps, request: FastifyRequest): string => clientAddress(request, publicUrl())

/** A new token for each sign-in: a token that was planted in the browser before is worthless. */
async function startSession(deps: Deps, reply: FastifyReply, token: string) {
  await endSession(deps, reply.request)
  deps.authThrottle.trust(`session ${hashToken(token).toString('hex')}`)
  setSessionCookie(reply, deps.publicUrl(), token)
  return { signed_in: true }
}

async function endSession({ store, publicUrl }: Deps, request: FastifyRequest): Promise<void> {
  const token = tokenOf(request, publicUrl())
  if (token !== undefined) await store.users.endPortalSession(hashToken(token))
}
