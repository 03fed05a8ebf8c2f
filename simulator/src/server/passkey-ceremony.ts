import { createDecipheriv, createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { proto } from 'baileys'
import { nowMs, nowText } from '../clock.ts'
import { SERVER_JID } from '../jid.ts'
import type { PasskeyDemand } from '../passkey/demands.ts'
import { type Passkey, passkeyOf, RP_ID } from '../passkey/software-key.ts'
import { flawOf } from '../passkey/verify-assertion.ts'
import { userOf } from '../people.ts'
import { generateKeyPair, sharedSecret } from '../signal/curve.ts'
import { derive, hmac } from '../signal/derive.ts'
import { type BinaryNode, bytesOf, child, node } from '../wire/node.ts'
import type { Network } from '../world/network.ts'
import type { Pairing, PasskeyCeremony } from '../world/pairing.ts'
import { IqError } from './iq-error.ts'
import { iqError, iqResult, stanzaId } from './stanzas.ts'

const CHALLENGE_MS = 600_000
const NO_SALT = Buffer.alloc(0)

interface Companion {
  readonly identity: Buffer
  readonly publicKey: Buffer
  readonly deviceType: number
  readonly ref: string
  readonly commitment: Buffer
}

type Answer = (part: BinaryNode) => BinaryNode[] | undefined

export interface Demanded {
  readonly digits: string
  /** The secret of the code that the phone has scanned or was given. */
  readonly advSecret: Buffer
  readonly demand: PasskeyDemand
  /** Called when the phone has the new device's keys, with the secret for linking it. */
  readonly onKeys: (advSecret: Buffer) => void
}

/** Requires a client to present the number's passkey before the phone links it. Plays both server and phone. */
export class Ceremony implements PasskeyCeremony {
  readonly digits: string
  readonly #network: Network
  readonly #pairing: Pairing
  readonly #demanded: Demanded
  readonly #key: Passkey
  readonly #ephemeral = generateKeyPair()
  readonly #nonce = randomBytes(32)
  readonly #unconfirmed = new Set<string>()
  readonly #refs = new Set<string>()
  /** Valid for one attempt. */
  #challenge: { readonly text: string; readonly untilMs: number } | undefined
  #companion: Companion | undefined
  #code: string | undefined
  #newSecret: Buffer | undefined
  #isProven = false
  #isOver = false

  constructor(network: Network, pairing: Pairing, demanded: Demanded) {
    this.digits = demanded.digits
    this.#network = network
    this.#pairing = pairing
    this.#demanded = demanded
    this.#key = passkeyOf(userOf(network, demanded.digits))
  }

  /** The code on the phone for comparison; absent until the client has sent its nonce. */
  get code(): string | undefined {
    return this.#code
  }

  /** Whether the client has proven that it showed the scanned code, which makes a comparison unnecessary. */
  get isProven(): boolean {
    return this.#isProven
  }

  begin(): void {
    const options = this.#demanded.demand === 'no_options' ? [] : [this.#options()]
    this.#notify('passkey_prologue_request', options)
  }

  /** Returns whether the stanza belongs to the ceremony. */
  handle(stanza: BinaryNode): boolean {
    if (stanza.tag === 'ack') return this.#unconfirmed.delete(stanza.attrs.id ?? '')
    const part = Array.isArray(stanza.content) ? stanza.content[0] : undefined
    const answer = stanza.tag === 'iq' && part ? this.#answers(stanza.attrs.type ?? '', part.tag) : undefined
    if (!answer || !part) return false
    this.#pairing.connection.send(this.#answer(stanza, part, answer))
    if (part.tag === 'passkey_prologue') this.#continue()
    if (this.#newSecret) this.#demanded.onKeys(this.#newSecret)
    return true
  }

  #answers(type: string, tag: string): Answer | undefined {
    switch (`${type} ${tag}`) {
      case 'get passkey_request_options':
        return () => [this.#options()]
      case 'get ref':
        return () => [node('ref', {}, Buffer.from(this.#newRef()))]
      case 'set passkey_prologue':
        return part => this.#prologue(part)
      case 'set companion_nonce':
        return part => this.#takeNonce(bytesOf(part))
      case 'set encrypted_pairing_request':
        return part => this.#takeKeys(bytesOf(part))
      default:
        return undefined
    }
  }

  #answer(stanza: BinaryNode, part: BinaryNode, answer: Answer): BinaryNode {
    const { id, to, xmlns } = stanza.attrs
    try {
      if (xmlns !== 'md' || to !== SERVER_JID) throw new IqError(400, 'bad-request')
      if (this.#unconfirmed.size > 0) throw new IqError(406, 'not-acceptable')
      if (this.#isOver) throw new IqError(410, 'gone')
      return iqResult(id, to, answer(part))
    } catch (error) {
      // Any other error results from what the client has sent.
      const { code, message } = error instanceof IqError ? error : new IqError(400, 'bad-request')
      this.#network.logger?.debug({ code }, 'passkey ceremony step rejected')
      return iqError(id, code, message)
    }
  }

  #options(): BinaryNode {
    const now = nowMs(this.#network)
    this.#challenge ??= { text: randomBytes(32).toString('base64url'), untilMs: now + CHALLENGE_MS }
    const options = {
      challenge: this.#challenge.text,
      timeout: CHALLENGE_MS,
      rpId: RP_ID,
      allowCredentials: [],
      userVerification: 'required',
      extensions: { uvm: true },
    }
    return node('passkey_request_options', {}, Buffer.from(JSON.stringify(options)))
  }

  #newRef(): string {
    const ref = `2@${randomBytes(24).toString('base64url')}`
    this.#refs.add(ref)
    return ref
  }

  #prologue(part: BinaryNode): undefined {
    const challenge = this.#challenge
    this.#challenge = undefined
    if (!challenge || this.#companion || nowMs(this.#network) > challenge.untilMs) throw new IqError(410, 'gone')
    const payload = bytesOf(child(part, 'prologue_payload'))
    const companion = readCompanion(payload)
    // Each reference allows one prologue, even a failed one.
    if (!companion || !this.#refs.delete(companion.ref)) throw new IqError(409, 'conflict')
    if (companion.deviceType !== this.#deviceType()) throw new IqError(400, 'bad-request')
    const credentialId = bytesOf(child(part, 'credential_id'))
    const flaw = flawOf(this.#key, challenge.text, credentialId, bytesOf(child(part, 'webauthn_assertion')))
    if (flaw !== undefined) throw new IqError(403, flaw)
    const proof = child(part, 'pairing_handoff_proof')
    if (proof && !this.#proves(bytesOf(proof), payload)) throw new IqError(403, 'the proof is wrong')
    this.#isProven = proof !== undefined
    this.#companion = companion
  }

  #proves(proof: Buffer, payload: Buffer): boolean {
    const key = derive(this.#demanded.advSecret, NO_SALT, 'shortcake-passkey-handoff-v1', 32)
    const expected = hmac(key, payload)
    return proof.length === expected.length && timingSafeEqual(proof, expected)
  }

  #deviceType(): number {
    const props = this.#pairing.connection.payload.devicePairingData?.deviceProps
    return proto.DeviceProps.decode(props ?? new Uint8Array()).platformType ?? 0
  }

  #continue(): void {
    if (!this.#companion || this.#demanded.demand === 'hangs') return
    const identity = { publicKey: this.#ephemeral.public, nonce: this.#nonce }
    const encoded = proto.PrimaryEphemeralIdentity.encode(identity).finish()
    this.#notify('crsc_continuation', [node('primary_ephemeral_identity', {}, encoded)])
  }

  #takeNonce(nonce: Buffer): undefined {
    const companion = this.#companion
    if (!companion || this.#code !== undefined) throw new IqError(400, 'bad-request')
    const promised = createHash('sha256').update(companion.identity).update(nonce).digest()
    if (nonce.length !== 32 || !promised.equals(companion.commitment)) {
      this.#isOver = true
      throw new IqError(403, 'the nonce does not match the commitment')
    }
    this.#code = verificationCode(nonce, this.#ephemeral.public, this.#nonce)
  }

  #takeKeys(encoded: Buffer): undefined {
    const companion = this.#companion
    if (!companion || this.#code === undefined) throw new IqError(400, 'bad-request')
    const secret = sharedSecret(this.#ephemeral.private, companion.publicKey)
    this.#newSecret = this.#openRequest(companion, secret, encoded)
    this.#isOver = true
  }

  #openRequest(companion: Companion, secret: Buffer, encoded: Buffer): Buffer {
    const salt = Buffer.from(`Companion Pairing ${companion.deviceType} with ref ${companion.ref}`)
    const request = openRequest(derive(secret, salt, 'Pairing Information Encryption Key', 32), encoded)
    const { keys } = this.#pairing
    const { companionPublicKey, companionIdentityKey, advSecret } = request ?? {}
    const isTheirs =
      keys.noiseKey.equals(companionPublicKey ?? new Uint8Array()) &&
      keys.identityKey.equals(companionIdentityKey ?? new Uint8Array())
    const isNew = advSecret?.length === 32 && !this.#demanded.advSecret.equals(advSecret)
    if (!isTheirs || !isNew) {
      this.#isOver = true
      throw new IqError(403, 'the keys are not those of the client')
    }
    return Buffer.from(advSecret)
  }

  #notify(type: string, content: BinaryNode[]): void {
    const id = stanzaId(this.#network)
    this.#unconfirmed.add(id)
    const attrs = { from: SERVER_JID, type, id, t: nowText(this.#network) }
    this.#pairing.connection.send(node('notification', attrs, content))
  }
}

function readCompanion(payload: Buffer): Companion | undefined {
  try {
    const { companionEphemeralIdentity, commitment } = proto.ProloguePayload.decode(payload)
    const identity = Buffer.from(companionEphemeralIdentity ?? [])
    const { publicKey, deviceType, ref } = proto.CompanionEphemeralIdentity.decode(identity)
    if (publicKey?.length !== 32 || commitment?.hash?.length !== 32 || !ref) return undefined
    const hash = Buffer.from(commitment.hash)
    return { identity, publicKey: Buffer.from(publicKey), deviceType: deviceType ?? 0, ref, commitment: hash }
  } catch {
    return undefined
  }
}

function openRequest(key: Buffer, encoded: Buffer): proto.PairingRequest | undefined {
  try {
    const { encryptedPayload, iv } = proto.EncryptedPairingRequest.decode(encoded)
    const payload = Buffer.from(encryptedPayload ?? [])
    if (iv?.length !== 12) return undefined
    const decipher = createDecipheriv('aes-256-gcm', key, iv)
    decipher.setAuthTag(payload.subarray(-16))
    return proto.PairingRequest.decode(Buffer.concat([decipher.update(payload.subarray(0, -16)), decipher.final()]))
  } catch {
    return undefined
  }
}

const LETTERS = '123456789ABCDEFGHJKLMNPQRSTVWXYZ'

/** Eight letters of five bits each, in two halves. */
export function codeOfBytes(bytes: Uint8Array): string {
  const bits = BigInt(`0x${Buffer.from(bytes.subarray(0, 5)).toString('hex')}`)
  const letters = Array.from({ length: 8 }, (_, index) => LETTERS[Number((bits >> BigInt(35 - 5 * index)) & 31n)]!)
  return `${letters.slice(0, 4).join('')}-${letters.slice(4).join('')}`
}

/** The code on the phone, for its owner to compare with the client's. */
function verificationCode(companionNonce: Uint8Array, publicKey: Uint8Array, nonce: Uint8Array): string {
  const digest = createHash('sha256').update(companionNonce).update(publicKey).digest()
  return codeOfBytes(digest.subarray(0, 5).map((byte, index) => byte ^ nonce[index]!))
}
