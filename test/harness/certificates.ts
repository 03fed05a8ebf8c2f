import { createPrivateKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { isIP } from 'node:net'

export interface Certificate {
  readonly certificate: string
  readonly privateKey: string
}

export interface CertificateOptions {
  /** Host names and IPv4 addresses that the certificate is for. */
  readonly hosts: readonly string[]
  /** The issuer; self-signed if absent. */
  readonly issuer?: Certificate & { readonly name: string }
  readonly name?: string
  readonly authority?: boolean
  readonly validFrom?: Date
  readonly validUntil?: Date
}

const dayMs = 86_400_000
const oid = {
  commonName: '550403',
  ecdsaWithSha256: '2a8648ce3d040302',
  subjectAltName: '551d11',
  basicConstraints: '551d13',
}

/** An X.509 certificate on P-256, made here because neither Node nor every machine can make one. */
export function makeCertificate(options: CertificateOptions): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const name = options.name ?? options.hosts[0] ?? 'test'
  const signingKey = options.issuer ? createPrivateKey(options.issuer.privateKey) : privateKey
  const algorithm = sequence(objectId(oid.ecdsaWithSha256))
  const body = sequence(
    element(0xa0, integer(2)),
    integer(Math.floor(Math.random() * 2 ** 31)),
    algorithm,
    distinguishedName(options.issuer?.name ?? name),
    sequence(
      utcTime(options.validFrom ?? new Date(Date.now() - dayMs)),
      utcTime(options.validUntil ?? new Date(Date.now() + dayMs)),
    ),
    distinguishedName(name),
    publicKey.export({ type: 'spki', format: 'der' }),
    element(0xa3, sequence(...extensions(options))),
  )
  const certificate = sequence(body, algorithm, bitString(sign('sha256', body, signingKey)))
  return { certificate: pem('CERTIFICATE', certificate), privateKey: exportKey(privateKey) }
}

function extensions(options: CertificateOptions): Buffer[] {
  const list = [
    extension(oid.basicConstraints, options.authority ? sequence(element(0x01, Buffer.from([0xff]))) : sequence()),
  ]
  if (options.hosts.length > 0)
    list.push(extension(oid.subjectAltName, sequence(...options.hosts.map(alternativeName))))
  return list
}

function alternativeName(host: string): Buffer {
  if (isIP(host) === 4) return element(0x87, Buffer.from(host.split('.').map(Number)))
  return element(0x82, Buffer.from(host, 'ascii'))
}

function extension(id: string, value: Buffer): Buffer {
  return sequence(objectId(id), element(0x04, value))
}

function distinguishedName(commonName: string): Buffer {
  return sequence(element(0x31, sequence(objectId(oid.commonName), element(0x0c, Buffer.from(commonName)))))
}

function element(tag: number, ...contents: Buffer[]): Buffer {
  const content = Buffer.concat(contents)
  const size = content.length
  const length = size < 0x80 ? [size] : size < 0x100 ? [0x81, size] : [0x82, size >> 8, size & 0xff]
  return Buffer.concat([Buffer.from([tag, ...length]), content])
}

function sequence(...contents: Buffer[]): Buffer {
  return element(0x30, ...contents)
}

function objectId(hex: string): Buffer {
  return element(0x06, Buffer.from(hex, 'hex'))
}

function integer(value: number): Buffer {
  const hex = value.toString(16)
  const bytes = Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex')
  return element(0x02, (bytes[0] ?? 0) & 0x80 ? Buffer.concat([Buffer.from([0]), bytes]) : bytes)
}

function bitString(content: Buffer): Buffer {
  return element(0x03, Buffer.from([0]), content)
}

function utcTime(date: Date): Buffer {
  const digits = date.toISOString().replace(/[-:T]/g, '').slice(2, 14)
  return element(0x17, Buffer.from(`${digits}Z`))
}

function pem(label: string, der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? []
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`
}

function exportKey(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }) as string
}
