import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { type Endpoint, interfaceAddresses } from './own-endpoints.ts'
import type { Clock } from '../runtime/clock.ts'

type Address = ipaddr.IPv4 | ipaddr.IPv6

/** A block of addresses: its first address and its prefix length. */
type AddressRange = readonly [Address, number]

/** The addresses that customers may make the gateway connect to. */
export interface TargetPolicy {
  readonly requireHttps: boolean
  /** Ranges that are allowed although they are not public. */
  readonly allowedRanges: readonly AddressRange[]
  /** The gateway's own origins, which are never a target. */
  readonly ownOrigins: () => readonly string[]
  /** The endpoints of the gateway and its database: never a target, whatever is allowed. */
  readonly ownEndpoints: () => readonly Endpoint[]
  readonly machine: Pick<MachineAddresses, 'has'>
}

export interface TargetPolicyOptions {
  readonly clock: Pick<Clock, 'monotonicMs'>
  readonly requireHttps: boolean
  readonly allowedRanges?: readonly AddressRange[]
  /** Called at every check. */
  readonly ownOrigins?: () => readonly string[]
  /** Called at every check. */
  readonly ownEndpoints?: () => readonly Endpoint[]
}

export function createTargetPolicy(options: TargetPolicyOptions): TargetPolicy {
  return {
    requireHttps: options.requireHttps,
    allowedRanges: options.allowedRanges ?? [],
    ownOrigins: options.ownOrigins ?? (() => []),
    ownEndpoints: options.ownEndpoints ?? (() => []),
    machine: new MachineAddresses(options.clock),
  }
}

/** Reads ranges like `10.0.0.0/8` and `::1/128`. Throws a RangeError that names the bad one. */
export function parseRanges(list: readonly string[]): AddressRange[] {
  return list.map(parseRange)
}

function parseRange(text: string): AddressRange {
  const [address = '', prefix = '', ...rest] = text.split('/')
  const family = isIP(address)
  const length = Number(prefix)
  const valid = family !== 0 && rest.length === 0 && /^\d{1,3}$/.test(prefix) && !address.includes('%')
  if (!valid || length > (family === 4 ? 32 : 128)) throw new RangeError(`"${text}" is not an address range`)
  return [ipaddr.parse(address), length]
}

// IANA IPv4 special-purpose registry, multicast, and the host agent of Azure, which has a public number.
const forbiddenIPv4 = parseRanges([
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '168.63.129.16/32',
])
const [globalUnicast, nat64] = parseRanges(['2000::/3', '64:ff9b::/96']) as [AddressRange, AddressRange]
// Inside 2000::/3: protocol assignments with Teredo and ORCHID, documentation, 6to4, the returned 6bone.
const forbiddenIPv6 = parseRanges(['2001::/23', '2001:db8::/32', '2002::/16', '3ffe::/16', '3fff::/20'])

/**
 * Whether this address may be dialled. Every address that is not clearly public is rejected, including every IPv6 form that
 * carries an IPv4 address, except that a NAT64 address has the verdict of its IPv4 address.
 */
export function isAllowedAddress(ip: string, policy: Pick<TargetPolicy, 'allowedRanges'>): boolean {
  const address = parseAddress(ip)
  if (!address) return false
  return isPublic(address) || isWithin(address, policy.allowedRanges)
}

/**
 * Whether this address and port would reach the gateway itself or another program of its machine: a program that listens
 * on a public address of ours may rely on a firewall in front of us. A loopback address is rejected with the port of any
 * node: nodes may share a machine, or a network of containers.
 */
export function isOwnAddress(ip: string, port: number, policy: Omit<TargetPolicy, 'requireHttps'>): boolean {
  const written = parseAddress(ip)
  if (!written) return true
  const address = dialled(written)
  const isOurs = policy.machine.has(address.toString())
  if (isOurs && !isWithin(written, policy.allowedRanges)) return true
  const endpoints = policy.ownEndpoints().filter(endpoint => endpoint.port === port)
  if (endpoints.some(endpoint => endpoint.address === address.toString())) return true
  const samePort = endpoints.length > 0 || policy.ownOrigins().some(origin => portOf(new URL(origin)) === port)
  return samePort && (isOurs || SELF.has(address.range()))
}

const SELF = new Set<string>(['loopback', 'unspecified'])

/** Systems dial the IPv4 address that is mapped into an IPv6 address. */
const dialled = (address: Address): Address =>
  address.kind() === 'ipv6' && (address as ipaddr.IPv6).isIPv4MappedAddress()
    ? (address as ipaddr.IPv6).toIPv4Address()
    : address

/** Whether this host name is the gateway's, on any port. `isOwnAddress` checks addresses. */
export function isOwnHostname(hostname: string, policy: Pick<TargetPolicy, 'ownOrigins'>): boolean {
  const name = withoutFinalDot(hostname)
  if (name === 'localhost') return false
  return policy.ownOrigins().some(origin => {
    const own = new URL(origin).hostname
    return hostAddress(own) === undefined && withoutFinalDot(own) === name
  })
}

/** The address in a URL's hostname, or `undefined` if it is a name. */
export function hostAddress(hostname: string): string | undefined {
  const bare = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
  return isIP(bare) === 0 ? undefined : bare
}

export function portOf(url: URL): number {
  return url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port)
}

export function withoutFinalDot(hostname: string): string {
  return hostname.endsWith('.') ? hostname.slice(0, -1) : hostname
}

// A zone makes an address depend on the interface, so it is never public.
function parseAddress(ip: string): Address | undefined {
  return isIP(ip) === 0 || ip.includes('%') ? undefined : ipaddr.parse(ip)
}

function isPublic(address: Address): boolean {
  if (address.kind() === 'ipv4') return !isWithin(address, forbiddenIPv4)
  const { parts } = address as ipaddr.IPv6
  if (isWithin(address, [nat64])) return isPublic(carriedIPv4(parts))
  return isWithin(address, [globalUnicast]) && !isWithin(address, forbiddenIPv6) && !isIsatap(parts)
}

function carriedIPv4(parts: readonly number[]): ipaddr.IPv4 {
  const [high = 0, low = 0] = parts.slice(6)
  return new ipaddr.IPv4([high >> 8, high & 0xff, low >> 8, low & 0xff])
}

// ISATAP hides an IPv4 address behind the interface id 0:5efe or 200:5efe under any prefix.
function isIsatap(parts: readonly number[]): boolean {
  return ((parts[4] ?? 0) & ~0x0200) === 0 && parts[5] === 0x5efe
}

function isWithin(address: Address, ranges: readonly AddressRange[]): boolean {
  return ranges.some(([base, length]) => base.kind() === address.kind() && address.match(base, length))
}

/** Reading the interfaces takes longer than the rest of a check, and every request is checked. */
const KNOWN_MS = 5_000

/** The addresses of this machine, cached briefly. */
class MachineAddresses {
  readonly #clock: Pick<Clock, 'monotonicMs'>
  #addresses: ReadonlySet<string> = new Set()
  #readAtMs = Number.NEGATIVE_INFINITY

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock
  }

  /** `address` in the normalized form of `interfaceAddresses`. */
  has(address: string): boolean {
    const nowMs = this.#clock.monotonicMs()
    if (nowMs - this.#readAtMs > KNOWN_MS) {
      this.#addresses = new Set(interfaceAddresses())
      this.#readAtMs = nowMs
    }
    return this.#addresses.has(address)
  }
}
