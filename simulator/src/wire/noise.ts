import { createCipheriv, createDecipheriv, createHash } from 'node:crypto'
import { NOISE_MODE, NOISE_WA_HEADER, proto } from 'baileys'
import { generateKeyPair, type KeyPair, sharedSecret } from '../signal/curve.ts'
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
export class Transport {
  readonly #readKey: Buffer
  readonly #writeKey: Buffer
  #read = 0
  #written = 0

  constructor(readKey: Buffer, writeKey: Buffer) {
    this.#readKey = readKey
    this.#writeKey = writeKey
  }

  seal(plaintext: Uint8Array): Buffer {
    return seal(this.#writeKey, this.#written++, plaintext, NOTHING)
  }

  open(ciphertext: Buffer): Buffer {
    return open(this.#readKey, this.#read++, ciphertext, NOTHING)
  }
}

export interface ClientFinish {
  readonly clientStatic: Buffer
  readonly payload: proto.ClientPayload
  readonly transport: Transport
}

/** The server's side of Noise XX: answers the hello, then reads the client's identity. */
export class Handshake {
  readonly #keys: ServerKeys
  #hash: Buffer = Buffer.from(NOISE_MODE)
  #salt: Buffer = this.#hash
  #key: Buffer = this.#hash
  #counter = 0
  #ephemeral: KeyPair | undefined

  constructor(keys: ServerKeys) {
    this.#keys = keys
    this.#authenticate(NOISE_WA_HEADER)
  }

  hello(frame: Buffer): Uint8Array {
    const clientEphemeral = proto.HandshakeMessage.decode(frame).clientHello?.ephemeral
    if (!clientEphemeral) throw new Error('the handshake lacks the client hello')
    this.#authenticate(clientEphemeral)
    const ephemeral = generateKeyPair()
    this.#ephemeral = ephemeral
    this.#authenticate(ephemeral.public)
    this.#mix(sharedSecret(ephemeral.private, clientEphemeral))
    const encryptedStatic = this.#encrypt(this.#keys.static.public)
    this.#mix(sharedSecret(this.#keys.static.private, clientEphemeral))
    const payload = this.#encrypt(this.#keys.certificate)
    const serverHello = { ephemeral: ephemeral.public, static: encryptedStatic, payload }
    return proto.HandshakeMessage.encode({ serverHello }).finish()
  }

  finish(frame: Buffer): ClientFinish {
    if (!this.#ephemeral) throw new Error('the handshake is out of order')
    const clientFinish = proto.HandshakeMessage.decode(frame).clientFinish
    const clientStatic = this.#decrypt(clientFinish?.static)
    this.#mix(sharedSecret(this.#ephemeral.private, clientStatic))
    const payload = proto.ClientPayload.decode(this.#decrypt(clientFinish?.payload))
    const derived = derive(NOTHING, this.#salt, '', 64)
    return { clientStatic, payload, transport: new Transport(derived.subarray(0, 32), derived.subarray(32)) }
  }

  #authenticate(data: Uint8Array): void {
    this.#hash = createHash('sha256').update(this.#hash).update(data).digest()
  }

  #mix(secret: Buffer): void {
    const derived = derive(secret, this.#salt, '', 64)
    this.#salt = derived.subarray(0, 32)
    this.#key = derived.subarray(32)
    this.#counter = 0
  }

  #encrypt(plaintext: Uint8Array): Buffer {
    const ciphertext = seal(this.#key, this.#counter++, plaintext, this.#hash)
    this.#authenticate(ciphertext)
    return ciphertext
  }

  #decrypt(ciphertext: Uint8Array | null | undefined): Buffer {
    if (!ciphertext) throw new Error('the handshake lacks a part')
    const plaintext = open(this.#key, this.#counter++, Buffer.from(ciphertext), this.#hash)
    this.#authenticate(ciphertext)
    return plaintext
  }
}
