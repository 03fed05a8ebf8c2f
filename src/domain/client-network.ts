import { isIPv4, isIPv6 } from 'node:net'

const GROUPS = 8
/** One IPv6 customer usually has a whole /64. */
const GROUPS_OF_NETWORK = 4
const IPV4_MAPPED = '0:0:0:0:0:ffff:'

/**
 * Normalizes an address for comparison, whatever form a proxy writes: with a port, in brackets, with a zone, an IPv4
 * address inside an IPv6 one. `undefined` if it is not an address.
 */
export function addressOf(written: string): string | undefined {
  const bare = withoutPort(written).replace(/%.*$/, '')
  if (isIPv4(bare)) return bare
  if (!isIPv6(bare)) return undefined
  const full = groupsOf(bare).join(':')
  return full.startsWith(IPV4_MAPPED) ? dotted(full.slice(IPV4_MAPPED.length)) : full
}

/** The network whose limit an address counts for; a text that is not an address counts for itself. */
export function networkOf(address: string): string {
  const plain = addressOf(address)
  if (plain === undefined) return address
  return plain.includes(':') ? plain.split(':').slice(0, GROUPS_OF_NETWORK).join(':') : plain
}

function withoutPort(written: string): string {
  const bracketed = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(written)
  if (bracketed !== null) return bracketed[1]!
  return /^([\d.]+):\d{1,5}$/.exec(written)?.[1] ?? written
}

/** The eight groups of a valid IPv6 address, without leading zeros. */
function groupsOf(address: string): string[] {
  const hex = address.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, ...bytes: string[]) => asGroups(bytes.slice(0, 4)))
  const [head = '', tail] = hex.split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = Array<string>(GROUPS - left.length - right.length).fill('0')
  return [...left, ...zeros, ...right].map(group => Number.parseInt(group, 16).toString(16))
}

function asGroups(bytes: string[]): string {
  const [a = 0, b = 0, c = 0, d = 0] = bytes.map(Number)
  return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`
}

const dotted = (groups: string): string =>
  groups
    .split(':')
    .map(group => Number.parseInt(group, 16))
    .flatMap(pair => [pair >> 8, pair & 255])
    .join('.')
