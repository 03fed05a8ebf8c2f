import { createDecipheriv, createCipheriv, pbkdf2, randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import { nowText } from '../clock.ts'
import { numberJid } from '../jid.ts'
import { userOf } from '../people.ts'
import { Refused } from '../refused.ts'
import { generateKeyPair, sharedSecret } from '../signal/curve.ts'
import { derive } from '../signal/derive.ts'
import { type BinaryNode, bytesOf, child, node } from '../wire/node.ts'
import type { Network } from '../world/network.ts'
import type { Pairing } from '../world/pairing.ts'
import { type Accepted, acceptCode } from './accept-code.ts'
import { iqResult, primaryHello, stanzaId } from './stanzas.ts'

const ITERATIONS = 131_072
const NO_SALT = Buffer.alloc(0)

/** Answers the client's two steps of the pairing by code. */
export function answerLinkCode(pairing: Pairing, stanza: BinaryNode): void {
  const step = child(stanza, 'link_code_companion_reg')
  if (step?.attrs.stage === 'companion_hello') {
    const ref = randomBytes(16)
    const wrappedEphemeral = bytesOf(child(step, 'link_code_pairing_wrapped_companion_ephemeral_pub'))
    pairing.linkCode = { jid: step.attrs.jid ?? '', ref, wrappedEphemeral, finish: undefined }
    const answer = node('link_code_companion_reg', { stage: 'companion_hello' }, [
      node('link_code_pairing_ref', {}, ref),
    ])
    pairing.connection.send(iqResult(stanza.attrs.id, stanza.attrs.to, [answer]))
    return
  }
  pairing.connection.send(iqResult(stanza.attrs.id, stanza.attrs.to))
  pairing.linkCode?.finish?.(stanza)
}

function codeKey(code: string, salt: Buffer): Promise<Buffer> {
  return promisify(pbkdf2)(code, salt, ITERATIONS, 32, 'sha256')
}

/** Salt, counter block and key, as both sides wrap their ephemeral key with the code. */
async function unwrap(code: string, wrapped: Buffer): Promise<Buffer> {
  const decipher = createDecipheriv(
    'aes-256-ctr',
    await codeKey(code, wrapped.subarray(0, 32)),
    wrapped.subarray(32, 48),
  )
  return Buffer.concat([decipher.update(wrapped.subarray(48, 80)), decipher.final()])
}

async function wrap(code: string, key: Buffer): Promise<Buffer> {
  const salt = randomBytes(32)
  const iv = randomBytes(16)
  const cipher = createCipheriv('aes-256-ctr', await codeKey(code, salt), iv)
  return Buffer.concat([salt, iv, cipher.update(key), cipher.final()])
}

function openBundle(secret: Buffer, bundle: Buffer): Buffer {
  const key = derive(secret, bundle.subarray(0, 32), 'link_code_pairing_key_bundle_encryption_key', 32)
  const decipher = createDecipheriv('aes-256-gcm', key, bundle.subarray(32, 44))
  decipher.setAuthTag(bundle.subarray(-16))
  return Buffer.concat([decipher.update(bundle.subarray(44, -16)), decipher.final()])
}

/** The client that has asked to be linked to this number by a code. */
export function pairingByCode(network: Network, digits: string): Pairing | undefined {
  return [...network.pairings].find(candidate => candidate.linkCode?.jid === numberJid(digits))
}

/** The phone's owner types the code that the client shows. Resolves when the device is linked, or the platform asks for the passkey. */
export async function enterCode(network: Network, digits: string, shownCode: string): Promise<Accepted> {
  const code = shownCode.replace(/[^0-9A-Za-z]/g, '').toUpperCase()
  const pairing = pairingByCode(network, digits)
  const linkCode = pairing?.linkCode
  if (!pairing || !linkCode) throw new Refused('no client asks to be linked to this number')
  const finished = new Promise<BinaryNode>((resolve, refuse) => {
    linkCode.finish = resolve
    pairing.pending = { accept: () => {}, refuse }
  })
  // It is awaited only after the keys are derived, and the client may leave before.
  finished.catch(() => {})
  const { identity } = userOf(network, digits).keys.local
  const companionEphemeral = await unwrap(code, linkCode.wrappedEphemeral)
  const ephemeral = generateKeyPair()
  const wrappedEphemeral = await wrap(code, ephemeral.public)
  pairing.connection.send(
    primaryHello(stanzaId(network), nowText(network), {
      ref: linkCode.ref,
      wrappedEphemeral,
      identity: identity.public,
    }),
  )
  const step = child(await finished, 'link_code_companion_reg')
  const secret = sharedSecret(ephemeral.private, companionEphemeral)
  const bundle = readBundle(secret, bytesOf(child(step, 'link_code_pairing_wrapped_key_bundle')))
  const companion = bundle.subarray(0, 32)
  if (!companion.equals(pairing.keys.identityKey) || !bundle.subarray(32, 64).equals(identity.public)) {
    throw new Refused('the keys of the client do not match')
  }
  const identitySecret = sharedSecret(identity.private, companion)
  const advSecret = derive(Buffer.concat([secret, identitySecret, bundle.subarray(64, 96)]), NO_SALT, 'adv_secret', 32)
  return await acceptCode(network, pairing, digits, advSecret)
}

function readBundle(secret: Buffer, bundle: Buffer): Buffer {
  try {
    return openBundle(secret, bundle)
  } catch {
    throw new Refused('the code is wrong')
  }
}
