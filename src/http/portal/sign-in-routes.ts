import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { SignInAttempts } from '../../actions/sign-in-attempts.ts'
import { signIn, signInByLink, signUp } from '../../actions/sign-in.ts'
import { hashToken } from '../../domain/token.ts'
import { VERSION } from '../../version.ts'
import type { Parts } from '../parts.ts'
import { Email, GivenPassword, NewPassword, Strict } from '../schemas.ts'
import { clientAddress } from './client-address.ts'
import { type Doorkeeper, post } from './post.ts'
import { clearSessionCookie, setSessionCookie, tokenOf } from './session-cookie.ts'

const Credentials = Strict({ email: Type.String({ minLength: 1, maxLength: 255 }), password: GivenPassword })
const Link = Strict({ token: Type.String({ minLength: 1, maxLength: 200 }) })
const NewAccount = Strict({
  name: Type.String({ minLength: 1, maxLength: 200 }),
  email: Email,
  password: NewPassword,
})

/** Coming in and going out. */
export function serveSignIn(app: FastifyInstance, parts: Parts & { attempts: SignInAttempts }): void {
  /** A new token each time: one that was planted in the browser before is worth nothing. */
  const welcome = async (request: FastifyRequest, reply: FastifyReply, token: string) => {
    await endSession(parts, request)
    setSessionCookie(reply, parts.publicUrl(), token)
    return { signed_in: true }
  }

  const before: Doorkeeper = request => parts.attempts.knock(clientAddress(request, parts.publicUrl()))

  app.get('/sign-in-options', async () => ({ signup: parts.config.signup, version: VERSION }))
  post(app, '/sign-in', { body: Credentials, before }, async (body, request, reply) =>
    welcome(request, reply, await signIn(parts, { ...body, address: clientAddress(request, parts.publicUrl()) })),
  )
  post(app, '/sign-in/link', { body: Link, before }, async (body, request, reply) =>
    welcome(request, reply, await signInByLink(parts, { ...body, address: clientAddress(request, parts.publicUrl()) })),
  )
  post(app, '/sign-up', { body: NewAccount, before }, async (body, request, reply) =>
    welcome(request, reply, await signUp(parts, { ...body, address: clientAddress(request, parts.publicUrl()) })),
  )
  post(app, '/sign-out', { body: Strict({}), before }, async (_body, request, reply) => {
    await endSession(parts, request)
    clearSessionCookie(reply, parts.publicUrl())
    return { signed_out: true }
  })
}

async function endSession({ store, publicUrl }: Parts, request: FastifyRequest): Promise<void> {
  const token = tokenOf(request, publicUrl())
  if (token !== undefined) await store.endPortalSession(hashToken(token))
}
