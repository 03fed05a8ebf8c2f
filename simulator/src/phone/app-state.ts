import { randomBytes } from 'node:crypto'
import { proto } from 'baileys'
import { hasLid } from '../behaviour.ts'
import { nowMs, unixSeconds } from '../clock.ts'
import { type Addressing, lidJid, numberJid, parseJid, toDigits } from '../jid.ts'
import { userOf } from '../people.ts'
import { decryptCbc, encryptCbc, hmac } from '../signal/derive.ts'
import { type Collection, type CollectionName, collectionOf, type SyncedRecord } from '../world/app-state.ts'
import type { Network } from '../world/network.ts'
import type { User } from '../world/person.ts'
import {
  changedSum,
  keyId,
  type MutationKeys,
  mutationKeys,
  patchMac,
  snapshotMac,
  valueMac,
} from './app-state-keys.ts'

const { SET, REMOVE } = proto.SyncdMutation.SyncdOperation
const IV_BYTES = 16
const MAC_BYTES = 32

/** A setting in clear, by the names that apps give it. */
export interface Setting {
  readonly index: readonly string[]
  readonly value: proto.ISyncActionValue
}

/** What the owner does with a chat on the phone. */
export interface ChatChange {
  readonly archived?: boolean
  readonly pinned?: boolean
  /** Unix milliseconds, -1 for ever, or null. */
  readonly mutedUntil?: number | null
  readonly read?: boolean
  /** The id of a label, and whether the chat has it. */
  readonly label?: readonly [id: string, labelled: boolean]
}

/** What the phone shows of a chat. */
export interface ShownChat {
  readonly archived: boolean
  readonly pinned: boolean
  readonly mutedUntil: number | null
  /** Marked as read or unread, if it was. */
  readonly read: boolean | undefined
  readonly labels: string[]
}

/** A collection after a patch, or why the phone does not believe the patch. */
export type Applied = Pick<Collection, 'records' | 'hash' | 'mac' | 'keyId'> | { readonly broken: string }

/** Checks every MAC of a patch, as the phone does before it takes over what a device of its owner has changed. */
export function applyPatch(user: User, name: CollectionName, patch: proto.ISyncdPatch): Applied {
  const before = collectionOf(user.appState, name)
  const version = before.version + 1
  const patchKeyId = Buffer.from(patch.keyId?.id ?? [])
  const keys = mutationKeys(user, patchKeyId)
  if (!keys) return { broken: 'the key of the patch is unknown' }
  const records = new Map(before.records)
  const removed: Buffer[] = []
  const added: Buffer[] = []
  const macs: Buffer[] = []
  for (const { operation, record } of patch.mutations ?? []) {
    const read = {
      index: bytes(record?.index?.blob),
      value: bytes(record?.value?.blob),
      keyId: bytes(record?.keyId?.id),
    }
    const opened = openRecord(user, read, operation ?? SET)
    if (typeof opened === 'string') return { broken: opened }
    const named = read.index.toString('base64')
    const mac = read.value.subarray(-MAC_BYTES)
    const replaced = records.get(named)
    macs.push(mac)
    if (replaced) removed.push(replaced.value.subarray(-MAC_BYTES))
    if (operation === REMOVE) {
      if (!replaced) return { broken: 'a setting is removed that does not exist' }
      records.delete(named)
    } else {
      added.push(mac)
      records.set(named, read)
    }
  }
  const hash = changedSum(before.hash, removed, added)
  const mac = snapshotMac(keys, hash, version, name)
  if (!mac.equals(bytes(patch.snapshotMac))) return { broken: 'the MAC of the collection is wrong' }
  if (!patchMac(keys, mac, macs, version, name).equals(bytes(patch.patchMac)))
    return { broken: 'the MAC of the patch is wrong' }
  return { records, hash, mac, keyId: patchKeyId }
}

const bytes = (value: Uint8Array | null | undefined): Buffer => Buffer.from(value ?? [])

/** The setting in a record, or what is wrong with it. */
function openRecord(user: User, record: SyncedRecord, operation: number): Setting | string {
  const keys = mutationKeys(user, record.keyId)
  if (!keys) return 'the key of a setting is unknown'
  const encrypted = record.value.subarray(0, -MAC_BYTES)
  if (!valueMac(keys, operation, record.keyId, encrypted).equals(record.value.subarray(-MAC_BYTES)))
    return 'the MAC of a setting is wrong'
  try {
    const iv = encrypted.subarray(0, IV_BYTES)
    const data = proto.SyncActionData.decode(decryptCbc(keys.encryption, iv, encrypted.subarray(IV_BYTES)))
    const index = Buffer.from(data.index ?? [])
    if (!hmac(keys.index, index).equals(record.index)) return 'the MAC of an index is wrong'
    return { index: JSON.parse(index.toString()) as string[], value: data.value ?? {} }
  } catch {
    return 'a setting is unreadable'
  }
}

/** A patch of the phone's own, with its newest key. */
export function makePatch(user: User, name: CollectionName, settings: readonly Setting[]): proto.ISyncdPatch {
  const id = keyId(user.appState.keys)
  const keys = mutationKeys(user, id)!
  const before = collectionOf(user.appState, name)
  const mutations = settings.map(setting => ({ operation: SET, record: sealRecord(keys, id, setting) }))
  const macs = mutations.map(({ record }) => record.value.blob.subarray(-MAC_BYTES))
  const removed = mutations.flatMap(({ record }) => {
    const replaced = before.records.get(record.index.blob.toString('base64'))
    return replaced ? [replaced.value.subarray(-MAC_BYTES)] : []
  })
  const mac = snapshotMac(keys, changedSum(before.hash, removed, macs), before.version + 1, name)
  return { mutations, snapshotMac: mac, patchMac: patchMac(keys, mac, macs, before.version + 1, name), keyId: { id } }
}

