import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { SignInAttempts } from '../../actions/sign-in-attempts.ts'
import { changeEmail, changePassword } from '../../actions/sign-in.ts'
import { VERSION } from '../../version.ts'
import type { Identity } from '../identity.ts'
import type { Parts } from '../parts.ts'
import { Email, GivenPassword, NewPassword, Strict } from '../schemas.ts'
import type { Admit } from '../serve-route.ts'
import { clientAddress } from './client-address.ts'
import { post } from './post.ts'
import { clearSessionCookie, tokenOf } from './session-cookie.ts'

const PasswordChange = Strict({ current_password: Type.Optional(GivenPassword), new_password: NewPassword })
const EmailChange = Strict({ email: Email, password: Type.Optional(GivenPassword) })

/** Who is signed in, and what a user changes about itself. */
export function serveUser(app: FastifyInstance, parts: Parts & { attempts: SignInAttempts }, admit: Admit): void {
  const before = async (request: FastifyRequest) => {
    request.identity = await admit(request)
  }
  const userOf = (request: FastifyRequest) => request.identity!.user!

  app.get('/session', async request => {
    request.identity = await admit(request)
    return describe(parts, request.identity)
  })
  post(app, '/sign-out-everywhere', { body: Strict({}), before }, async (_body, request, reply) => {
    const user = userOf(request)
    await parts.store.endPortalSessions({ userId: user.id, keepTokenHash: null })
    clearSessionCookie(reply, parts.publicUrl())
    return { signed_out: true }
  })
  post(app, '/password', { body: PasswordChange, before }, async (body, request) => {
    const user = userOf(request)
    const token = tokenOf(request, parts.publicUrl())!
    const { current_password: current, new_password: next } = body
    await changePassword(parts, { user, token, current, next, address: clientAddress(request, parts.publicUrl()) })
    return { changed: true }
  })
  post(app, '/email', { body: EmailChange, before }, async (body, request) => {
    const user = userOf(request)
    await changeEmail(parts, {
      user,
      email: body.email,
      password: body.password,
      address: clientAddress(request, parts.publicUrl()),
    })
    return { changed: true }
  })
}

function describe({ config }: Parts, { user, account }: Identity) {
  return {
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
    },
    sandbox: config.sandbox,
    signup: config.signup,
    version: VERSION,
  }
}
