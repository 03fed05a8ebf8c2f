import { createHash, createHmac } from 'node:crypto'
import { proto } from 'baileys'
import { nowMs } from '../clock.ts'
import { derive, hmac } from '../signal/derive.ts'
import type { Network } from '../world/network.ts'
import type { User } from '../world/person.ts'

const { SET } = proto.SyncdMutation.SyncdOperation
const { APP_STATE_SYNC_KEY_SHARE } = proto.Message.ProtocolMessage.Type

/** The keys that follow from one key of the phone. */
export interface MutationKeys {
  readonly index: Buffer
  readonly encryption: Buffer
  readonly value: Buffer
  readonly snapshot: Buffer
  readonly patch: Buffer
}

/** The id of the nth key: six bytes, as real phones have them. */
export function keyId(n: number): Buffer {
  const id = Buffer.alloc(6)
  id.writeUIntBE(n, 0, 6)
  return id
}

function secretOf(user: User, n: number): Buffer {
  return createHash('sha256').update('app state').update(keyId(n)).update(user.keys.local.identity.private).digest()
}

/** The keys with this id; `undefined` if the phone has made none with it. */
export function mutationKeys(user: User, id: Uint8Array): MutationKeys | undefined {
  const n = id.length === 6 ? Buffer.from(id).readUIntBE(0, 6) : 0
  if (n < 1 || n > user.appState.keys) return undefined
  const derived = derive(secretOf(user, n), Buffer.alloc(0), 'WhatsApp Mutation Keys', 160)
  return {
    index: derived.subarray(0, 32),
    encryption: derived.subarray(32, 64),
    value: derived.subarray(64, 96),
    snapshot: derived.subarray(96, 128),
    patch: derived.subarray(128, 160),
  }
}

/** The message by which the phone shares its keys with a device; only those with these ids if any are given. */
export function keyShare(network: Network, user: User, ids?: readonly Uint8Array[]): proto.IMessage {
  const all = Array.from({ length: user.appState.keys }, (_, i) => i + 1)
  const shared = ids === undefined ? all : all.filter(n => ids.some(id => keyId(n).equals(id)))
  const keys = shared.map(n => ({
    keyId: { keyId: keyId(n) },
    keyData: {
      keyData: secretOf(user, n),
      fingerprint: { rawId: 1, currentIndex: n - 1, deviceIndexes: [0] },
      timestamp: nowMs(network),
    },
  }))
  return { protocolMessage: { type: APP_STATE_SYNC_KEY_SHARE, appStateSyncKeyShare: { keys } } }
}

/** The MAC of an encrypted value. */
export function valueMac(keys: MutationKeys, operation: number, id: Uint8Array, encrypted: Uint8Array): Buffer {
  const head = Buffer.concat([Buffer.from([operation === SET ? 1 : 2]), id])
  const length = Buffer.alloc(8)
  length.writeUInt32BE(head.length, 4)
  const mac = createHmac('sha512', keys.value).update(head).update(encrypted).update(length).digest()
  return mac.subarray(0, 32)
}

function counted(version: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(BigInt(version))
  return bytes
}

/** The MAC of a whole collection at a version. */
export function snapshotMac(keys: MutationKeys, hash: Uint8Array, version: number, name: string): Buffer {
  return hmac(keys.snapshot, hash, counted(version), Buffer.from(name))
}

/** The MAC of a patch that leads to a version. */
export function patchMac(
  keys: MutationKeys,
  snapshot: Uint8Array,
  valueMacs: readonly Uint8Array[],
  version: number,
  name: string,
): Buffer {
  return hmac(keys.patch, snapshot, ...valueMacs, counted(version), Buffer.from(name))
}

/** The sum with some MACs of values taken out and others put in: 64 numbers of 16 bits, each of which overflows. */
export function changedSum(sum: Uint8Array, removed: readonly Uint8Array[], added: readonly Uint8Array[]): Buffer {
  const result = Buffer.from(sum)
  const mix = (mac: Uint8Array, sign: 1 | -1): void => {
    const expanded = derive(mac, Buffer.alloc(0), 'WhatsApp Patch Integrity', result.length)
    for (let at = 0; at < result.length; at += 2)
      result.writeUInt16LE((result.readUInt16LE(at) + sign * expanded.readUInt16LE(at)) & 0xff_ff, at)
  }
  for (const mac of removed) mix(mac, -1)
  for (const mac of added) mix(mac, 1)
  return result
}
