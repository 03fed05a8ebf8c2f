import type { FastifyReply, FastifyRequest } from 'fastify'
import { SESSION_LIFETIME_MS } from '../../actions/sign-in/sign-in.ts'

const TOKEN = /^[A-Za-z0-9_-]{43}$/

/** Over https the name itself makes browsers reject the cookie from another host or over plain http. */
const cookieName = (publicUrl: string): string => (publicUrl.startsWith('https:') ? '__Host-postern' : 'postern')

/** The browser's token, or `undefined` if there is no valid one. */
export function tokenOf(request: FastifyRequest, publicUrl: string): string | undefined {
  const prefix = `${cookieName(publicUrl)}=`
  const found = (request.headers.cookie ?? '')
    .split(';')
    .map(part => part.trim())
    .find(part => part.startsWith(prefix))
  const token = found?.slice(prefix.length)
  return token !== undefined && TOKEN.test(token) ? token : undefined
}

export function setSessionCookie(reply: FastifyReply, publicUrl: string, token: string): void {
  writeCookie(reply, publicUrl, token, Math.floor(SESSION_LIFETIME_MS / 1000))
}

export function clearSessionCookie(reply: FastifyReply, publicUrl: string): void {
  writeCookie(reply, publicUrl, '', 0)
}

function writeCookie(reply: FastifyReply, publicUrl: string, value: string, maxAgeSeconds: number): void {
  const secure = publicUrl.startsWith('https:') ? '; Secure' : ''
  void reply.header(
    'set-cookie',
    `${cookieName(publicUrl)}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax${secure}`,
  )
}
