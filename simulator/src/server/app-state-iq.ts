import { proto } from 'baileys'
import { nowText } from '../clock.ts'
import { SERVER_JID } from '../jid.ts'
import { saveUser, userOf } from '../people.ts'
import { applyPatch, settingsIn } from '../phone/app-state.ts'
import { uploadFile } from '../phone/media-content.ts'
import { type BinaryNode, bytesOf, child, children, node } from '../wire/node.ts'
import { type Collection, type CollectionName, collectionOf, isCollection } from '../world/app-state.ts'
import type { LinkedDevice } from '../world/device.ts'
import type { Network } from '../world/network.ts'
import type { User } from '../world/person.ts'
import { removeDevice } from './linked-device.ts'
import { disconnect } from './login.ts'
import { push } from './outbox.ts'
import { stanzaId, streamError } from './stanzas.ts'

/** How many patches one answer has; the device asks again for the others. */
const PATCHES_PER_ANSWER = 25
/** A device that is further behind gets a snapshot. */
const KEPT_PATCHES = 500
const MAX_RECORDS = 50_000
const MAX_PATCH_BYTES = 512 * 1024

/** Answers what has changed in collections since a version, and takes changes of a device. */
export function answerAppState(network: Network, device: LinkedDevice, iq: BinaryNode): BinaryNode[] {
  const user = userOf(network, device.digits)
  const asked = children(child(iq, 'sync'), 'collection')
  return [
    node(
      'sync',
      {},
      asked.map(part => answerCollection(network, user, device, part)),
    ),
  ]
}

function answerCollection(network: Network, user: User, device: LinkedDevice, asked: BinaryNode): BinaryNode {
  const { name, version: from = '0', return_snapshot: wantsSnapshot } = asked.attrs
  const since = Number(from)
  if (!isCollection(name) || !Number.isSafeInteger(since) || since < 0) return failed(name, from, 400, 'bad-request')
  const collection = collectionOf(user.appState, name)
  const uploaded = child(asked, 'patch')
  if (uploaded) return takePatch(network, user, device, { name, since, bytes: bytesOf(uploaded) })
  if (since > collection.version) return failed(name, from, 400, 'bad-request')
  const isWhole = (wantsSnapshot === 'true' || isTooOld(collection, since)) && collection.version > 0
  if (isWhole) return node('collection', stateOf(name, collection.version, false), [snapshotOf(network, collection)])
  return newerPatches(name, collection, since)
}

const stateOf = (name: string, version: number, hasMore: boolean) => ({
  name,
  version: String(version),
  has_more_patches: hasMore ? 'true' : undefined,
})

const isTooOld = ({ patches, version }: Collection, since: number): boolean =>
  since < version && since + 1 < (patches[0]?.version ?? version + 1)

/** The version of an answer is the one before its first patch. */
function newerPatches(
  name: CollectionName,
  collection: Collection,
  since: number,
  error: BinaryNode[] = [],
): BinaryNode {
  const newer = collection.patches.filter(({ version }) => version > since)
  const told = newer.slice(0, PATCHES_PER_ANSWER)
  const patches = told.map(({ bytes }) => node('patch', {}, bytes))
  const attributes = {
    ...stateOf(name, since, newer.length > told.length),
    type: error.length > 0 ? 'error' : undefined,
  }
  return node('collection', attributes, [...error, ...(patches.length > 0 ? [node('patches', {}, patches)] : [])])
}

function failed(name: string | undefined, version: string, code: number, text: string): BinaryNode {
  return node('collection', { name, version, type: 'error' }, [node('error', { code: String(code), text })])
}

