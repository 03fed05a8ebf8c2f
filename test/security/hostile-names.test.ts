import { describe, expect, test } from 'vitest'
import { parseRanges } from '../../src/net/address-guard.ts'
import type { NameResolver } from '../../src/net/resolve.ts'
import { dnsServer } from '../harness/dns-server.ts'
import { rawReceiver } from '../harness/hostile-receiver.ts'
import { cleanups, head, outboundTo, postTo } from '../harness/outbound.ts'

describe('Names (A5, A6, A7, A11)', () => {
  async function receiverAt(host: string) {
    const receiver = await rawReceiver(socket => socket.end(`${head}Content-Length: 0\r\nConnection: close\r\n\r\n`), {
      host,
    })
    cleanups.push(receiver.close)
    return receiver
  }
  async function postByName(
    zone: Parameters<typeof dnsServer>[0],
    port: number,
    { allowed = '127.0.0.2/32', dnsBudgetMs = 3_600_000 } = {},
  ) {
    const dns = await dnsServer(zone)
    cleanups.push(dns.close)
    const outbound = outboundTo({ resolver: dns.resolver, dnsBudgetMs }, { allowedRanges: parseRanges([allowed]) })
    return { dns, outbound, answer: await postTo(`http://hook.example:${port}/`, outbound) }
  }

  test.each([
    ['to a private address', { A: ['10.0.0.5'] }],
    ['to a private IPv6 address', { AAAA: ['fd00::1'] }],
    ['to a public and a private address', { A: ['127.0.0.2', '10.0.0.5'] }],
    ['to a public IPv4 and a private IPv6 address', { A: ['127.0.0.2'], AAAA: ['::1'] }],
    ['to the address of a metadata service', { A: ['169.254.169.254'] }],
    ['to a mapped address', { AAAA: ['::ffff:7f00:1'] }],
  ])('a name that leads %s is rejected and no connection is opened', async (_, records) => {
    const receiver = await receiverAt('127.0.0.2')
    const { answer } = await postByName(() => records, receiver.port)
    expect(answer.failure?.kind).toBe('address_not_allowed')
    expect(receiver.connections()).toBe(0)
    expect(answer.failure?.text).not.toMatch(/\d/)
  })

  test('the connection goes to the address that was checked, even if the name changes meanwhile (A6)', async () => {
    const [allowed, forbidden] = [await receiverAt('127.0.0.2'), await receiverAt('127.0.0.3')]
    const zone = (_: string, times: number) => ({ A: [times % 2 === 1 ? '127.0.0.2' : '127.0.0.3'] })
    const { outbound, answer } = await postByName(zone, allowed.port)
    expect(answer.ok).toBe(true)
    for (let round = 0; round < 6; round++) {
      const next = await postTo(`http://hook.example:${forbidden.port}/`, outbound)
      expect(['address_not_allowed', 'refused']).toContain(next.failure?.kind)
    }
    expect(forbidden.connections()).toBe(0)
  })

  test('every new connection resolves the name again (A7)', async () => {
    const receiver = await receiverAt('127.0.0.2')
    const { dns, outbound } = await postByName(() => ({ A: ['127.0.0.2'] }), receiver.port)
    const before = dns.asked()
    await postTo(`http://hook.example:${receiver.port}/`, outbound)
    expect(dns.asked()).toBeGreaterThan(before)
  })

  test('a name whose first address is dead is reached at the next', async () => {
    const receiver = await receiverAt('127.0.0.2')
    const { answer } = await postByName(() => ({ A: ['127.0.0.9', '127.0.0.2'] }), receiver.port, {
      allowed: '127.0.0.0/8',
    })
    expect(answer.ok).toBe(true)
  })

  test('a name that leads to the gateway itself is rejected (A10)', async () => {
    const receiver = await receiverAt('127.0.0.1')
    const outbound = outboundTo({}, { ownOrigins: () => [`http://127.0.0.1:${receiver.port}`] })
    const answer = await postTo(`http://localhost:${receiver.port}/`, outbound)
    expect(answer.failure?.kind).toBe('address_not_allowed')
    expect(receiver.connections()).toBe(0)
  })

  test('localhost needs no name server', async () => {
    const receiver = await receiverAt('127.0.0.1')
    const refusing: NameResolver = {
      resolve4: () => Promise.reject(new Error()),
      resolve6: () => Promise.reject(new Error()),
    }
    expect((await postTo(`http://localhost:${receiver.port}/`, outboundTo({ resolver: refusing }))).ok).toBe(true)
    expect((await postTo(`http://api.localhost:${receiver.port}/`, outboundTo({ resolver: refusing }))).ok).toBe(true)
  })

  test('a name without addresses is a dns failure', async () => {
    const { answer } = await postByName(() => ({}), 8081)
    expect(answer.failure?.kind).toBe('dns')
  })

  test('a name server that never answers costs no more than its budget', async () => {
    const { answer } = await postByName(() => undefined, 8081, { dnsBudgetMs: 400 })
    expect(answer.failure?.kind).toMatch(/dns|timeout/)
  })

  test('a resolver that hangs is a timeout in the phase dns', async () => {
    const hanging: NameResolver = { resolve4: () => new Promise(() => {}), resolve6: () => new Promise(() => {}) }
    const [hours, moment] = [3_600_000, 400]
    for (const times of [
      { dnsBudgetMs: moment, timeoutMs: hours },
      { dnsBudgetMs: hours, timeoutMs: moment },
    ]) {
      const answer = await postTo('http://hook.example/', outboundTo({ resolver: hanging, ...times }))
      expect(answer.failure).toMatchObject({ kind: 'timeout', phase: 'dns' })
    }
  })

  test('an IPv4 host is reached even if the query for IPv6 gets no response', async () => {
    const receiver = await receiverAt('127.0.0.2')
    const half: NameResolver = { resolve4: async () => ['127.0.0.2'], resolve6: () => new Promise(() => {}) }
    expect((await postTo(`http://hook.example:${receiver.port}/`, outboundTo({ resolver: half }))).ok).toBe(true)
  })

  test('a CNAME that loops is a dns failure', async () => {
    const { answer } = await postByName(name => ({ cname: name }), 8081)
    expect(answer.failure?.kind).toMatch(/dns|timeout/)
  })

  test('a name with thousands of addresses is checked completely', async () => {
    const many = Array.from({ length: 5000 }, (_, n) => `127.0.${n >> 8}.${n & 255}`)
    const flooding = (addresses: string[]): NameResolver => ({
      resolve4: async () => addresses,
      resolve6: async () => [],
    })
    const answer = await postTo('http://hook.example:8081/', outboundTo({ resolver: flooding([...many, '10.0.0.1']) }))
    expect(answer.failure?.kind).toBe('address_not_allowed')
    expect((await postTo('http://hook.example:8081/', outboundTo({ resolver: flooding(many) }))).failure?.kind).toBe(
      'refused',
    )
  })
})
