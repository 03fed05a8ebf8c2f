import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer as createTlsServer, type TlsOptions } from 'node:tls'
import { describe, expect, test } from 'vitest'
import type { NameResolver } from '../../src/net/resolve.ts'
import { makeCertificate } from '../harness/certificates.ts'
import { drip, rawReceiver } from '../harness/hostile-receiver.ts'
import { cleanups, HANGING_MS, head, outboundTo, postTo } from '../harness/outbound.ts'

describe('TLS (A12)', () => {
  const authority = {
    ...makeCertificate({ hosts: [], name: 'Test Authority', authority: true }),
    name: 'Test Authority',
  }
  const certificateAuthorities = [authority.certificate]

  async function tlsReceiver(options: TlsOptions): Promise<number> {
    const server = createTlsServer(options, socket => {
      socket.on('error', () => {})
      socket.on('data', () => socket.end(`${head}Content-Length: 2\r\nConnection: close\r\n\r\nok`))
    }).listen(0, '127.0.0.1')
    server.on('tlsClientError', () => {})
    await once(server, 'listening')
    cleanups.push(() => server.close())
    return (server.address() as AddressInfo).port
  }
  function keyed(certificate: { certificate: string; privateKey: string }): TlsOptions {
    return { cert: certificate.certificate, key: certificate.privateKey }
  }
  const longAgo = { validFrom: new Date('2020-01-01'), validUntil: new Date('2020-02-01') }
  const later = { validFrom: new Date('2045-01-01'), validUntil: new Date('2045-02-01') }

  test.each([
    ['self-signed', makeCertificate({ hosts: ['localhost'] }), /self-signed/],
    ['expired', makeCertificate({ hosts: ['localhost'], issuer: authority, ...longAgo }), /expired/],
    ['not valid yet', makeCertificate({ hosts: ['localhost'], issuer: authority, ...later }), /not valid yet/],
    ['for another host', makeCertificate({ hosts: ['other.example'], issuer: authority }), /another host/],
    ['for another address', makeCertificate({ hosts: ['127.0.0.1'], issuer: authority }), /another host/],
  ])('a certificate that is %s is rejected, and the failure says so', async (_, certificate, text) => {
    const port = await tlsReceiver(keyed(certificate))
    const answer = await postTo(`https://localhost:${port}/`, outboundTo({ certificateAuthorities }))
    expect(answer.failure?.kind).toBe('tls')
    expect(answer.failure?.text).toMatch(text)
  })

  test('a valid certificate is accepted, for a name and for an address', async () => {
    const port = await tlsReceiver(keyed(makeCertificate({ hosts: ['localhost', '127.0.0.1'], issuer: authority })))
    const outbound = outboundTo({ certificateAuthorities })
    expect((await postTo(`https://localhost:${port}/`, outbound)).excerpt).toBe('ok')
    expect((await postTo(`https://127.0.0.1:${port}/`, outbound)).ok).toBe(true)
    expect((await postTo(`https://localhost:${port}/`)).failure?.kind).toBe('tls')
  })

  test('the certificate must match the name, not the address that is dialled', async () => {
    const certificate = makeCertificate({ hosts: ['hook.example'], issuer: authority })
    let asked: string | undefined
    const port = await tlsReceiver({
      ...keyed(certificate),
      SNICallback: (name, done) => done(null, ((asked = name), undefined)),
    })
    const resolver: NameResolver = { resolve4: async () => ['127.0.0.1'], resolve6: async () => [] }
    const answer = await postTo(`https://hook.example.:${port}/`, outboundTo({ certificateAuthorities, resolver }))
    expect(answer.ok).toBe(true)
    expect(asked).toBe('hook.example')
  })

  test('an old version of the protocol is rejected', async () => {
    const certificate = keyed(makeCertificate({ hosts: ['localhost'], issuer: authority }))
    const ciphers = 'DEFAULT:@SECLEVEL=0'
    const port = await tlsReceiver({ ...certificate, minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers })
    const answer = await postTo(`https://localhost:${port}/`, outboundTo({ certificateAuthorities }))
    expect(answer.failure?.kind).toMatch(/tls|reset/)
  })

  test('a handshake that never ends is a timeout, and its socket is closed', async () => {
    const receiver = await rawReceiver(() => {}, { onConnect: true })
    cleanups.push(receiver.close)
    const answer = await postTo(`https://localhost:${receiver.port}/`, outboundTo({ timeoutMs: HANGING_MS }))
    expect(answer.failure).toMatchObject({ kind: 'timeout', phase: 'tls' })
    await expect.poll(receiver.open).toBe(0)
  })

  test('a handshake that drips ends within the deadline', async () => {
    const receiver = await rawReceiver(socket => drip(socket, '\x16\x03\x03\x40\x00\x02', 20), { onConnect: true })
    cleanups.push(receiver.close)
    const answer = await postTo(`https://localhost:${receiver.port}/`, outboundTo({ timeoutMs: HANGING_MS }))
    expect(answer.failure?.kind).toMatch(/timeout|tls/)
  })

  test('a receiver that does not speak TLS is a failure', async () => {
    const receiver = await rawReceiver(socket => socket.end(`${head}\r\n`), { onConnect: true })
    cleanups.push(receiver.close)
    expect((await postTo(`https://localhost:${receiver.port}/`)).failure?.kind).toMatch(/tls|reset/)
  })
})
