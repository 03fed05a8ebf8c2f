import {
  type TargetPolicy,
  hostAddress,
  isAllowedAddress,
  isOwnAddress,
  isOwnHostname,
  portOf,
  withoutFinalDot,
} from './address-guard.ts'
import { GatewayError } from '../domain/errors.ts'

export type UrlProblem =
  | 'too_long'
  | 'malformed'
  | 'scheme'
  | 'https_required'
  | 'userinfo'
  | 'host'
  | 'port'
  | 'never_public'
  | 'own_address'
  | 'address_not_allowed'

export type UrlVerdict = { readonly ok: true; readonly url: URL } | { readonly ok: false; readonly reason: UrlProblem }

const MAX_URL_LENGTH = 4096
// URL drops tabs and line breaks and turns backslashes into slashes, so people would read another URL than the dialled one.
export const deceptive = /[\s\\\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u
const hostLabel = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/

// Below 1024 only the ports of the web. Above, the ports of well-known services that are not webhook receivers: databases,
// brokers, remote desktops and control interfaces without authentication. None is in the ephemeral range.
const SERVICE_RANGES: readonly (readonly [number, number])[] = [
  [5900, 5909],
  [6000, 6063],
  [6660, 6669],
  [27017, 27019],
]
const SERVICE_PORTS = new Set([
  1080, 1433, 1434, 1521, 1723, 1883, 2049, 2181, 2375, 2376, 2379, 2380, 3128, 3268, 3269, 3306, 3389, 4045, 4190,
  4369, 5060, 5061, 5432, 5433, 5671, 5672, 5984, 5985, 5986, 6379, 6380, 6443, 6514, 6566, 6697, 7000, 7001, 8125,
  8883, 9042, 9092, 9093, 9100, 9160, 9200, 9300, 9418, 10080, 10250, 10255, 11211, 11434, 15672, 16379, 26379, 28015,
  28017,
])

/**
 * Whether a customer's URL may be a target, as far as its text shows. A name is checked again by the addresses that it
 * resolves to, each time a connection is opened.
 */
export function checkUrl(text: string, policy: TargetPolicy): UrlVerdict {
  if (text.length > MAX_URL_LENGTH) return rejected('too_long')
  if (deceptive.test(text) || !URL.canParse(text)) return rejected('malformed')
  const url = new URL(text)
  const reason = urlProblem(url, policy)
  return reason ? rejected(reason) : { ok: true, url }
}

/** The text for the customer about a rejected field. */
export function urlProblemText(field: string, reason: UrlProblem): string {
  return reason === 'https_required' ? `ErrHTTPSRequired: ${field} must use https` : `${field} ${problemTexts[reason]}`
}

const problemTexts: Record<Exclude<UrlProblem, 'https_required'>, string> = {
  too_long: `must be at most ${MAX_URL_LENGTH} characters long`,
  malformed: 'is not a valid URL',
  scheme: 'must use https or http',
  userinfo: 'must not contain a user name or password',
  host: 'must name a valid host',
  port: 'uses a port that is not allowed',
  never_public:
    'must name a public host, not localhost, .local or .internal; use a public name, or add its address to POSTERN_ALLOWED_TARGETS',
  own_address: 'must not point to this gateway',
  address_not_allowed: 'must not point to a private or reserved address',
}

function rejected(reason: UrlProblem): UrlVerdict {
  return { ok: false, reason }
}

function urlProblem(url: URL, policy: TargetPolicy): UrlProblem | undefined {
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'scheme'
  if (url.protocol === 'http:' && policy.requireHttps) return 'https_required'
  if (url.username !== '' || url.password !== '') return 'userinfo'
  if (!isAllowedPort(portOf(url))) return 'port'
  return hostProblem(url.hostname, portOf(url), policy)
}

/** Whether a customer may make the gateway connect to this host, as far as its text shows. */
export function hostProblem(hostname: string, port: number, policy: TargetPolicy): UrlProblem | undefined {
  const address = hostAddress(hostname)
  if (address === undefined) return hostnameProblem(hostname, policy)
  if (!isAllowedAddress(address, policy)) return 'address_not_allowed'
  return isOwnAddress(address, port, policy) ? 'own_address' : undefined
}

function hostnameProblem(hostname: string, policy: TargetPolicy): UrlProblem | undefined {
  const name = withoutFinalDot(hostname)
  if (name.length > 253 || !name.split('.').every(label => hostLabel.test(label))) return 'host'
  if (isOwnHostname(name, policy)) return 'own_address'
  return isNeverPublic(name, policy) ? 'never_public' : undefined
}

/** Names that no public name server may resolve. Their addresses in an allowed range are checked when they are dialled. */
function isNeverPublic(name: string, policy: TargetPolicy): boolean {
  const last = name.slice(name.lastIndexOf('.') + 1)
  if (last === 'localhost') return !LOOPBACK.some(address => isAllowedAddress(address, policy))
  return (last === 'local' || last === 'internal') && policy.allowedRanges.length === 0
}

const LOOPBACK = ['127.0.0.1', '::1']

export function isAllowedPort(port: number): boolean {
  if (port < 1024) return port === 80 || port === 443
  return !SERVICE_PORTS.has(port) && !SERVICE_RANGES.some(([first, last]) => port >= first && port <= last)
}

/** The error for a URL that may not be a target. */
export const urlError = (field: string, reason: UrlProblem): GatewayError =>
  new GatewayError(reason === 'https_required' ? 'https_required' : 'url_not_allowed', urlProblemText(field, reason), {
    param: field,
  })
