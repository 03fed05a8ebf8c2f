import type { Route } from '../../src/http/route.ts'

/** A small generator of our own, so that a seed always gives the same requests. */
export function makeChance(seed: number) {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (n: number): number => Math.floor(next() * n)
  return { next, below, pick: <T>(items: readonly T[]): T => items[below(items.length)]! }
}
export type Chance = ReturnType<typeof makeChance>

const ODD_TEXT = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud83d',
  '\udc00x',
  '🙂'.repeat(50),
  'é\u0301\u0301',
  '\u202eevil\u202c',
  '\u200b',
  '\ufeff',
  '﷽'.repeat(100),
  'x'.repeat(70_000),
  '../../etc/passwd',
  "'; drop table messages; --",
  '${7*7}',
  '%00',
  '%s%n',
  '<script>',
  '__proto__',
  'constructor',
  'toString',
  'NaN',
  '-1',
  '1e309',
  '00000000000000000000',
  '15550001111',
  '15550001111@s.whatsapp.net',
  '1@g.us',
  `${'9'.repeat(1_000)}@lid`,
  'status@broadcast',
  'http://127.0.0.1:1/',
  'https://[::1]/',
  'https://user:pw@example.com',
  'javascript:alert(1)',
  'msg_x',
  'wh_x',
  'key_x',
  '2026-13-45T99:99:99Z',
  '\r\nX: y',
]

/** A value of any kind, some of them deep or large. */
export function oddValue(chance: Chance, depth = 0): unknown {
  const kind = chance.below(depth > 3 ? 6 : 10)
  if (kind < 3) return chance.pick(ODD_TEXT)
  if (kind === 3) return chance.pick([0, -0, 1, -1, 1.5, 2 ** 53, -(2 ** 63), 1e308, 1e-308, 99_999_999_999])
  if (kind === 4) return chance.pick([true, false, null])
  if (kind === 5) return chance.pick([[], {}])
  if (kind < 8) return Array.from({ length: chance.below(6) }, () => oddValue(chance, depth + 1))
  return Object.fromEntries(
    Array.from({ length: chance.below(6) }, () => [chance.pick(ODD_TEXT).slice(0, 200), oddValue(chance, depth + 1)]),
  )
}

/** A body close to a valid one for the route, usually with an error; as the text that is sent. */
export function oddBody(chance: Chance, route: Route, good: Record<string, unknown>): string | Buffer {
  const fields = Object.keys((route.body as { properties?: object } | undefined)?.properties ?? { x: 1 })
  const body: Record<string, unknown> = { ...good }
  for (let i = chance.below(4); i > 0; i--) body[chance.pick(fields)] = oddValue(chance)
  if (chance.below(8) === 0) delete body[chance.pick(Object.keys(body).concat('x'))]
  if (chance.below(10) === 0) body[chance.pick(ODD_TEXT).slice(0, 500)] = oddValue(chance)
  const text = JSON.stringify(body)
  switch (chance.below(20)) {
    case 0:
      return text.slice(0, chance.below(text.length + 1))
    case 1:
      return text.replace('{', `{"__proto__":${JSON.stringify(oddValue(chance))},`)
    case 2:
      return text.replace('{', '{"constructor":{"prototype":{"polluted":1}},')
    case 3:
      return text.replace('{', `{${JSON.stringify(chance.pick(fields))}:1,${JSON.stringify(chance.pick(fields))}:2,`)
    case 4:
      return '['.repeat(chance.below(50_000))
    case 5:
      return `${'{"a":'.repeat(chance.below(20_000))}1`
    case 6:
      return Buffer.concat([
        Buffer.from(text.slice(0, 10)),
        Buffer.from([0xff, 0xc0, 0x80, 0xed, 0xa0, 0x80]),
        Buffer.from(text.slice(10)),
      ])
    case 7:
      return JSON.stringify(oddValue(chance))
    case 8:
      return text.replace(/:"[^"]*"/, `:${'9'.repeat(chance.below(5_000) + 1)}`)
    case 9:
      return Buffer.from(text, 'utf16le')
    case 10:
      return text.replace('{', `{"text":"${'\\u0000'.repeat(5)}",`)
    default:
      return text
  }
}

const encoded = (text: string): string => {
  try {
    return encodeURIComponent(text)
  } catch {
    return '%ED%A0%80'
  }
}

