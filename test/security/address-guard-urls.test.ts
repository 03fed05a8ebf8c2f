import { networkInterfaces } from 'node:os'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { systemClock } from '../../src/runtime/clock.ts'
import { createTargetPolicy, isAllowedAddress, isOwnAddress, parseRanges } from '../../src/net/address-guard.ts'
import { checkUrl, type UrlProblem, urlProblemText } from '../../src/net/target-url.ts'
import { runs } from '../harness/matrix.ts'

const production = createTargetPolicy({
  clock: systemClock,
  requireHttps: true,
  ownOrigins: () => ['https://gate.example.com'],
})
const development = createTargetPolicy({
  clock: systemClock,
  requireHttps: false,
  allowedRanges: parseRanges(['127.0.0.0/8', '::1/128']),
  ownOrigins: () => ['http://127.0.0.1:8080'],
})

function reasonOf(url: string, policy = production): UrlProblem | 'ok' {
  const verdict = checkUrl(url, policy)
  return verdict.ok ? 'ok' : verdict.reason
}

test('other programs on this machine are not allowed as targets, unless their range is allowed', () => {
  expect(isOwnAddress('127.0.0.1', 9090, production)).toBe(true)
  expect(isOwnAddress('127.0.0.1', 9090, development)).toBe(false)
  expect(isOwnAddress('127.0.0.1', 8080, development)).toBe(true)
})

describe('A1: schemes', () => {
  test.each(['http://example.com/', 'HTTP://example.com', 'http://127.0.0.1/', 'http://u:p@example.com:22/'])(
    'production requires https: %s',
    url => expect(reasonOf(url)).toBe('https_required'),
  )
  test.each([
    'ftp://example.com/',
    'file:///etc/passwd',
    'gopher://example.com/',
    'javascript:alert(1)',
    'data:text/plain,hi',
    'ws://example.com/',
    'wss://example.com/',
    'blob:https://example.com/1',
    'mailto:a@example.com',
    'ldap://example.com',
    'jar:https://example.com!/',
  ])('no other scheme is allowed: %s', url => {
    expect(reasonOf(url)).toBe('scheme')
    expect(reasonOf(url, development)).toBe('scheme')
  })
  test('development allows http', () => expect(reasonOf('http://example.com/hook', development)).toBe('ok'))
  test('the error names the field', () => {
    expect(urlProblemText('messages_url', 'https_required')).toBe('ErrHTTPSRequired: messages_url must use https')
    expect(urlProblemText('media_url', 'port')).toMatch(/^media_url /)
  })
})

describe('Names that can never be public', () => {
  const intranet = createTargetPolicy({
    clock: systemClock,
    requireHttps: false,
    allowedRanges: parseRanges(['10.0.0.0/8']),
  })
  const loopback = ['localhost', 'LOCALHOST', 'localhost.', 'api.localhost', 'a.b.LocalHost.']
  const inside = ['printer.local', 'Printer.LOCAL.', 'local', 'internal', 'metadata.google.internal', 'db.INTERNAL.']

  test.each([...loopback, ...inside])('are rejected when the URL is given: %s', host => {
    expect(reasonOf(`https://${host}/hook`)).toBe('never_public')
    expect(reasonOf(`https://${host}:8443/hook`)).toBe('never_public')
  })
  test.each(loopback)('are allowed for the loopback if its range is allowed: %s', host => {
    expect(reasonOf(`http://${host}:9090/`, development)).toBe('ok')
    expect(reasonOf(`http://${host}:9090/`, intranet)).toBe('never_public')
  })
  test.each(inside)('are allowed inside the network if any range is allowed: %s', host => {
    expect(reasonOf(`http://${host}:9090/`, development)).toBe('ok')
    expect(reasonOf(`http://${host}:9090/`, intranet)).toBe('ok')
  })
  test.each(['localhost.example.com', 'notlocalhost', 'my-local', 'thelocal.com', 'internal.example.com'])(
    'do not include names that only resemble them: %s',
    host => expect(reasonOf(`https://${host}/`)).toBe('ok'),
  )
  test('are rejected with the field and the remedy', () => {
    expect(urlProblemText('messages_url', 'never_public')).toBe(
      'messages_url must name a public host, not localhost, .local or .internal; use a public name, or add its address to POSTERN_ALLOWED_TARGETS',
    )
  })
})

describe('A2, A3, A4: disguised addresses', () => {
  test.each([
    '127.0.0.1',
    '127.1',
    '2130706433',
    '0x7f000001',
    '0x7f.1',
    '0177.0.0.1',
    '017700000001',
    '0',
    '0.0.0.0',
    '①②⑦.⓪.⓪.①',
    '127。0。0。1',
    '127.0.0.1.',
    '%31%32%37.0.0.1',
    '10.0.0.1',
    '169.254.169.254',
    '0xa9fea9fe',
    '2852039166',
    '[::1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::127.0.0.1]',
    '[::ffff:0:7f00:1]',
    '[::5efe:7f00:1]',
    '[64:ff9b::7f00:1]',
    '[64:ff9b:1::1]',
    '[2002:7f00:1::]',
    '[2001:0::]',
    '[fe80::1]',
    '[fec0::1]',
    '[fc00::1]',
    '[fd00:ec2::254]',
    '[ff02::1]',
    '[100::1]',
    '[5f00::1]',
    '[2001:db8::1]',
    '[3fff::1]',
  ])('https://%s/ is rejected', host => expect(reasonOf(`https://${host}/`)).toBe('address_not_allowed'))
  test.each(['https://1.1.1.1/', 'https://[2606:4700:4700::1111]/', 'https://0x01010101/'])('%s is accepted', url =>
    expect(reasonOf(url)).toBe('ok'),
  )
  test('an allowed range allows its addresses', () => {
    expect(reasonOf('http://127.0.0.1:9999/', development)).toBe('ok')
    expect(reasonOf('http://[::1]:9999/', development)).toBe('ok')
    expect(reasonOf('http://10.0.0.1:9999/', development)).toBe('address_not_allowed')
  })
})

