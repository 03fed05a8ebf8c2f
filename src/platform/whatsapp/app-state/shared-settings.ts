import {
  type BinaryNode,
  getBinaryNodeChild,
  getBinaryNodeChildren,
  proto,
  type SignalKeyStore,
  type WASocket,
} from 'baileys'
import type { ChatChange } from '../../../domain/chat.ts'
import { getOwn } from '../../../runtime/get-own.ts'
import { Semaphore } from '../../../runtime/semaphore.ts'
import { linkDown, refused, transient } from '../errors.ts'
import type { Connection } from '../link/connection.ts'
import { node, queryServer } from '../remembered/contact-queries.ts'
import type { SessionContext } from '../session-context.ts'
import { type ChatSetting, chatSettingOf, ownName, settingItems } from './chat-settings.ts'
import { Collection, COLLECTIONS, type CollectionName } from './collection.ts'
import {
  BrokenSettings,
  expandKey,
  indexMac,
  isMac,
  macOf,
  openRecord,
  patchMac,
  sealRecord,
  type Setting,
  type SettingKeys,
  snapshotMac,
} from './records.ts'
import { fetchSettings } from './settings-file.ts'

const { SET, REMOVE } = proto.SyncdMutation.SyncdOperation

/** The collections with what people do with chats. */
const OF_CHATS = ['regular_low', 'regular_high', 'regular'] as const
/** The collection with the name that the owner gave themselves. */
const OF_ACCOUNT = 'critical_block'

/** An answer has some dozen patches; a number that was offline for long may have missed thousands. */
const MAX_ROUNDS = 500
const MAX_CONFLICTS = 5
/** Other work of the thread runs after this many settings. */
const SETTINGS_PER_SLOT = 100

/** The phone has not shared the key yet that was used. */
class MissingKey extends Error {
  override name = 'MissingKey'
}

type Record = { index: Uint8Array; value: Uint8Array; keyId: Uint8Array }

/**
 * The settings that the devices of a number share (WhatsApp calls them app state), as far as they are about chats. The
 * library's own code is not used: it holds a collection of any size in memory, writes all of it at each change, takes a
 * refused change for a success, and tells of changes before they are durable.
 */
export class SharedSettings {
  readonly #context: () => SessionContext
  readonly #keys: () => SignalKeyStore
  /** One at a time: a change follows the newest version. */
  readonly #turn = new Semaphore(1)
  readonly #expanded = new Map<string, SettingKeys>()
  #isFollowing = false
  #isNotedWhole = false

  constructor(context: () => SessionContext, keys: () => SignalKeyStore) {
    this.#context = context
    this.#keys = keys
  }

  /** The link is open, the phone has shared a key, or the chats may be followed from now on. */
  refresh(connection: Connection): void {
    void this.#sync(connection, this.#wanted()).catch(() => {})
  }

  /** The chats may be followed from now on, or no longer. */
  followingChanged(): void {
    const { callbacks, link } = this.#context()
    const follows = callbacks.followsChats()
    const isNew = follows && !this.#isFollowing
    this.#isFollowing = follows
    const connection = link.current()
    if (isNew && connection?.isOpen()) this.refresh(connection)
  }

  /** The platform announces that settings have changed. */
  announced(connection: Connection, stanza: BinaryNode): void {
    const wanted = this.#wanted()
    const names = getBinaryNodeChildren(stanza, 'collection').map(({ attrs }) => attrs.name)
    const changed = wanted.filter(name => names.includes(name))
    if (changed.length > 0) void this.#sync(connection, changed).catch(() => {})
  }

