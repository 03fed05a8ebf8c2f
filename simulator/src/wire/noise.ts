import { createCipheriv, createDecipheriv, createHash } from 'node:crypto'
import { NOISE_MODE, NOISE_WA_HEADER, proto } from 'baileys'
import type { KeyPair } from '../signal/curve.ts'
import { generateKeyPair, sharedSecret } from '../signal/curve.ts'
import { derive } from '../signal/derive.ts'
import type { ServerKeys } from './certificate.ts'

const TAG_LENGTH = 16
const NOTHING = Buffer.alloc(0)

function iv(counter: number): Buffer {
  const bytes = Buffer.alloc(12)
  bytes.writeUInt32BE(counter, 8)
  return bytes
}

function seal(key: Buffer, counter: number, plaintext: Uint8Array, data: Buffer): Buffer {
  const cipher = createCipheriv('aes-256-gcm', key, iv(counter))
  cipher.setAAD(data)
  return Buffer.concat([cipher.update(plaintext), cipher.final(), cipher.getAuthTag()])
}

function open(key: Buffer, counter: number, ciphertext: Buffer, data: Buffer): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, iv(counter))
  decipher.setAAD(data)
  decipher.setAuthTag(ciphertext.subarray(-TAG_LENGTH))
  return Buffer.concat([decipher.update(ciphertext.subarray(0, -TAG_LENGTH)), decipher.final()])
}

/** The encrypted link after the handshake: frames are numbered in each direction. */
export interface Transport {
  seal(plaintext: Uint8Array): Buffer
  open(ciphertext: Buffer): Buffer
}

export interface ClientFinish {
  readonly clientStatic: Buffer
  readonly payload: proto.ClientPayload
  readonly transport: Transport
}

/** The server's half of Noise XX: answer the hello, then read who the client is. */
export interface Handshake {
  hello(frame: Buffer): Uint8Array
  finish(frame: Buffer): ClientFinish
}

export function startHandshake(keys: ServerKeys): Handshake {
  let hash: Buffer = Buffer.from(NOISE_MODE)
  let salt = hash
  let key = hash
  let counter = 0
  let ephemeral: KeyPair | undefined
  const authenticate = (data: Uint8Array): void => {
    hash = createHash('sha256').update(hash).update(data).digest()
  }
  const mix = (secret: Buffer): void => {
    const derived = derive(secret, salt, '', 64)
    salt = derived.subarray(0, 32)
    key = derived.subarray(32)
    counter = 0
  }
  const encrypt = (plaintext: Uint8Array): Buffer => {
    const ciphertext = seal(key, counter++, plaintext, hash)
    authenticate(ciphertext)
    return ciphertext
  }
  const decrypt = (ciphertext: Uint8Array | null | undefined): Buffer => {
    if (!ciphertext) throw new Error('the handshake lacks a part')
    const plaintext = open(key, counter++, Buffer.from(ciphertext), hash)
    authenticate(ciphertext)
    return plaintext
  }
  authenticate(NOISE_WA_HEADER)

  return {
    hello(frame) {
      const clientEphemeral = proto.HandshakeMessage.decode(frame).clientHello?.ephemeral
      if (!clientEphemeral) throw new Error('the handshake lacks the client hello')
      authenticate(clientEphemeral)
      ephemeral = generateKeyPair()
      authenticate(ephemeral.public)
      mix(sharedSecret(ephemeral.private, clientEphemeral))
      const encryptedStatic = encrypt(keys.static.public)
      mix(sharedSecret(keys.static.private, clientEphemeral))
      const payload = encrypt(keys.certificate)
      const serverHello = { ephemeral: ephemeral.public, static: encryptedStatic, payload }
      return proto.HandshakeMessage.encode({ serverHello }).finish()
    },
    finish(frame) {
      if (!ephemeral) throw new Error('the handshake is out of order')
      const clientFinish = proto.HandshakeMessage.decode(frame).clientFinish
      const clientStatic = decrypt(clientFinish?.static)
      mix(sharedSecret(ephemeral.private, clientStatic))
      const payload = proto.ClientPayload.decode(decrypt(clientFinish?.payload))
      const derived = derive(NOTHING, salt, '', 64)
      return { clientStatic, payload, transport: createTransport(derived.subarray(0, 32), derived.subarray(32)) }
    },
  }
}

function createTransport(readKey: Buffer, writeKey: Buffer): Transport {
  let read = 0
  let written = 0
  return {
    seal: plaintext => seal(writeKey, written++, plaintext, NOTHING),
    open: ciphertext => open(readKey, read++, ciphertext, NOTHING),
  }
}
