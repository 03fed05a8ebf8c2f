import { createHash, createPublicKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { type Clock, systemClock } from '../clock.ts'

/** A certificate with its private key, both in PEM. */
export interface Certificate {
  readonly certificate: string
  readonly privateKey: string
}

const ECDSA_WITH_SHA256 = '06082a8648ce3d040302'
const COMMON_NAME = '0603550403'
const BASIC_CONSTRAINTS = '0603551d13'
const KEY_USAGE = '0603551d0f'
const EXTENDED_KEY_USAGE = '0603551d25'
const SUBJECT_ALT_NAME = '0603551d11'
const SUBJECT_KEY_ID = '0603551d0e'
const AUTHORITY_KEY_ID = '0603551d23'
const SERVER_AUTH = '06082b06010505070301'

function der(tag: number, ...parts: Uint8Array[]): Buffer {
  const content = Buffer.concat(parts)
  const size = content.length
  const length = size < 128 ? [size] : size < 256 ? [0x81, size] : [0x82, size >> 8, size & 255]
  return Buffer.concat([Buffer.from([tag, ...length]), content])
}

const hex = (text: string): Buffer => Buffer.from(text, 'hex')
const sequence = (...parts: Uint8Array[]): Buffer => der(0x30, ...parts)
const octets = (...parts: Uint8Array[]): Buffer => der(0x04, ...parts)
const TRUE = hex('0101ff')

function name(commonName: string): Buffer {
  return sequence(der(0x31, sequence(hex(COMMON_NAME), der(0x0c, Buffer.from(commonName)))))
}

function time(date: Date): Buffer {
  return der(0x18, Buffer.from(`${date.toISOString().replace(/[-:T]/g, '').slice(0, 14)}Z`))
}

function extension(id: string, critical: boolean, value: Buffer): Buffer {
  return critical ? sequence(hex(id), TRUE, octets(value)) : sequence(hex(id), octets(value))
}

function keyId(publicKey: Buffer): Buffer {
  return createHash('sha1').update(publicKey).digest()
}

function pem(label: string, body: Buffer): string {
  const lines = body.toString('base64').match(/.{1,64}/g) ?? []
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`
}

interface Issue {
  readonly subject: string
  readonly issuer: string
  readonly publicKey: KeyObject
  readonly signer: KeyObject
  readonly extensions: readonly Buffer[]
  readonly clock: Clock
}

const YEARS_VALID = 20

function issue({ subject, issuer, publicKey, signer, extensions, clock }: Issue): string {
  const serial = randomBytes(16)
  serial[0] = (serial[0]! & 0x7f) | 0x40
  const start = new Date(clock.now().getTime() - 24 * 3600 * 1000)
  const end = new Date(start)
  end.setUTCFullYear(end.getUTCFullYear() + YEARS_VALID)
  const algorithm = sequence(hex(ECDSA_WITH_SHA256))
  const body = sequence(
    der(0xa0, hex('020102')),
    der(0x02, serial),
    algorithm,
    name(issuer),
    sequence(time(start), time(end)),
    name(subject),
    publicKey.export({ format: 'der', type: 'spki' }),
    der(0xa3, sequence(...extensions)),
  )
  const signature = sign('sha256', body, signer)
  return pem('CERTIFICATE', sequence(body, algorithm, der(0x03, Buffer.from([0]), signature)))
}

function keyPair() {
  return generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
}

const AUTHORITY = 'Simulator media authority'

export function createAuthority(clock: Clock = systemClock): Certificate {
  const { publicKey, privateKey } = keyPair()
  const certificate = issue({
    subject: AUTHORITY,
    issuer: AUTHORITY,
    publicKey,
    signer: privateKey,
    clock,
    extensions: [
      extension(BASIC_CONSTRAINTS, true, sequence(TRUE)),
      extension(KEY_USAGE, true, hex('03020106')),
      extension(SUBJECT_KEY_ID, false, octets(keyId(publicKey.export({ format: 'der', type: 'spki' })))),
    ],
  })
  return { certificate, privateKey: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString() }
}

function altName(host: string): Buffer {
  const parts = host.split('.').map(Number)
  const isAddress = parts.length === 4 && parts.every(part => Number.isInteger(part) && part >= 0 && part < 256)
  return isAddress ? der(0x87, Buffer.from(parts)) : der(0x82, Buffer.from(host))
}

/** A server certificate for the hosts (IPv4 addresses or names), signed by the authority. */
export function createServerCertificate(
  authority: Certificate,
  signer: KeyObject,
  hosts: readonly string[],
  clock: Clock = systemClock,
): Certificate {
  const { publicKey, privateKey } = keyPair()
  const authorityKey = createPublicKey(authority.certificate).export({ format: 'der', type: 'spki' })
  const certificate = issue({
    subject: hosts[0] ?? 'localhost',
    issuer: AUTHORITY,
    publicKey,
    signer,
    clock,
    extensions: [
      extension(BASIC_CONSTRAINTS, true, sequence()),
      extension(KEY_USAGE, true, hex('03020780')),
      extension(EXTENDED_KEY_USAGE, false, sequence(hex(SERVER_AUTH))),
      extension(SUBJECT_ALT_NAME, false, sequence(...hosts.map(altName))),
      extension(AUTHORITY_KEY_ID, false, sequence(der(0x80, keyId(authorityKey)))),
    ],
  })
  return { certificate, privateKey: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString() }
}