/** The server knows no key: a snapshot has the MAC of the device that made the last change. */
function snapshotOf(network: Network, collection: Collection): BinaryNode {
  const records = [...collection.records.values()].map(({ index, value, keyId }) => ({
    index: { blob: index },
    value: { blob: value },
    keyId: { id: keyId },
  }))
  const snapshot = proto.SyncdSnapshot.encode({
    version: { version: collection.version },
    records,
    mac: collection.mac,
    keyId: { id: collection.keyId },
  }).finish()
  const { directPath, mediaKey, fileLength, fileSha256, fileEncSha256 } = uploadFile(network, snapshot, 'md-app-state')
  const blob = { directPath, mediaKey, fileSizeBytes: fileLength, fileSha256, fileEncSha256 }
  return node('snapshot', {}, proto.ExternalBlobReference.encode(blob).finish())
}

interface Uploaded {
  readonly name: CollectionName
  readonly since: number
  readonly bytes: Buffer
}

/** A patch has to follow the newest version: otherwise the device gets what it has missed, and tries again. */
function takePatch(network: Network, user: User, device: LinkedDevice, { name, since, bytes }: Uploaded): BinaryNode {
  const collection = collectionOf(user.appState, name)
  if (since !== collection.version)
    return newerPatches(name, collection, Math.min(since, collection.version), [
      node('error', { code: '409', text: 'conflict' }),
    ])
  const patch = decoded(bytes)
  if (!patch || bytes.length > MAX_PATCH_BYTES || collection.records.size >= MAX_RECORDS)
    return failed(name, String(since), 400, 'bad-request')
  if (!addPatch(network, user, name, patch, device)) return failed(name, String(since), 400, 'bad-request')
  return node('collection', stateOf(name, collectionOf(user.appState, name).version, false))
}

/** A client never sets the version: the server does. */
function decoded(bytes: Buffer): proto.SyncdPatch | undefined {
  try {
    const patch = proto.SyncdPatch.decode(bytes)
    return patch.mutations.length > 0 && !patch.version ? patch : undefined
  } catch {
    return undefined
  }
}

/**
 * Adds a patch and announces it to the other devices. The phone unlinks a device whose patch it cannot verify, as real
 * phones do.
 */
export function addPatch(
  network: Network,
  user: User,
  name: CollectionName,
  patch: proto.ISyncdPatch,
  by?: LinkedDevice,
): boolean {
  const applied = applyPatch(user, name, patch)
  if ('broken' in applied) {
    network.logger?.warn({ number: user.digits, collection: name, reason: applied.broken }, 'broken patch')
    if (by) {
      removeDevice(network, by)
      network.journal.afterCommit(() => disconnect(by, streamError('device_removed')))
    }
    return false
  }
  const before = collectionOf(user.appState, name)
  const version = before.version + 1
  const bytes = Buffer.from(proto.SyncdPatch.encode({ ...patch, version: { version } }).finish())
  const patches = [...before.patches, { version, bytes }].slice(-KEPT_PATCHES)
  user.appState.collections.set(name, { ...applied, version, patches })
  saveCollection(network, user, name)
  if (by && name === 'critical_block') takeName(network, user)
  announce(network, user, name, version, by)
  network.changed()
  return true
}

/** A device may have given the owner another name. */
function takeName(network: Network, user: User): void {
  const setting = settingsIn(user, 'critical_block').find(({ index }) => index[0] === 'setting_pushName')
  const name = setting?.value.pushNameSetting?.name
  if (!name || name === user.name) return
  user.name = name
  saveUser(network, user)
}

export function saveCollection(network: Network, user: User, name: CollectionName): void {
  network.journal.put(`appstate/${user.digits}/${name}`, () => collectionOf(user.appState, name))
}

export function saveKeys(network: Network, user: User): void {
  network.journal.put(`appstatekeys/${user.digits}/`, () => user.appState.keys)
}

function announce(network: Network, user: User, name: string, version: number, by: LinkedDevice | undefined): void {
  for (const device of user.devices.values()) {
    if (device === by) continue
    const head = { type: 'server_sync', from: SERVER_JID, id: stanzaId(network), t: nowText(network) }
    const collection = node('collection', { name, version: String(version) })
    push(network, device, node('notification', head, [collection]))
  }
}
