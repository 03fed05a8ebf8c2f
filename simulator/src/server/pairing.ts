import { randomBytes } from 'node:crypto'
import { nowMs } from '../clock.ts'
import { Refused } from '../refused.ts'
import type { Connection } from '../wire/connection.ts'
import { type BinaryNode, child } from '../wire/node.ts'
import type { DeviceKeys } from '../world/device.ts'
import type { Network } from '../world/network.ts'
import type { Pairing } from '../world/pairing.ts'
import { type Accepted, acceptCode } from './accept-code.ts'
import { answerLinkCode } from './link-code.ts'
import { confirmRefresh, refreshSecret, requireCurrentSecret } from './secret-refresh.ts'
import { iqResult, pairDevice, stanzaId } from './stanzas.ts'
import { TOO_OLD } from './versions.ts'

const REFS = 6
const FIRST_REF_MS = 60_000
const NEXT_REF_MS = 20_000
/** A code stays valid this long after it expires, for a person who is scanning it. */
const GRACE_MS = 5_000

const refExpiresAtMs = ({ refs, sinceMs }: Pairing, ref: string): number =>
  sinceMs + FIRST_REF_MS + refs.indexOf(ref) * NEXT_REF_MS + GRACE_MS

function readKeys(connection: Connection): DeviceKeys {
  const data = connection.payload.devicePairingData
  if (!data?.eIdent || !data.eRegid || !data.eSkeyId || !data.eSkeyVal || !data.eSkeySig) {
    throw new Error('the registration lacks a key')
  }
  return {
    noiseKey: connection.clientStatic,
    identityKey: Buffer.from(data.eIdent),
    registrationId: Buffer.from(data.eRegid).readUInt32BE(),
    signedPreKey: {
      id: Buffer.from(data.eSkeyId).readUIntBE(0, 3),
      publicKey: Buffer.from(data.eSkeyVal),
      signature: Buffer.from(data.eSkeySig),
    },
  }
}

/** Gives an unregistered client its QR references. Returns the handler of its further stanzas. */
export function startPairing(network: Network, connection: Connection): (stanza: BinaryNode) => void {
  const refs = Array.from({ length: REFS }, () => `2@${randomBytes(24).toString('base64url')}`)
  const pairing: Pairing = {
    connection,
    refs,
    sinceMs: nowMs(network),
    keys: readKeys(connection),
    linkCode: undefined,
    passkey: undefined,
    refresh: undefined,
    retired: new Set(),
    habits: new Set(),
    pending: undefined,
  }
  network.pairings.add(pairing)
  connection.send(pairDevice(stanzaId(network), refs))
  network.later(network.timing.secretRefreshMs, () => {
    const isIdle = pairing.pending === undefined && pairing.passkey === undefined
    if (network.pairings.has(pairing) && isIdle) refreshSecret(network, pairing)
  })
  return stanza => {
    if (pairing.passkey?.handle(stanza)) return network.changed()
    if (stanza.tag === 'ack') confirmRefresh(pairing, stanza)
    else if (stanza.tag === 'iq') receiveQuery(network, pairing, stanza)
    network.changed()
  }
}

function receiveQuery(network: Network, pairing: Pairing, stanza: BinaryNode): void {
  const { id, to, type } = stanza.attrs
  if (child(stanza, 'pair-device-sign')) pairing.pending?.accept(stanza)
  else if (child(stanza, 'link_code_companion_reg')) answerLinkCode(network, pairing, stanza)
  else if (type !== 'result') pairing.connection.send(iqResult(id, to))
}

export function endPairing(network: Network, connection: Connection): void {
  for (const pairing of network.pairings) {
    if (pairing.connection !== connection) continue
    network.pairings.delete(pairing)
    pairing.pending?.refuse(new Refused('the client has disconnected'))
  }
}

/** The phone scans the client's code. Resolves when the device is linked or the platform requires the passkey. */
export async function scanQr(network: Network, qr: string, digits: string): Promise<Accepted> {
  const [ref, noiseKey, identityKey, advSecret] = (qr.split('#').pop() ?? '').split(',')
  const pairing = [...network.pairings].find(candidate => ref !== undefined && candidate.refs.includes(ref))
  if (!pairing || !noiseKey || !identityKey || !advSecret) {
    throw new Refused('no client shows this code')
  }
  if (nowMs(network) > refExpiresAtMs(pairing, ref!))
    throw new Refused('the code has expired: scan the one that is shown now')
  const matches =
    pairing.keys.noiseKey.equals(Buffer.from(noiseKey, 'base64')) &&
    pairing.keys.identityKey.equals(Buffer.from(identityKey, 'base64'))
  if (!matches) throw new Refused('the code does not belong to the client')
  if (!network.versions.links(pairing.connection.payload)) throw new Refused(TOO_OLD)
  await requireCurrentSecret(network, pairing, digits, advSecret)
  if (!network.pairings.has(pairing)) throw new Refused('the client has disconnected')
  if (pairing.pending) throw new Refused('the code was used before')
  return await acceptCode(network, pairing, digits, Buffer.from(advSecret, 'base64'))
}