export function oddPath(chance: Chance, route: Route, ids: readonly string[]): string {
  const path = route.path.replace(/:[a-z_]+/g, () =>
    chance.below(3) === 0
      ? encoded(chance.pick(ODD_TEXT)).slice(0, 3_000) || 'x'
      : encodeURIComponent(chance.pick(ids)),
  )
  if (chance.below(4) !== 0) return path
  const query = Array.from({ length: 1 + chance.below(4) }, () => {
    const name = chance.pick([
      'limit',
      'cursor',
      'state',
      'session_id',
      'from',
      'to',
      'since',
      'status',
      'phone',
      '__proto__',
      'x[]',
      'x[y]',
      '',
    ])
    return `${encoded(name)}=${encoded(chance.pick(ODD_TEXT)).slice(0, 2_000)}`
  })
  return `${path}?${query.join('&')}`
}

const printable = (text: string): string => text.replace(/[^\t\x20-\x7e\x80-\xff]/g, '')

export function oddHeaders(chance: Chance): Record<string, string> {
  const headers: Record<string, string> = {}
  if (chance.below(3) === 0) headers['idempotency-key'] = printable(chance.pick(ODD_TEXT)).slice(0, 300)
  else headers['idempotency-key'] = `key-${chance.below(1_000)}`
  if (chance.below(12) === 0)
    headers['content-type'] = chance.pick([
      'text/plain',
      'application/json;charset=utf-16',
      'a/b',
      'application/json;',
      '',
      'multipart/form-data',
    ])
  if (chance.below(15) === 0) headers.accept = printable(chance.pick(ODD_TEXT)).slice(0, 300)
  if (chance.below(20) === 0) headers['x-forwarded-for'] = printable(chance.pick(ODD_TEXT)).slice(0, 300)
  if (chance.below(30) === 0) headers['x-http-method-override'] = 'DELETE'
  if (chance.below(30) === 0) headers['transfer-encoding'] = 'chunked'
  return headers
}

/** Bytes that no client would send, written directly to the socket. */
export function oddBytes(chance: Chance, key: string): Buffer {
  const auth = `Authorization: Bearer ${key}\r\n`
  const head = `POST /v1/messages HTTP/1.1\r\nHost: x\r\n${auth}Content-Type: application/json\r\n`
  const noise = Buffer.from(Array.from({ length: 1 + chance.below(600) }, () => chance.below(256)))
  return chance.pick([
    () => noise,
    () => Buffer.concat([Buffer.from(`${head}Content-Length: ${noise.length}\r\n\r\n`), noise]),
    () => Buffer.from(`${head}Content-Length: 10\r\nContent-Length: 11\r\n\r\n{}`),
    () => Buffer.from(`${head}Content-Length: -1\r\n\r\n{}`),
    () => Buffer.from(`${head}Content-Length: 99999999999999999999\r\n\r\n{}`),
    () => Buffer.from(`${head}Transfer-Encoding: chunked\r\n\r\nZZ\r\n{}\r\n0\r\n\r\n`),
    () => Buffer.from(`${head}Transfer-Encoding: chunked, identity\r\nContent-Length: 3\r\n\r\n0\r\n\r\n`),
    () => Buffer.from(`${head}Idempotency-Key: a\r\n b\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}`),
    () => Buffer.from(`${head}Idempotency-Key: a\rX-Evil: 1\r\nContent-Length: 2\r\n\r\n{}`),
    () => Buffer.from(`${head}${'X-A: b\r\n'.repeat(3_000)}\r\n`),
    () => Buffer.from(`GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`),
    () => Buffer.from(`GET /v1/me HTTP/1.1\r\nHost: x\r\n${auth}\r\n`.repeat(20)),
    () => Buffer.from(`GET http://[ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${auth}\r\n`),
    () => Buffer.from(`OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`),
    () => Buffer.from(`CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n`),
    () => Buffer.from(`GET /v1/me HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n${auth}\r\n`),
    () => Buffer.from(`BREW /v1/me HTTP/1.1\r\nHost: x\r\n\r\n`),
    () => Buffer.from(`GET /v1/me HTTP/1.0\r\n${auth}\r\n`),
    () => Buffer.from(`GET //v1//me/../me;x=%2e HTTP/1.1\r\nHost: \0\r\n\r\n`, 'latin1'),
  ])()
}