function sealRecord(keys: MutationKeys, id: Buffer, { index, value }: Setting) {
  const named = Buffer.from(JSON.stringify(index))
  const data = proto.SyncActionData.encode({ index: named, value, padding: Buffer.alloc(0), version: 3 }).finish()
  const iv = randomBytes(IV_BYTES)
  const encrypted = Buffer.concat([iv, encryptCbc(keys.encryption, iv, data)])
  const blob = Buffer.concat([encrypted, valueMac(keys, SET, id, encrypted)])
  return { index: { blob: hmac(keys.index, named) }, value: { blob }, keyId: { id } }
}

/** The name of a chat in settings: a person has the hidden identifier, unless the phone still uses numbers. */
export function nameOfChat(network: Network, chat: string, addressing: Addressing = 'lid'): string {
  const server = parseJid(chat)?.server
  if (server !== undefined && server !== 's.whatsapp.net' && server !== 'lid') return chat
  const person = server === 'lid' ? undefined : userOf(network, toDigits(chat))
  if (person === undefined) return chat
  return addressing === 'lid' && hasLid(person) ? lidJid(person.lid) : numberJid(person.digits)
}

/** The settings that a change of a chat is made of, by collection. */
export function settingsOf(network: Network, jid: string, change: ChatChange): Map<CollectionName, Setting[]> {
  const found = new Map<CollectionName, Setting[]>()
  const timestamp = nowMs(network)
  const range = { lastMessageTimestamp: unixSeconds(network) }
  const add = (name: CollectionName, index: string[], value: proto.ISyncActionValue): void => {
    found.set(name, [...(found.get(name) ?? []), { index, value: { timestamp, ...value } }])
  }
  const { archived, pinned, mutedUntil, read, label } = change
  if (archived !== undefined)
    add('regular_low', ['archive', jid], { archiveChatAction: { archived, messageRange: range } })
  if (pinned !== undefined) add('regular_low', ['pin_v1', jid], { pinAction: { pinned } })
  if (read !== undefined)
    add('regular_low', ['markChatAsRead', jid], { markChatAsReadAction: { read, messageRange: range } })
  if (mutedUntil !== undefined) {
    const muteAction = { muted: mutedUntil !== null, muteEndTimestamp: mutedUntil }
    add('regular_high', ['mute', jid], { muteAction })
  }
  if (label) add('regular', ['label_jid', label[0], jid], { labelAssociationAction: { labeled: label[1] } })
  return found
}

/** All settings of a collection in clear. */
export function settingsIn(user: User, name: CollectionName): Setting[] {
  const { records } = collectionOf(user.appState, name)
  return [...records.values()].flatMap(record => {
    const opened = openRecord(user, record, SET)
    return typeof opened === 'string' ? [] : [opened]
  })
}

/**
 * The ids of the messages that the phone shows with a star. It takes no notice of a star that does not say who wrote the
 * message: in a group by a name, elsewhere only whether it was the owner.
 */
export function starredIn(network: Network, user: User, chat: string): string[] {
  const names = new Set([nameOfChat(network, chat, 'lid'), nameOfChat(network, chat, 'pn')])
  const isGroup = parseJid(chat)?.server === 'g.us'
  const stars = settingsIn(user, 'regular_high').filter(({ index, value }) => {
    const [action, jid = '', id, fromMe, author = ''] = index
    if (action !== 'star' || !names.has(jid) || !id || value.starAction?.starred !== true) return false
    return fromMe === '1' || !isGroup ? author === '0' : fromMe === '0' && parseJid(author) !== undefined
  })
  return stars.map(({ index }) => index[2]!).sort()
}

/** What the phone shows of a chat; of settings under several names the newest counts. */
export function shownChat(network: Network, user: User, chat: string): ShownChat {
  const names = new Set([nameOfChat(network, chat, 'lid'), nameOfChat(network, chat, 'pn')])
  const newest = (collection: CollectionName, action: string): proto.ISyncActionValue | undefined =>
    settingsIn(user, collection)
      .filter(({ index }) => index[0] === action && names.has(index[1] ?? ''))
      .sort((a, b) => Number(b.value.timestamp ?? 0) - Number(a.value.timestamp ?? 0))[0]?.value
  const mute = newest('regular_high', 'mute')?.muteAction
  const labels = settingsIn(user, 'regular').filter(
    ({ index, value }) =>
      index[0] === 'label_jid' && names.has(index[2] ?? '') && value.labelAssociationAction?.labeled === true,
  )
  return {
    archived: newest('regular_low', 'archive')?.archiveChatAction?.archived === true,
    pinned: newest('regular_low', 'pin_v1')?.pinAction?.pinned === true,
    mutedUntil: mute?.muted === true ? Number(mute.muteEndTimestamp ?? -1) : null,
    read: newest('regular_low', 'markChatAsRead')?.markChatAsReadAction?.read ?? undefined,
    labels: labels.map(({ index }) => index[1] ?? '').sort(),
  }
}