describe('A9: malformed and misleading URLs', () => {
  test.each([
    ['https://user:pass@example.com/', 'userinfo'],
    ['https://user@example.com/', 'userinfo'],
    ['https://example.com@169.254.169.254/', 'userinfo'],
    ['https://example.com/\r\nX-Injected: 1', 'malformed'],
    ['https://exam\tple.com/', 'malformed'],
    ['https://exam\nple.com/', 'malformed'],
    [' https://example.com/', 'malformed'],
    ['https://example.com/ ', 'malformed'],
    ['https://example.com/a b', 'malformed'],
    ['https://example.com\\@evil.example/', 'malformed'],
    ['https:\\\\example.com\\', 'malformed'],
    ['https://example.com/\u0000', 'malformed'],
    ['https://exam\u200bple.com/', 'malformed'],
    ['https://example.com/\u202egpj.exe', 'malformed'],
    ['https://example.com/\u2028', 'malformed'],
    ['https://example.com/\ud800', 'malformed'],
    ['https://', 'malformed'],
    ['https:///path', 'ok'],
    ['//example.com/', 'malformed'],
    ['example.com/hook', 'malformed'],
    ['', 'malformed'],
    ['https://[::1', 'malformed'],
    ['https://256.256.256.256/', 'malformed'],
    ['https://example.com:99999/', 'malformed'],
    [`https://${'a'.repeat(64)}.example/`, 'host'],
    [`https://${'a.'.repeat(127)}example/`, 'host'],
    ['https://exa$mple.com/', 'host'],
    ['https://-example.com/', 'host'],
    ['https://a..example.com/', 'host'],
    ['https://example.com../', 'host'],
    [`https://example.com/${'a'.repeat(4096)}`, 'too_long'],
  ])('%j is rejected as %s', (url, reason) => expect(reasonOf(url)).toBe(reason))
  test.each([
    'https://example.com',
    'https://example.com./hook',
    'https://example.com/#fragment',
    'https://example.com/a?b=c&d=%0d%0a',
    'https://xn--e1afmkfd.xn--p1ai/',
    'https://пример.рф/путь',
    'https://my_host.example.com/',
    `https://example.com/${'a'.repeat(2000)}`,
  ])('%s is accepted', url => expect(reasonOf(url)).toBe('ok'))
})

describe('A9: ports', () => {
  test.each([
    0, 1, 21, 22, 23, 25, 53, 110, 143, 389, 445, 465, 587, 993, 1023, 2375, 2379, 3306, 5432, 5672, 5900, 6000, 6379,
    6443, 9200, 10250, 11211, 27017,
  ])('port %i is rejected, even if the range is allowed', port => {
    expect(reasonOf(`https://example.com:${port}/`)).toBe('port')
    expect(reasonOf(`http://127.0.0.1:${port}/`, development)).toBe('port')
  })
  test.each([80, 443, 1024, 3000, 4000, 5000, 8000, 8080, 8443, 8888, 9000, 32768, 49152, 65535])(
    'port %i is accepted',
    port => expect(reasonOf(`https://example.com:${port}/`)).toBe('ok'),
  )
  test('a receiver on any ephemeral port is accepted', () => {
    for (let port = 32_768; port < 65_536; port++) expect(reasonOf(`https://example.com:${port}/`)).toBe('ok')
  })
})

describe('A10: the gateway itself', () => {
  test.each(['https://gate.example.com/', 'https://GATE.example.com./v1', 'https://gate.example.com:9443/'])(
    '%s is rejected',
    url => expect(reasonOf(url)).toBe('own_address'),
  )
  test.each(['http://127.0.0.1:8080/', 'http://127.9.9.9:8080/', 'http://[::1]:8080/', 'http://2130706433:8080/'])(
    '%s is rejected in development',
    url => expect(reasonOf(url, development)).toBe('own_address'),
  )
  test('this machine is rejected under each of its addresses', () => {
    for (const { address } of Object.values(networkInterfaces()).flatMap(list => list ?? [])) {
      const host = address.includes(':') ? `[${address.replace(/%.*/, '')}]` : address
      const open = { ...development, allowedRanges: parseRanges(['0.0.0.0/0', '::/0']) }
      expect(reasonOf(`http://${host}:8080/`, open)).toBe('own_address')
    }
  })
  test('another port of the same machine is accepted', () =>
    expect(reasonOf('http://127.0.0.1:8081/', development)).toBe('ok'))
  test('names that only resemble ours are accepted', () => {
    expect(reasonOf('https://other.example.com/')).toBe('ok')
    expect(reasonOf('https://gate.example.com.evil.example/')).toBe('ok')
  })
})

test('checkUrl returns for any text, and never accepts a literal address that the guard rejects', () => {
  const host = fc.oneof(
    fc.ipV4(),
    fc.ipV4Extended(),
    fc.ipV6().map(ip => `[${ip}]`),
    fc.domain(),
    fc.string(),
  )
  const url = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.webUrl(),
    host.map(name => `https://${name}/`),
  )
  fc.assert(
    fc.property(url, text => {
      const verdict = checkUrl(text, production)
      if (!verdict.ok) return
      expect(verdict.url.protocol).toBe('https:')
      const bare = verdict.url.hostname.replace(/^\[|\]$/g, '')
      if (/^[\d.]+$|:/.test(bare)) expect(isAllowedAddress(bare, production)).toBe(true)
    }),
    { numRuns: runs(5_000) },
  )
})
