import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'
import { proto } from 'baileys'

const { SET } = proto.SyncdMutation.SyncdOperation
const NO_SALT = Buffer.alloc(0)
const IV_BYTES = 16
const MAC_BYTES = 32
export const SUM_BYTES = 128

/** The keys that follow from a key that the number's phone has shared. */
export interface SettingKeys {
  readonly index: Buffer
  readonly encryption: Buffer
  readonly value: Buffer
  readonly snapshot: Buffer
  readonly patch: Buffer
}

/** A setting that all devices of the number share, such as `["archive", "<jid>"]`. */
export interface Setting {
  readonly index: readonly string[]
  readonly value: proto.ISyncActionValue
  /** The version that the platform's own apps give to settings of this kind. */
  readonly version?: number
}

/** What was uploaded cannot be what a device of the number has made. */
export class BrokenSettings extends Error {
  override name = 'BrokenSettings'
}

export function expandKey(secret: Uint8Array): SettingKeys {
  const all = Buffer.from(hkdfSync('sha256', secret, NO_SALT, 'WhatsApp Mutation Keys', 160))
  const [index, encryption, value, snapshot, patch] = [0, 32, 64, 96, 128].map(at => all.subarray(at, at + 32))
  return { index: index!, encryption: encryption!, value: value!, snapshot: snapshot!, patch: patch! }
}

const hmac = (key: Uint8Array, ...parts: Uint8Array[]): Buffer => {
  const mac = createHmac('sha256', key)
  for (const part of parts) mac.update(part)
  return mac.digest()
}

const isSame = (a: Uint8Array, b: Uint8Array | null | undefined): boolean =>
  b !== null && b !== undefined && a.length === b.length && timingSafeEqual(a, b)

const encodedIndex = (index: readonly string[]): Buffer => Buffer.from(JSON.stringify(index))

/** The name of a setting that the server sees. */
export const indexMac = (keys: SettingKeys, index: readonly string[]): Buffer => hmac(keys.index, encodedIndex(index))

/** The MAC at the end of an encrypted value. */
export const macOf = (blob: Uint8Array): Buffer => Buffer.from(blob.subarray(-MAC_BYTES))

function valueMac(keys: SettingKeys, operation: number, keyId: Uint8Array, encrypted: Uint8Array): Buffer {
  const head = Buffer.concat([Buffer.from([operation === SET ? 1 : 2]), keyId])
  const length = Buffer.alloc(8)
  length.writeUInt32BE(head.length, 4)
  const mac = createHmac('sha512', keys.value).update(head).update(encrypted).update(length).digest()
  return mac.subarray(0, MAC_BYTES)
}

function counted(version: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(BigInt(version))
  return bytes
}

/** The MAC of a collection whose values have this sum. */
export const snapshotMac = (keys: SettingKeys, sum: Uint8Array, version: number, name: string): Buffer =>
  hmac(keys.snapshot, sum, counted(version), Buffer.from(name))

export const patchMac = (
  keys: SettingKeys,
  snapshot: Uint8Array,
  valueMacs: readonly Uint8Array[],
  version: number,
  name: string,
): Buffer => hmac(keys.patch, snapshot, ...valueMacs, counted(version), Buffer.from(name))

export const isMac = isSame

/** Takes the MAC of a value into the sum of its collection, or out of it: 64 numbers of 16 bits, each of which overflows. */
export function mix(sum: Buffer, mac: Uint8Array, sign: 1 | -1): void {
  const expanded = Buffer.from(hkdfSync('sha256', mac, NO_SALT, 'WhatsApp Patch Integrity', SUM_BYTES))
  for (let at = 0; at < SUM_BYTES; at += 2)
    sum.writeUInt16LE((sum.readUInt16LE(at) + sign * expanded.readUInt16LE(at)) & 0xff_ff, at)
}

/** Opens a setting; throws BrokenSettings if it is not what a device of the number has made. */
export function openRecord(
  keys: SettingKeys,
  operation: number,
  { index, value, keyId }: { index: Uint8Array; value: Uint8Array; keyId: Uint8Array },
): Setting {
  const encrypted = value.subarray(0, -MAC_BYTES)
  if (!isSame(valueMac(keys, operation, keyId, encrypted), macOf(value))) throw new BrokenSettings('a value')
  const data = decrypted(keys, encrypted)
  if (!isSame(hmac(keys.index, data.index ?? NO_SALT), index)) throw new BrokenSettings('an index')
  return { index: readIndex(data.index), value: data.value ?? {} }
}

function decrypted(keys: SettingKeys, encrypted: Uint8Array): proto.SyncActionData {
  try {
    const decipher = createDecipheriv('aes-256-cbc', keys.encryption, encrypted.subarray(0, IV_BYTES))
    const plain = Buffer.concat([decipher.update(encrypted.subarray(IV_BYTES)), decipher.final()])
    return proto.SyncActionData.decode(plain)
  } catch {
    throw new BrokenSettings('a value')
  }
}

function readIndex(bytes: Uint8Array | null | undefined): string[] {
  try {
    const index: unknown = JSON.parse(Buffer.from(bytes ?? []).toString())
    return Array.isArray(index) && index.every(part => typeof part === 'string') ? (index as string[]) : []
  } catch {
    return []
  }
}

/** A setting as it is uploaded. */
export function sealRecord(keys: SettingKeys, keyId: Uint8Array, { index, value, version = 1 }: Setting) {
  const data = { index: encodedIndex(index), value, padding: NO_SALT, version }
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv('aes-256-cbc', keys.encryption, iv)
  const plain = proto.SyncActionData.encode(data).finish()
  const encrypted = Buffer.concat([iv, cipher.update(plain), cipher.final()])
  const blob = Buffer.concat([encrypted, valueMac(keys, SET, keyId, encrypted)])
  return { index: { blob: indexMac(keys, index) }, value: { blob }, keyId: { id: keyId } }
}
