import { createCipheriv, createDecipheriv, pbkdf2, randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import { nowMs, nowText } from '../clock.ts'
import { numberJid, SERVER_JID } from '../jid.ts'
import { userOf } from '../people.ts'
import { Refused } from '../refused.ts'
import { generateKeyPair, sharedSecret } from '../signal/curve.ts'
import { derive } from '../signal/derive.ts'
import { type BinaryNode, bytesOf, child, node } from '../wire/node.ts'
import type { Network } from '../world/network.ts'
import type { LinkCode, Pairing } from '../world/pairing.ts'
import { acceptCode, type Accepted } from './accept-code.ts'
import { codeFault } from './pairing-habits.ts'
import { isRefreshConfirmed, refreshSecret } from './secret-refresh.ts'
import { primaryHello, stanzaId } from './stanzas.ts'
import { TOO_OLD } from './versions.ts'

const LASTS_MS = 180_000
const NO_SALT = Buffer.alloc(0)
const NO_LONGER_GOOD = 'the code is no longer good: enter the one that is shown now'

/** A client that waits for a phone, and the code that the phone's owner has typed. */
interface Entry {
  readonly network: Network
  readonly pairing: Pairing
  readonly linkCode: LinkCode
  readonly digits: string
  readonly code: string
}

/** The client that last requested to be linked to this number by code. */
export function pairingByCode(network: Network, digits: string): Pairing | undefined {
  return [...network.pairings].findLast(candidate => candidate.linkCode?.jid === numberJid(digits))
}

/** The phone's owner types the client's code. Resolves when the device is linked or the platform requires the passkey. */
export async function enterCode(network: Network, digits: string, shownCode: string): Promise<Accepted> {
  const code = shownCode.replace(/[^0-9A-Za-z]/g, '').toUpperCase()
  const pairing = pairingByCode(network, digits)
  const linkCode = pairing?.linkCode
  if (!pairing || !linkCode) throw new Refused('no client asks to be linked to this number')
  if (!network.versions.links(pairing.connection.payload)) throw new Refused(TOO_OLD)
  if (nowMs(network) - linkCode.sinceMs > LASTS_MS) throw new Refused(NO_LONGER_GOOD)
  const advSecret = await agree({ network, pairing, linkCode, digits, code }).finally(() => {
    pairing.pending = undefined
  })
  return await acceptCode(network, pairing, digits, advSecret)
}

/** The secret that the phone and the client share when both know the code. */
async function agree(entry: Entry): Promise<Buffer> {
  const { network, pairing, linkCode, digits } = entry
  const fault = codeFault(network, pairing, digits)
  if (fault === 'retired') retire(entry)
  if (fault === 'foreign_hello') sendHello(entry, randomBytes(16), generateKeyPair().public, randomBytes(80))
  if (fault === 'repeated_hello') await exchange(entry)
  const { secret, step } = await exchange(entry)
  const { identity } = userOf(network, digits).keys.local
  const bundle = openBundle(secret, bytesOf(child(step, 'link_code_pairing_wrapped_key_bundle')))
  const companion = bundle.subarray(0, 32)
  if (!companion.equals(pairing.keys.identityKey) || !bundle.subarray(32, 64).equals(identity.public)) {
    throw new Refused('the keys of the client do not match')
  }
  if (fault === 'refreshed_secret') {
    refreshSecret(network, pairing)
    if (!(await isRefreshConfirmed(network, pairing))) throw new Refused(NO_LONGER_GOOD)
  }
  linkCode.finish = undefined
  const identitySecret = sharedSecret(identity.private, companion)
  return derive(Buffer.concat([secret, identitySecret, bundle.subarray(64, 96)]), NO_SALT, 'adv_secret', 32)
}

/** Withdraws the code, so that the client shows another. */
function retire({ network, pairing, linkCode }: Entry): never {
  const what = node('link_code_companion_reg', { stage: 'refresh_code', force_manual_refresh: 'false' }, [
    node('link_code_pairing_ref', {}, linkCode.ref),
  ])
  const head = { from: SERVER_JID, type: 'link_code_companion_reg', id: stanzaId(network), t: nowText(network) }
  pairing.linkCode = undefined
  pairing.connection.send(node('notification', head, [what]))
  throw new Refused(NO_LONGER_GOOD)
}

/** The phone sends its hello and waits for the client's response. */
async function exchange(entry: Entry): Promise<{ secret: Buffer; step: BinaryNode }> {
  const { network, pairing, linkCode, digits, code } = entry
  const finished = new Promise<BinaryNode>((resolve, refuse) => {
    linkCode.finish = resolve
    pairing.pending = { accept: () => {}, refuse }
  })
  // Awaited only after the keys are derived; the client may disconnect before, which would be an unhandled rejection.
  finished.catch(() => {})
  const companionEphemeral = await unwrap(code, linkCode.wrappedEphemeral)
  const ephemeral = generateKeyPair()
  const { identity } = userOf(network, digits).keys.local
  sendHello(entry, linkCode.ref, identity.public, await wrap(code, ephemeral.public))
  const step = await finished
  return { secret: sharedSecret(ephemeral.private, companionEphemeral), step }
}

function sendHello({ network, pairing }: Entry, ref: Buffer, identity: Buffer, wrappedEphemeral: Buffer): void {
  const hello = { ref, wrappedEphemeral, identity }
  pairing.connection.send(primaryHello(stanzaId(network), nowText(network), hello))
}

const ITERATIONS = 131_072

function codeKey(code: string, salt: Buffer): Promise<Buffer> {
  return promisify(pbkdf2)(code, salt, ITERATIONS, 32, 'sha256')
}

/** Decrypts the other side's ephemeral key with the code: salt, counter block and key. */
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

/** Decrypts the client's keys with the secret that both sides derive from the code. */
function openBundle(secret: Buffer, bundle: Buffer): Buffer {
  const key = derive(secret, bundle.subarray(0, 32), 'link_code_pairing_key_bundle_encryption_key', 32)
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, bundle.subarray(32, 44))
    decipher.setAuthTag(bundle.subarray(-16))
    return Buffer.concat([decipher.update(bundle.subarray(44, -16)), decipher.final()])
  } catch {
    throw new Refused('the code is wrong')
  }
}
