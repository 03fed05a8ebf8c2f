import { type Proxy, PROXY_SCHEMES } from '../../domain/proxy.ts'
import { aboutProxy } from '../../domain/sealed.ts'
import type { StoredSession } from '../../store/sessions/sessions.ts'
import type { Deps } from '../deps.ts'
import { OneOf, Strict } from '../schemas.ts'
import { Type } from '../type.ts'

export const ProxySchema = Strict({
  scheme: OneOf(PROXY_SCHEMES),
  host: Type.String(),
  port: Type.Integer(),
})

export const ProxyUrl = Type.String({
  minLength: 1,
  maxLength: 2_048,
  description:
    'A SOCKS5 proxy (`socks5`, or `socks5h` for the same), or an HTTP proxy that allows CONNECT (`http`, or `https` with TLS to the proxy). The proxy resolves the names of the platform. It must be at a public address, or at one of `POSTERN_ALLOWED_TARGETS`.',
  examples: ['socks5://user:password@proxy.example.com:1080'],
})

/** Without the credentials. */
export function showProxy({ seal }: Pick<Deps, 'seal'>, session: StoredSession) {
  if (session.proxy === null) return null
  const { scheme, host, port } = seal.openJson<Proxy>(session.proxy, aboutProxy(session.id))
  return { scheme, host, port }
}
