const MIB = 1_048_576

const filled = (head, piece, tail, bytes = MIB) =>
  head + piece.repeat(Math.floor((bytes - head.length - tail.length) / piece.length)) + tail

const keys = bytes => {
  const parts = []
  for (let i = 0, length = 2; length < bytes - 20; i++) {
    parts.push(`"k${i}":1`)
    length += parts[i].length + 1
  }
  return `{${parts.join()}}`
}

/** Bodies of 1 MiB, each the worst of its kind to read, parse, validate or report errors about. */
export const BODIES = {
  'many keys': keys(MIB),
  'many items': filled('{"mentions":["x"', ',"x"', ']}'),
  'many objects': filled('{"contacts":[{}', ',{}', ']}'),
  'deep arrays': '['.repeat(MIB / 2) + ']'.repeat(MIB / 2),
  'deep objects': filled('', '{"a":', ''),
  'long text': filled('{"text":"', 'x', '"}'),
  'text of escapes': filled('{"text":"', '\\u0301', '"}'),
  'text of marks': filled('{"text":"', '́', '"}', MIB / 2),
  'text of emoji': filled('{"text":"', '👨‍👩‍👧', '"}', MIB / 4),
  'text of quotes': filled('{"text":"', '\\"', '"}'),
  'long number': filled('{"text":', '9', '}'),
  'long fraction': filled('{"text":0.', '1', '}'),
  'long name': filled('{"', 'x', '":1}'),
  blanks: filled('{"text":', ' ', '1}'),
  base64: filled('{"media":{"data":"', 'A', '!"}}'),
  email: filled('{"email":"', 'a.', '@"}'),
  'names of prototypes': filled('{"text":["__proto__"', ',"__proto__"', ']}'),
  'not JSON': filled('{"text":"', 'x', ''),
}

const head = (method, path, lines) =>
  `${method} ${path} HTTP/1.1\r\nHost: x\r\n${lines.map(line => `${line}\r\n`).join('')}`
const withBody = (method, path, lines, body) =>
  Buffer.concat([
    Buffer.from(
      head(method, path, [...lines, 'Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`]),
    ),
    Buffer.from(`\r\n${body}`),
  ])

const origin = url => [`Origin: ${url}`, 'Sec-Fetch-Site: same-origin']

/** What an unauthenticated client writes to a socket. */
export function strangers({ url }) {
  const lines = origin(url)
  return {
    ...Object.fromEntries(
      ['/portal/api/sign-in', '/portal/api/sign-up', '/portal/api/sign-out'].flatMap(path =>
        Object.entries(BODIES).map(([name, body]) => [`${path}: ${name}`, withBody('POST', path, lines, body)]),
      ),
    ),
    'sign-in in chunks of a byte': Buffer.from(
      `${head('POST', '/portal/api/sign-in', [...lines, 'Content-Type: application/json', 'Transfer-Encoding: chunked'])}\r\n${'1\r\n \r\n'.repeat(200_000)}0\r\n\r\n`,
    ),
    'requests in one write': Buffer.from('GET /healthz HTTP/1.1\r\nHost:x\r\n\r\n'.repeat(20_000)),
    'pages in one write': Buffer.from('GET /docs HTTP/1.1\r\nHost:x\r\n\r\n'.repeat(1_000)),
    'openapi in one write': Buffer.from('GET /openapi.json HTTP/1.1\r\nHost:x\r\n\r\n'.repeat(1_000)),
    'unknown paths in one write': Buffer.from('GET /v1/a HTTP/1.1\r\nHost:x\r\n\r\n'.repeat(5_000)),
    'query of 7,000 names': Buffer.from(`${head('GET', `/v1/messages?${'a&'.repeat(7_000)}`, [])}\r\n`),
    'query of percents': Buffer.from(`${head('GET', `/portal/api/session?${'%41=%42&'.repeat(1_700)}`, [])}\r\n`),
    'path of percents': Buffer.from(`${head('GET', `/v1/webhooks/${'%2f'.repeat(5_000)}`, [])}\r\n`),
    'path of slashes': Buffer.from(`${head('GET', '/'.repeat(14_000), ['Accept: text/html'])}\r\n`),
    cookies: Buffer.from(`${head('GET', '/portal/api/session', [`Cookie: ${'a=b;'.repeat(3_800)}`])}\r\n`),
    ranges: Buffer.from(`${head('GET', '/docs/style.css', [`Range: bytes=${'0-1,'.repeat(3_800)}0-1`])}\r\n`),
    'many headers': Buffer.from(
      `${head(
        'GET',
        '/v1/me',
        Array.from({ length: 1_900 }, (_, i) => `a${i}:b`),
      )}\r\n`,
    ),
    'forwarded by many': Buffer.from(`${head('GET', '/metrics', [`X-Forwarded-For: ${'1,'.repeat(7_500)}`])}\r\n`),
    'a key of 15 KB': Buffer.from(`${head('GET', '/v1/me', [`Authorization: Bearer ${'a'.repeat(15_000)}`])}\r\n`),
    noise: Buffer.from(Array.from({ length: 65_536 }, (_, i) => (i * 7919) & 255)),
    TLS: Buffer.concat([Buffer.from('1603010200010001fc0303', 'hex'), Buffer.alloc(60_000, 7)]),
  }
}

/** What a customer writes with a key without limits. */
export function customers({ url: _url, key, sessionId }) {
  const lines = [`Authorization: Bearer ${key}`]
  const posts = [
    ['POST', '/v1/messages'],
    ['PATCH', '/v1/messages/msg_1'],
    ['POST', '/v1/keys'],
    ['POST', `/sandbox/sessions/${sessionId}/incoming`],
  ]
  return {
    ...Object.fromEntries(
      posts.flatMap(([method, path]) =>
        Object.entries(BODIES).map(([name, body]) => [
          `${method} ${path.replace(sessionId, ':id')}: ${name}`,
          withBody(method, path, lines, body),
        ]),
      ),
    ),
    'POST /v1/messages in chunks of a byte': Buffer.from(
      `${head('POST', '/v1/messages', [...lines, 'Content-Type: application/json', 'Transfer-Encoding: chunked'])}\r\n${'1\r\n \r\n'.repeat(1_000_000)}0\r\n\r\n`,
    ),
    'GET /v1/messages with 7,000 names': Buffer.from(`${head('GET', `/v1/messages?${'a&'.repeat(7_000)}`, lines)}\r\n`),
    'GET /v1/me in one write': Buffer.from(`${head('GET', '/v1/me', lines)}\r\n`.repeat(1_000)),
  }
}
