import { type GatewayError, invalid } from '../domain/errors.ts'
import { type Proxy, PROXY_SCHEMES, type ProxyScheme } from '../domain/proxy.ts'
import type { TargetPolicy } from './address-guard.ts'
import { deceptive, hostProblem, isAllowedPort, urlError } from './target-url.ts'

const MAX_LENGTH = 2_048
/** SOCKS5 writes the length of each in one byte. */
const MAX_CREDENTIAL_BYTES = 255
const DEFAULT_PORT: Record<ProxyScheme, number> = { socks5: 1080, socks5h: 1080, http: 80, https: 443 }
/** Ports that no webhook may use, and that proxies listen on. */
const PROXY_PORTS = new Set([1080, 3128, 7000, 7001, 10080])

/**
 * Reads the URL of a proxy that a customer names, and rejects hosts that the address guard forbids. A name is checked
 * again by the addresses that it resolves to, each time it is dialled. No error repeats the URL: it may have a password.
 */
export function parseProxyUrl(field: string, text: string, policy: TargetPolicy): Proxy {
  const malformed = (): GatewayError =>
    invalid(`${field} must be a URL such as socks5://user:password@proxy.example.com:1080`, field)
  if (text.length > MAX_LENGTH || deceptive.test(text) || !URL.canParse(text)) throw malformed()
  const url = new URL(text)
  const scheme = PROXY_SCHEMES.find(each => `${each}:` === url.protocol)
  if (scheme === undefined) throw invalid(`${field} must use socks5, http or https`, field)
  if (!['', '/'].includes(url.pathname) || url.search !== '' || url.hash !== '')
    throw invalid(`${field} must have no path, query or fragment`, field)
  // URL normalizes the hosts of http only: it leaves other spellings of an address, such as 0x7f.1, as they are.
  const host = URL.canParse(`http://${url.hostname}`) ? new URL(`http://${url.hostname}`).hostname : ''
  if (host === '') throw malformed()
  const port = url.port === '' ? DEFAULT_PORT[scheme] : Number(url.port)
  if (port === 0 || !(isAllowedPort(port) || PROXY_PORTS.has(port))) throw urlError(field, 'port')
  const problem = hostProblem(host, port, policy)
  if (problem !== undefined) throw urlError(field, problem)
  return { scheme, host: host.startsWith('[') ? host.slice(1, -1) : host, port, credentials: credentialsOf(field, url) }
}

function credentialsOf(field: string, url: URL): Proxy['credentials'] {
  if (url.username === '' && url.password === '') return null
  const [username, password] = [decoded(url.username), decoded(url.password)]
  if (username === undefined || password === undefined || username === '')
    throw invalid(`${field} must have a user name and a password, with special characters as %XX`, field)
  if ([username, password].some(each => Buffer.byteLength(each) > MAX_CREDENTIAL_BYTES))
    throw invalid(`${field} must have a user name and a password of at most ${MAX_CREDENTIAL_BYTES} bytes each`, field)
  if (url.protocol.startsWith('http') && username.includes(':'))
    throw invalid(`${field} must have a user name without a colon`, field)
  return { username, password }
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
