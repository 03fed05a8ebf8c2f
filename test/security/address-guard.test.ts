import { describe, expect, test } from 'vitest'
import { systemClock } from '../../src/runtime/clock.ts'
import { createTargetPolicy, isAllowedAddress, parseRanges } from '../../src/net/address-guard.ts'
import { bitsOf, blocks, opinionOf, textOf } from './address-oracle.ts'
import { runs } from '../harness/matrix.ts'

const ADDRESSES = runs(1_000_000)

const publicOnly = createTargetPolicy({ clock: systemClock, requireHttps: true })
const allowed = (ip: string) => isAllowedAddress(ip, publicOnly)

/** The first and last address of a block, their neighbours inside, and some between. */
function samplesOf(bits: string, width: number): string[] {
  const free = width - bits.length
  const tails = [
    '0'.repeat(free),
    '1'.repeat(free),
    `${'0'.repeat(free)}1`.slice(-free),
    `${'1'.repeat(free)}0`.slice(-free),
  ]
  for (const pattern of ['01', '10', '0011', '1100', '0001']) tails.push(pattern.repeat(width).slice(0, free))
  const texts = tails.map(tail => textOf((bits + tail).slice(0, width)))
  return free === 0 ? [textOf(bits)] : [...new Set(texts)]
}

const cases = [
  ...blocks.ipv4.map(block => ({ ...block, width: 32 })),
  ...blocks.ipv6.map(block => ({ ...block, width: 128 })),
]
  .flatMap(({ bits, block, name, width }) => samplesOf(bits, width).map(ip => ({ ip, block, name })))
  .filter(({ ip }) => opinionOf(bitsOf(ip)) === 'forbidden')

/** Every form of an IPv4 address inside an IPv6 one. */
const embeddings: Record<string, (high: string, low: string) => string> = {
  'IPv4-mapped': (high, low) => `::ffff:${high}:${low}`,
  'IPv4-compatible': (high, low) => `::${high}:${low}`,
  'IPv4-translated': (high, low) => `::ffff:0:${high}:${low}`,
  'local ISATAP': (high, low) => `::5efe:${high}:${low}`,
  'ISATAP under a public prefix': (high, low) => `2a00:1450::5efe:${high}:${low}`,
  'ISATAP with the universal bit': (high, low) => `2a00:1450::200:5efe:${high}:${low}`,
  'link-local ISATAP': (high, low) => `fe80::5efe:${high}:${low}`,
  NAT64: (high, low) => `64:ff9b::${high}:${low}`,
  'local NAT64': (high, low) => `64:ff9b:1::${high}:${low}`,
  '6to4': (high, low) => `2002:${high}:${low}::1`,
  Teredo: (high, low) => `2001:0:${high}:${low}::1`,
  'Teredo client': (high, low) => `2001:0:4136:e378:8000:63bf:${flipped(high)}:${flipped(low)}`,
}
const privateIPv4 = [
  '127.0.0.1',
  '10.0.0.5',
  '172.16.0.1',
  '192.168.1.1',
  '169.254.169.254',
  '100.100.100.200',
  '172.31.255.255',
  '192.168.255.255',
  '0.0.0.0',
  '192.0.0.192',
  '198.18.0.1',
  '224.0.0.1',
  '255.255.255.255',
  '168.63.129.16',
]

function flipped(group: string): string {
  return (Number.parseInt(group, 16) ^ 0xffff).toString(16)
}
function hexGroups(ipv4: string): [string, string] {
  const [a = 0, b = 0, c = 0, d = 0] = ipv4.split('.').map(Number)
  return [((a << 8) | b).toString(16), ((c << 8) | d).toString(16)]
}
const embedded = privateIPv4.flatMap(ipv4 =>
  Object.entries(embeddings).map(([name, embed]) => ({ name, ipv4, ip: embed(...hexGroups(ipv4)) })),
)

const services = {
  'AWS, Azure, GCP, DigitalOcean, Oracle metadata': '169.254.169.254',
  'AWS container credentials': '169.254.170.2',
  'AWS container credentials for pods': '169.254.170.23',
  'AWS metadata over IPv6': 'fd00:ec2::254',
  'AWS DNS over IPv6': 'fd00:ec2::253',
  'GCP metadata over IPv6': 'fd20:ce::254',
  'Azure host agent': '168.63.129.16',
  'Alibaba metadata': '100.100.100.200',
  'Oracle classic metadata': '192.0.0.192',
  'Docker bridge': '172.17.0.1',
  'Docker DNS': '127.0.0.11',
  'systemd-resolved': '127.0.0.53',
  'Kubernetes service range': '10.96.0.1',
  'Kubernetes node-local DNS': '169.254.20.10',
  Tailscale: '100.100.100.100',
  'Tailscale over IPv6': 'fd7a:115c:a1e0::53',
  'the returned 6bone': '3ffe::1',
  'a link-local address with a zone': 'fe80::1%eth0',
  'a public address with a zone': '2a00:1450:4001:830::200e%1',
}

const notAddresses = [
  '',
  ' ',
  'localhost',
  '127.1',
  '0x7f.1',
  '0177.0.0.1',
  '2130706433',
  '1.2.3',
  '1.2.3.4.5',
  '256.1.1.1',
  '1.2.3.4 ',
  ' 1.2.3.4',
  '1.2.3.4\n',
  '1.2.3.4/32',
  '[::1]',
  ':::',
  '2a00:::1',
  '8.8.8.8:53',
  '01.02.03.04',
  '١.١.١.١',
]