  #wanted(): CollectionName[] {
    this.#isFollowing = this.#context().callbacks.followsChats()
    return this.#isFollowing ? [...COLLECTIONS] : [OF_ACCOUNT]
  }

  /** Fetches what has changed since the stored versions. */
  async #sync(connection: Connection, names: readonly CollectionName[]): Promise<void> {
    if (this.#creds()?.myAppStateKeyId === undefined) return
    await this.#turn.run(async () => {
      await this.#fetch(connection, names)
      if (OF_CHATS.every(name => names.includes(name))) await this.#noteWhole()
    })
  }

  /** Once all settings of chats were read for the first time, the list of chats is complete. */
  async #noteWhole(): Promise<void> {
    if (this.#isNotedWhole) return
    const loaded = await Promise.all(OF_CHATS.map(name => Collection.load(name, this.#keys)))
    if (loaded.some(({ isRead }) => !isRead)) return
    this.#isNotedWhole = true
    const nothing = { settings: [], isKnown: true, isWhole: true }
    this.#changes().add({ inbox: settingItems('whole', nothing, this.#context().clock.now().getTime()) })
  }

  async #fetch(connection: Connection, names: readonly CollectionName[]): Promise<void> {
    const left = new Set(names)
    const forced = new Set<CollectionName>()
    for (let round = 0; left.size > 0 && round < MAX_ROUNDS; round += 1) {
      const loaded = await Promise.all([...left].map(name => Collection.load(name, this.#keys)))
      const asked = loaded.map(collection => askFor(collection, forced.has(collection.name)))
      const answer = await querySettings(connection.sock, asked)
      for (const collection of loaded) {
        const part = answer.get(collection.name)
        const outcome = part ? await this.#takeOrDrop(collection, part, forced.has(collection.name)) : 'done'
        if (outcome !== 'more') left.delete(collection.name)
        if (outcome === 'broken' && !forced.has(collection.name)) {
          forced.add(collection.name)
          left.add(collection.name)
        } else if (outcome !== 'broken') forced.delete(collection.name)
      }
    }
  }

  /** `broken`: a snapshot has to replace the collection. */
  async #takeOrDrop(collection: Collection, part: BinaryNode, isForced: boolean): Promise<'more' | 'done' | 'broken'> {
    const { callbacks } = this.#context()
    try {
      return (await this.#take(collection, part)) ? 'more' : 'done'
    } catch (error) {
      if (error instanceof MissingKey) {
        callbacks.onDropped('settings_key_missing')
        return 'done'
      }
      if (!(error instanceof BrokenSettings)) throw error
      callbacks.onDropped(isForced ? 'settings_broken' : 'settings_restored')
      return 'broken'
    }
  }

  /** Stores what an answer has of a collection; returns whether there is more. */
  async #take(collection: Collection, part: BinaryNode): Promise<boolean> {
    if (part.attrs.type === 'error' && errorOf(part) !== CONFLICT) throw refusal(part)
    const snapshot = bytesIn(getBinaryNodeChild(part, 'snapshot'))
    if (snapshot) await this.#takeSnapshot(collection, snapshot)
    const patches = getBinaryNodeChildren(getBinaryNodeChild(part, 'patches') ?? part, 'patch')
    for (const { content } of patches)
      if (content instanceof Uint8Array) await this.#takePatch(collection, decode(proto.SyncdPatch, content))
    if (!snapshot && patches.length === 0 && !collection.isRead) this.#store(collection, [], true)
    return part.attrs.has_more_patches === 'true'
  }

  async #takeSnapshot(collection: Collection, reference: Uint8Array): Promise<void> {
    const context = this.#context()
    const file = await fetchSettings(context, decode(proto.ExternalBlobReference, reference))
    const snapshot = decode(proto.SyncdSnapshot, file)
    const keys = await this.#keysOf(snapshot.keyId?.id)
    const settings: ChatSetting[] = []
    collection.clear()
    for (const [i, record] of snapshot.records.entries()) {
      if (i % SETTINGS_PER_SLOT === 0) await context.heavyWork.mayBegin()
      const read = readRecord(record)
      const setting = await this.#openOrSkip(read)
      if (setting) settings.push(...this.#chatSetting(setting, false))
      await collection.set(read.index, macOf(read.value))
    }
    collection.version = Number(snapshot.version?.version ?? 0)
    const expected = snapshotMac(keys, collection.sum, collection.version, collection.name)
    collection.isVerified = isMac(expected, snapshot.mac)
    if (!collection.isVerified) context.callbacks.onDropped('settings_unverified')
    this.#store(collection, settings, true)
    await this.#durable()
  }

  /** One unreadable setting must not hide all others. */
  async #openOrSkip(record: Record): Promise<Setting | undefined> {
    try {
      return openRecord(await this.#keysOf(record.keyId), SET, record)
    } catch (error) {
      if (!(error instanceof BrokenSettings)) throw error
      this.#context().callbacks.onDropped('setting_unreadable')
      return undefined
    }
  }

  async #takePatch(collection: Collection, patch: proto.SyncdPatch): Promise<void> {
    const version = Number(patch.version?.version ?? 0)
    if (version <= collection.version) return
    if (version !== collection.version + 1) throw new BrokenSettings('a gap')
    const keys = await this.#keysOf(patch.keyId?.id)
    const mutations = await this.#mutationsOf(patch)
    const opened = []
    for (const { operation, record } of mutations) {
      const read = readRecord(record)
      const op = operation ?? SET
      opened.push({ op, read, setting: openRecord(await this.#keysOf(read.keyId), op, read) })
    }
    const macs = opened.map(({ read }) => macOf(read.value))
    const expected = patchMac(keys, patch.snapshotMac ?? NOTHING, macs, version, collection.name)
    if (!isMac(expected, patch.patchMac)) throw new BrokenSettings('a patch')
    for (const { op, read } of opened) await collection.set(read.index, op === REMOVE ? undefined : macOf(read.value))
    const sum = snapshotMac(keys, collection.sum, version, collection.name)
    if (collection.isVerified && !isMac(sum, patch.snapshotMac)) throw new BrokenSettings('the sum')
    collection.version = version
    const settings = opened.flatMap(({ op, setting }) => this.#chatSetting(setting, op === REMOVE))
    this.#store(collection, settings, !collection.isRead)
  }

  async #mutationsOf(patch: proto.SyncdPatch): Promise<proto.ISyncdMutation[]> {
    if (!patch.externalMutations) return patch.mutations
    const file = await fetchSettings(this.#context(), patch.externalMutations)
    return [...patch.mutations, ...decode(proto.SyncdMutations, file).mutations]
  }

  /** What a setting says of chats; the name of the number itself is taken over. */
  #chatSetting(setting: Setting, isRemoved: boolean): ChatSetting[] {
    const { clock, link } = this.#context()
    const name = setting.index[0] === 'setting_pushName' ? setting.value.pushNameSetting?.name : undefined
    const sock = link.current()?.sock
    const me = this.#creds()?.me
    if (name && sock && me && me.name !== name) {
      sock.ev.emit('creds.update', { me: { ...me, name } })
      return [ownName(setting, name, clock.now().getTime())]
    }
    const read = chatSettingOf(setting, isRemoved, clock.now().getTime())
    return read ? [read] : []
  }

  /** The collection and what it says of chats are one change: a process that dies loses neither, and repeats none. */
  #store(collection: Collection, settings: ChatSetting[], isKnown: boolean): void {
    const { clock } = this.#context()
    const shared = { settings, isKnown, isWhole: false }
    const inbox = settingItems(collection.name, shared, clock.now().getTime())
    this.#changes().add({ keys: collection.takeChanges(), inbox })
  }

  /**
   * Changes settings on all devices of the number. `chats` is stored together with the new version. A lost answer leaves
   * the outcome open: the next sync then finds the change, as if another device had made it.
   */
  async change(
    connection: Connection,
    name: CollectionName,
    settings: readonly Setting[],
    chats: ChatChange[],
  ): Promise<void> {
    await this.#turn.run(async () => {
      for (let tries = 0; tries < MAX_CONFLICTS; tries += 1) {
        const collection = await this.#current(connection, name)
        const follows = versionOf(collection, false)
        const upload = node('collection', follows, [node('patch', {}, await this.#patchOf(collection, settings))])
        const part = (await querySettings(connection.sock, [upload])).get(name)
        if (!part) throw transient('the platform did not answer whether the chat was changed')
        if (part.attrs.type !== 'error') {
          this.#changes().add({ keys: collection.takeChanges(), chats })
          return await this.#durable()
        }
        if (errorOf(part) !== CONFLICT) throw refusal(part)
        await this.#catchUp(connection, name, part)
      }
      throw transient('other devices change the chats of this number all the time')
    })
  }

  /** Another device was faster: what it has changed comes first. */
  async #catchUp(connection: Connection, name: CollectionName, part: BinaryNode): Promise<void> {
    const outcome = await this.#takeOrDrop(await Collection.load(name, this.#keys), part, false)
    if (outcome !== 'done') await this.#fetch(connection, [name])
  }

  /** The collection at the newest version that is known; a collection that was never read is fetched. */
  async #current(connection: Connection, name: CollectionName): Promise<Collection> {
    const stored = await Collection.load(name, this.#keys)
    if (stored.isRead && stored.isVerified) return stored
    if (!stored.isRead) await this.#fetch(connection, [name])
    const fetched = await Collection.load(name, this.#keys)
    // Devices unlink one whose changes they cannot verify.
    if (!fetched.isRead || !fetched.isVerified) throw transient('the settings of the phone could not be verified')
    return fetched
  }

  /** The next version of the collection, as it is uploaded. */
  async #patchOf(collection: Collection, settings: readonly Setting[]): Promise<Uint8Array> {
    const keyId = this.#creds()?.myAppStateKeyId
    if (keyId === undefined) throw transient('the phone has not shared the keys of its settings yet')
    const id = Buffer.from(keyId, 'base64')
    const keys = await this.#keysOf(id)
    const records = settings.map(setting => sealRecord(keys, id, setting))
    for (const record of records) await collection.set(record.index.blob, macOf(record.value.blob))
    collection.version += 1
    const { version, name, sum } = collection
    const mac = snapshotMac(keys, sum, version, name)
    const macs = records.map(record => macOf(record.value.blob))
    return proto.SyncdPatch.encode({
      mutations: records.map(record => ({ operation: SET, record })),
      snapshotMac: mac,
      patchMac: patchMac(keys, mac, macs, version, name),
      keyId: { id },
    }).finish()
  }

  /** Which of these names the settings of a chat have: a person has several. */
  async nameInUse(
    name: CollectionName,
    jids: readonly string[],
    index: (jid: string) => readonly string[],
  ): Promise<string | undefined> {
    const keyId = this.#creds()?.myAppStateKeyId
    if (keyId === undefined) return undefined
    const keys = await this.#keysOf(Buffer.from(keyId, 'base64'))
    const collection = await Collection.load(name, this.#keys)
    for (const jid of jids) if (await collection.has(indexMac(keys, index(jid)))) return jid
    return undefined
  }

  async #keysOf(id: Uint8Array | null | undefined): Promise<SettingKeys> {
    const named = Buffer.from(id ?? []).toString('base64')
    const known = this.#expanded.get(named)
    if (known) return known
    const found = getOwn(await this.#keys().get('app-state-sync-key', [named]), named)?.keyData
    if (!found?.length) throw new MissingKey(named)
    const keys = expandKey(found)
    this.#expanded.set(named, keys)
    return keys
  }

  #creds() {
    return this.#context().link.state()?.auth.creds
  }

  #changes() {
    const state = this.#context().link.state()
    if (!state || state.changes.hasEnded()) throw linkDown()
    return state.changes
  }

  async #durable(): Promise<void> {
    if (!(await this.#changes().areDurable())) throw linkDown()
  }
}

const NOTHING = new Uint8Array(0)
const CONFLICT = 409

const readRecord = (record: proto.ISyncdRecord | null | undefined): Record => ({
  index: record?.index?.blob ?? NOTHING,
  value: record?.value?.blob ?? NOTHING,
  keyId: record?.keyId?.id ?? NOTHING,
})

const versionOf = ({ name, version }: Collection, wantsSnapshot: boolean) => ({
  name,
  version: String(version),
  return_snapshot: String(wantsSnapshot),
})

const askFor = (collection: Collection, isForced: boolean): BinaryNode =>
  node('collection', versionOf(collection, isForced || !collection.isRead))

async function querySettings(sock: WASocket, collections: BinaryNode[]): Promise<Map<string | undefined, BinaryNode>> {
  const answer = await queryServer(sock, 'set', 'w:sync:app:state', [node('sync', {}, collections)])
  const parts = getBinaryNodeChildren(getBinaryNodeChild(answer, 'sync'), 'collection')
  return new Map(parts.map(part => [part.attrs.name, part]))
}

const errorOf = (part: BinaryNode): number => Number(getBinaryNodeChild(part, 'error')?.attrs.code ?? 0)

function refusal(part: BinaryNode) {
  const code = errorOf(part)
  return code >= 400 && code < 500 && code !== 429
    ? refused(`the platform refused the request (${code})`)
    : transient(`the platform refused a query for now (${code})`)
}

const bytesIn = (part: BinaryNode | undefined): Uint8Array | undefined =>
  part?.content instanceof Uint8Array ? part.content : undefined

function decode<T>(type: { decode(bytes: Uint8Array): T }, bytes: Uint8Array): T {
  try {
    return type.decode(bytes)
  } catch {
    throw new BrokenSettings('bytes')
  }
}
