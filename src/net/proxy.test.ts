import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import type { Proxy, ProxyScheme } from '../domain/proxy.ts'
import { systemClock } from '../runtime/clock.ts'
import { createTargetPolicy, parseRanges } from './address-guard.ts'
import { parseProxyUrl } from './proxy-url.ts'
import { createTunnels } from './proxy.ts'

const policyOf = (...ranges: string[]) =>
  createTargetPolicy({ clock: systemClock, requireHttps: true, allowedRanges: parseRanges(ranges) })
const openTunnel = createTunnels(policyOf('127.0.0.0/8'), systemClock)
const TARGET = { host: 'web.example.com', port: 443, secureContext: undefined }

const servers = new Set<Server>()
afterEach(() => {
  for (const server of servers) server.close()
  servers.clear()
})

/** A server that answers each chunk it gets with the next of these, or closes, and then falls silent. */
async function hostile(scheme: ProxyScheme, answers: Array<Uint8Array | string>, login = false): Promise<Proxy> {
  const server = createServer((socket: Socket) => {
    const left = [...answers]
    socket.on('error', () => {})
    socket.on('data', () => {
      const next = left.shift()
      if (next === 'close') socket.destroy()
      else if (next !== undefined) socket.write(next)
    })
  })
  servers.add(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  return { scheme, host: '127.0.0.1', port, credentials: login ? { username: 'u', password: 'secret' } : null }
}

const failureOf = async (proxy: Proxy): Promise<string> => {
  const error = await openTunnel(proxy, TARGET, AbortSignal.timeout(500)).then(
    () => undefined,
    (reason: unknown) => reason as Error,
  )
  return error!.message.replace(/:\d+\b/, '')
}

describe('A tunnel through a proxy', () => {
  test.each<[string, ProxyScheme, Array<Uint8Array | string>, boolean, string]>([
    ['closes the connection', 'socks5', ['close'], false, 'the proxy socks5://127.0.0.1 closes the connection'],
    ['falls silent', 'socks5', [], false, 'the proxy socks5://127.0.0.1 does not answer in time'],
    [
      'speaks HTTP',
      'socks5',
      ['HTTP/1.1 400 Bad Request\r\n\r\n'],
      false,
      'the proxy socks5://127.0.0.1 does not speak SOCKS5',
    ],
    [
      'needs a password',
      'socks5',
      [Buffer.from([5, 0xff])],
      false,
      'the proxy socks5://127.0.0.1 needs a user name and a password',
    ],
    [
      'picks a method that was not offered',
      'socks5',
      [Buffer.from([5, 2])],
      false,
      'the proxy socks5://127.0.0.1 needs a user name and a password',
    ],
    [
      'rejects the password',
      'socks5',
      [Buffer.from([5, 2]), Buffer.from([1, 1])],
      true,
      'the proxy socks5://127.0.0.1 rejects the user name or the password',
    ],
    [
      'refuses the target',
      'socks5',
      [Buffer.from([5, 0]), Buffer.from([5, 5, 0, 1])],
      false,
      'the platform cannot be reached through the proxy socks5://127.0.0.1: the connection is refused',
    ],
    [
      'ends in the middle of its reply',
      'socks5',
      [Buffer.from([5, 0]), Buffer.from([5, 0, 0]), 'close'],
      false,
      'the proxy socks5://127.0.0.1 does not answer in time',
    ],
    [
      'speaks SOCKS5',
      'http',
      [Buffer.from([5, 0])],
      false,
      'the proxy http://127.0.0.1 does not answer as an HTTP proxy',
    ],
    [
      'needs a password',
      'http',
      ['HTTP/1.1 407 No\r\n\r\n'],
      false,
      'the proxy http://127.0.0.1 needs a user name and a password',
    ],
    [
      'rejects the password',
      'http',
      ['HTTP/1.1 407 No\r\n\r\n'],
      true,
      'the proxy http://127.0.0.1 rejects the user name or the password',
    ],
    [
      'refuses the target',
      'http',
      ['HTTP/1.1 403 No\r\n\r\n'],
      false,
      'the platform cannot be reached through the proxy http://127.0.0.1: the proxy answers 403',
    ],
    [
      'sends endless headers',
      'http',
      [`HTTP/1.1 200 OK\r\n${'x: y\r\n'.repeat(10_000)}`],
      false,
      'the proxy http://127.0.0.1 does not answer as an HTTP proxy',
    ],
  ])('fails with a clear reason if the proxy %s (%s)', async (_what, scheme, answers, login, reason) => {
    expect(await failureOf(await hostile(scheme, answers, login))).toBe(reason)
  })

  test('is open after replies of any form, and keeps what the target has sent already', async () => {
    const named = Buffer.concat([
      Buffer.from([5, 0, 0, 3, 4]),
      Buffer.from('name'),
      Buffer.from([0, 80]),
      Buffer.from('hi'),
    ])
    for (const proxy of [
      await hostile('socks5h', [Buffer.from([5, 0]), named]),
      await hostile('http', ['HTTP/1.1 200 OK\r\n\r\nhi']),
    ]) {
      const socket = await openTunnel(proxy, TARGET, AbortSignal.timeout(5_000))
      const [chunk] = (await once(socket, 'data')) as [Buffer]
      expect(chunk.toString()).toBe('hi')
      socket.destroy()
    }
  })

  test('is never dialled at an address that the guard forbids', async () => {
    const proxy = await hostile('socks5', [Buffer.from([5, 0])])
    const guarded = createTunnels(policyOf(), systemClock)
    await expect(guarded({ ...proxy, host: 'localhost' }, TARGET, AbortSignal.timeout(5_000))).rejects.toThrow(
      `the proxy socks5://localhost:${proxy.port} cannot be reached: the address is not allowed`,
    )
  })
})

describe('The URL of a proxy', () => {
  const parse = (url: string, ...ranges: string[]) => parseProxyUrl('url', url, policyOf(...ranges))

  test('has a scheme, a host, a port and credentials', () => {
    expect(parse('socks5://us%3Aer:p%40ss@Proxy.Example.com:7000')).toEqual({
      scheme: 'socks5',
      host: 'proxy.example.com',
      port: 7000,
      credentials: { username: 'us:er', password: 'p@ss' },
    })
    expect(parse('http://proxy.example.com').port).toBe(80)
    expect(parse('https://proxy.example.com/').port).toBe(443)
    expect(parse('socks5h://[2606:4700::1]')).toMatchObject({ host: '2606:4700::1', port: 1080, credentials: null })
    expect(parse('http://proxy.example.com:3128').port).toBe(3128)
  })

  test.each([
    'socks4://proxy.example.com:1080',
    'ftp://proxy.example.com',
    'proxy.example.com:1080',
    'socks5://',
    'socks5://proxy.example.com:25',
    'socks5://proxy.example.com:6379',
    'http://proxy.example.com/path',
    'http://proxy.example.com?query',
    'socks5://:password@proxy.example.com',
    'socks5://%zz:password@proxy.example.com',
    `socks5://${'u'.repeat(256)}:password@proxy.example.com`,
    'http://us%3Aer:password@proxy.example.com',
    'socks5://pro xy.example.com',
  ])('is rejected: %s', url => {
    expect(() => parse(url)).toThrow()
  })

  test.each([
    '10.0.0.1',
    '127.0.0.1',
    '0x7f.1',
    '2130706433',
    '[::1]',
    '[::ffff:10.0.0.1]',
    '169.254.169.254',
    'localhost',
    'db.internal',
  ])('leads to no private address: %s', host => {
    for (const scheme of ['socks5', 'socks5h', 'http', 'https'])
      expect(() => parse(`${scheme}://${host}:8080`)).toThrow(/must not point to|must name a public host/)
  })

  test('leads to a private address that the operator allows', () => {
    expect(parse('socks5://10.0.0.1:1080', '10.0.0.0/8').host).toBe('10.0.0.1')
  })

  test('is in no error, because it may have a password', () => {
    for (const url of [
      'socks5://user:canary@10.0.0.1',
      'ftp://user:canary@example.com',
      'http://user:canary@example.com/x',
    ]) {
      const error = (() => {
        try {
          return parse(url)
        } catch (caught) {
          return caught
        }
      })()
      expect(JSON.stringify([error, (error as Error).message])).not.toContain('canary')
    }
  })
})