const publicAddresses = [
  '1.1.1.1',
  '8.8.8.8',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '126.255.255.255',
  '128.0.0.0',
  '168.63.129.15',
  '168.63.129.17',
  '169.253.255.255',
  '169.255.0.0',
  '172.15.255.255',
  '172.32.0.0',
  '191.255.255.255',
  '192.0.1.0',
  '192.0.3.0',
  '192.88.98.255',
  '192.88.100.0',
  '192.167.255.255',
  '192.169.0.0',
  '198.17.255.255',
  '198.20.0.0',
  '198.51.99.255',
  '198.51.101.0',
  '203.0.112.255',
  '203.0.114.0',
  '223.255.255.255',
  '2001:200::1',
  '2001:4860:4860::8888',
  '2001:db7:ffff::1',
  '2001:db9::',
  '2003::1',
  '2600::',
  '2606:4700:4700::1111',
  '2a00:1450:4001:830::200e',
  '3ffd::1',
  '64:ff9b::808:808',
  '64:ff9b::101:101',
]

describe('The guard rejects addresses that are not public', () => {
  test.each(cases)('such as $ip in $block, $name', ({ ip }) => expect(allowed(ip)).toBe(false))
  test.each(embedded)('such as $ip, which carries $ipv4 as $name', ({ ip }) => expect(allowed(ip)).toBe(false))
  test.each(Object.entries(services))('such as %s at %s', (_, ip) => expect(allowed(ip)).toBe(false))
  test.each(notAddresses)('such as "%s", which is not an address', text => expect(allowed(text)).toBe(false))

  test('with at least 500 named cases', () => {
    const count = cases.length + embedded.length + Object.keys(services).length + notAddresses.length
    expect(count).toBeGreaterThanOrEqual(500)
  })
})

describe('The guard allows public addresses', () => {
  test.each(publicAddresses)('such as %s', ip => expect(allowed(ip)).toBe(true))
})

describe('Allowed ranges', () => {
  const policy = createTargetPolicy({
    clock: systemClock,
    requireHttps: false,
    allowedRanges: parseRanges(['127.0.0.0/8', '::1/128', '10.1.2.3/32']),
  })

  test.each(['127.0.0.1', '127.255.255.255', '::1', '0:0:0:0:0:0:0:1', '10.1.2.3'])('allow %s', ip =>
    expect(isAllowedAddress(ip, policy)).toBe(true),
  )
  test.each([
    '10.1.2.4',
    '128.0.0.1.',
    '::2',
    '::ffff:127.0.0.1',
    '::7f00:1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
    '192.168.0.1',
  ])('do not allow %s', ip => expect(isAllowedAddress(ip, policy)).toBe(false))
  test.each([
    '10.1.2.3',
    '10.0.0.0/33',
    '::/129',
    '10.0.0/8',
    'private',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '10.0.0.0/-1',
    'fe80::%eth0/10',
  ])('written as %s are rejected by name', text =>
    expect(() => parseRanges(['127.0.0.0/8', text])).toThrow(`"${text}"`),
  )
})

test(`the guard never allows what the registries forbid, nor rejects what they leave open, for ${ADDRESSES} random addresses`, () => {
  const random = generator(20_261_115)
  const disagreements: string[] = []
  let forbidden = 0
  for (let n = 0; n < ADDRESSES; n++) {
    const bits = randomAddress(random)
    const ip = textOf(bits)
    const opinion = opinionOf(bits)
    if (opinion === 'forbidden') forbidden++
    if (opinion === 'forbidden' ? allowed(ip) : opinion === 'ordinary' && !allowed(ip) && !isKnownStrictness(ip)) {
      disagreements.push(`${ip} is ${opinion}`)
    }
  }
  expect(disagreements).toEqual([])
  expect(forbidden).toBeGreaterThan(0.3 * ADDRESSES)
  expect(forbidden).toBeLessThan(0.7 * ADDRESSES)
})

/** The guard also rejects what no registry names: the host agent of Azure, the returned 6bone, ISATAP anywhere. */
function isKnownStrictness(ip: string): boolean {
  return (
    ip === '168.63.129.16' ||
    ip.startsWith('3ffe:') ||
    /:(0|200):5efe:[^:]+:[^:]+$/.test(ip) ||
    ip === '64:ff9b:0:0:0:0:a83f:8110'
  )
}

/** Half of them anywhere, half near a block of the registries: inside it, or one bit away from its first address. */
function randomAddress(random: () => number): string {
  const width = random() < 0.5 ? 32 : 128
  const anything = Array.from({ length: width / 16 }, () =>
    Math.floor(random() * 65_536)
      .toString(2)
      .padStart(16, '0'),
  ).join('')
  if (random() < 0.5) return width === 32 ? anything : `001${anything.slice(3)}`
  const list = width === 32 ? blocks.ipv4 : blocks.ipv6
  const { bits } = list[Math.floor(random() * list.length)] as { bits: string }
  if (random() < 0.5) return bits + anything.slice(bits.length)
  const turned = Math.floor(random() * bits.length)
  return (
    bits.slice(0, turned) + (bits[turned] === '0' ? '1' : '0') + bits.slice(turned + 1) + anything.slice(bits.length)
  )
}

/** Pseudo-random numbers that are the same in every run (mulberry32). */
function generator(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
