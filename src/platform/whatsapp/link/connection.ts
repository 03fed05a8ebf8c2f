import { type BinaryNode, proto, type UserFacingSocketConfig, type WASocket } from 'baileys'
import type { Clock } from '../../../runtime/clock.ts'
import { Deferred } from '../../../runtime/deferred.ts'
import type { Semaphore } from '../../../runtime/semaphore.ts'
import { resolveWithin } from '../../../runtime/deadline.ts'
import type { PlatformFlag } from '../../../domain/platform-flags.ts'
import type { DeviceStorage } from '../../platform.ts'
import type { DeviceState } from '../device/device-state.ts'
import type { HeavyWork } from '../engine/heavy-work.ts'
import { replaceMediaConnection } from '../engine/media-connection.ts'
import { openSocket } from '../engine/open-socket.ts'
import { replaceRetryMemory } from '../engine/retry-memory.ts'
import { makeRepository } from '../engine/signal-repository.ts'
import { CurrentMessage } from '../received/current-message.ts'
import { messageLibraryOf } from '../received/message-library.ts'
import { ReceivedMessages } from '../received/received-messages.ts'
import { keepResent } from '../received/awaited-messages.ts'
import { interceptStanzas } from '../received/stanzas.ts'
import type { GroupKeys } from '../recipients/group-keys.ts'
import type { Recipients } from '../recipients/recipients.ts'
import type { Groups } from '../remembered/groups.ts'
import type { Lids } from '../remembered/lids.ts'
import { type Ack, Acks } from './acks.ts'
import { type Ending, endingOf } from './ending.ts'
import { Gate } from './gate.ts'
import { type Appearance, confirmAsDelivered } from './appearance.ts'
import { closeQuickly, holdFrames } from './hold-frames.ts'
import { KeepAlive, LIBRARY_NEVER_MS, PING } from './keep-alive.ts'
import { OfflineBatches } from '../received/offline-batches.ts'
import type { OwedConfirmations } from '../received/owed.ts'
import { wrapAgain } from '../to-message/wrapped.ts'
import { tap } from './tap.ts'
import { watchTransactions } from './transactions.ts'

/** One connection of a device, from dialling to its end. A new one is made for every attempt. */
export interface Connection {
  readonly sock: WASocket
  readonly acks: Acks
  isOpen(): boolean
  /** Pings the platform. If it does not answer, the link ends. */
  isAnswering(): Promise<boolean>
  /** Resolves when the link has ended and no message is being handled any more. */
  readonly ended: Promise<Ending>
  end(ending: Ending): void
}

/** The dependencies that all connections of a device share. */
export interface ConnectionDeps {
  clock: Clock
  heavyWork: HeavyWork
  suspects: Semaphore
  config: Omit<UserFacingSocketConfig, 'auth'>
  storage: Pick<DeviceStorage, 'isUnavailable' | 'knownInboxKeys' | 'readSent'>
  groups: Groups
  owed: OwedConfirmations
  appearance: Pick<Appearance, 'isOnline'>
  recipients: Pick<Recipients, 'onUnencryptable'>
  groupKeys: Pick<GroupKeys, 'replaceLibraryRecord'>
  lids: Pick<Lids, 'otherNames'>
  /** How long nothing may arrive before the platform is pinged. */
  keepAliveIntervalMs: number
  stanzaTimeoutMs: number
  openTimeoutMs: number
  /** How long the first frame of the platform may take. */
  answerTimeoutMs: number
  /** How long the ack of a message may take. */
  ackTimeoutMs: number
}

export interface ConnectionEvents {
  onOpen(connection: Connection): void
  onCall(connection: Connection, stanza: BinaryNode): void
  onRetry(connection: Connection, stanza: BinaryNode): void
  /** The ack of a message that no send waits for. */
  onUnexpectedAck(id: string, ack: Ack): void
  onNotification(stanza: BinaryNode): void
  /** The number's phone has shared a key of its settings. */
  onSettingsKey(connection: Connection): void
  onDropped(reason: string): void
  onFlag(flag: PlatformFlag): void
}

/** A shorter ack timeout does not shorten this one: on a busy machine the response may be late. */
const MIN_PING_MS = 3_000

export class DeviceConnection implements Connection {
  readonly sock: WASocket
  readonly acks: Acks
  readonly #ended = new Deferred<Ending>()
  readonly #state: DeviceState
  readonly #deps: ConnectionDeps
  readonly #events: ConnectionEvents
  readonly #current = new CurrentMessage()
  readonly #messages: ReceivedMessages
  readonly #gate: Gate
  readonly #offline: OfflineBatches
  readonly #openTimer: NodeJS.Timeout
  readonly #answerTimer: NodeJS.Timeout
  readonly #keepAlive: KeepAlive
  #pinging: Promise<boolean> | undefined
  #isOpen = false
  #isOver = false

  constructor(state: DeviceState, deps: ConnectionDeps, events: ConnectionEvents) {
    this.#state = state
    this.#deps = deps
    this.#events = events
    this.acks = new Acks(deps.clock, () => this.isAnswering(), events.onUnexpectedAck)
    this.sock = dial(state, deps, this.#current)
    closeQuickly(this.sock)
    deps.groupKeys.replaceLibraryRecord(this.sock.authState.keys)
    this.#gate = this.#holdFrames()
    this.#messages = this.#receiveMessages()
    this.#offline = new OfflineBatches(
      deps.clock,
      stanza => this.sock.sendNode(stanza),
      () => this.#messages.waiting,
    )
    this.#listen()
    confirmAsDelivered(this.sock, deps.appearance.isOnline())
    this.#keepAlive = new KeepAlive(this.sock, deps.keepAliveIntervalMs, () => this.#loseUnlessWaiting())
    this.#openTimer = setTimeout(() => this.#lose('the login took too long'), deps.openTimeoutMs)
    this.#answerTimer = setTimeout(() => this.#lose('the platform did not answer'), deps.answerTimeoutMs)
    this.sock.ws.once('frame', () => clearTimeout(this.#answerTimer))
  }

  get ended(): Promise<Ending> {
    return this.#ended.promise
  }

  isOpen(): boolean {
    return this.#isOpen
  }

  isAnswering(): Promise<boolean> {
    this.#pinging ??= this.#ping().finally(() => (this.#pinging = undefined))
    return this.#pinging
  }

  async #ping(): Promise<boolean> {
    if (!this.#isOpen) return false
    const isAnswered = await isPingAnswered(this.sock, Math.max(this.#deps.ackTimeoutMs / 2, MIN_PING_MS))
    if (!isAnswered) this.#loseUnlessWaiting()
    return isAnswered
  }

  /** While the storage is unreachable a ping may not have left: it waits behind earlier frames. */
  #loseUnlessWaiting(): void {
    if (this.#deps.storage.isUnavailable?.() !== true) this.#lose('the platform does not answer')
  }

  /** Sends the frames whose changes are durable by now. */
  release(): void {
    this.#gate.release()
  }

  end(ending: Ending): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#isOpen = false
    clearTimeout(this.#openTimer)
    clearTimeout(this.#answerTimer)
    this.#keepAlive.end()
    this.#gate.shut()
    this.#offline.end()
    this.#messages.stop()
    this.acks.lose()
    void this.sock.end(undefined)
    // Pending queries would keep the dead socket in memory until they time out.
    this.sock.ws.emit('error', new Error('Connection Closed'))
    void this.#finish().then(() => this.#ended.resolve(ending))
  }

  #lose(reason: string): void {
    this.end({ kind: 'lost', reason })
  }

  /**
   * A message that is being handled when the link ends may finish until the timeout; then its changes are abandoned.
   */
  async #finish(): Promise<void> {
    const { clock, stanzaTimeoutMs } = this.#deps
    const idle = this.#messages.idle().then(() => true)
    if (!(await resolveWithin(clock, stanzaTimeoutMs, idle))) this.#state.changes.abandon()
  }

  #holdFrames(): Gate {
    const { changes } = this.#state
    const transactions = watchTransactions(
      this.sock.authState.keys,
      () => changes.tail(),
      (transaction, failed) => {
        if (failed && transaction.hasFrame) this.#lose('a message was written whose keys could not be kept')
        else this.#gate.release()
      },
    )
    return holdFrames(this.sock, transactions, send => new Gate(changes, send))
  }

  #receiveMessages(): ReceivedMessages {
    const { clock, heavyWork, suspects, storage, stanzaTimeoutMs, owed, lids, appearance } = this.#deps
    return new ReceivedMessages({
      ...this.#state,
      clock,
      heavyWork,
      suspects,
      owed,
      library: messageLibraryOf(this.sock, () => appearance.isOnline()),
      current: this.#current,
      otherNames: jids => lids.otherNames(jids),
      known: keys => (keys.length > 0 ? storage.knownInboxKeys(keys) : Promise.resolve(new Set())),
      onDropped: this.#events.onDropped,
      isStorageUnavailable: () => storage.isUnavailable?.() === true,
      onStuck: () => this.#lose('a message was not handled in time'),
      onError: () => this.#lose('a message could not be handled'),
      timeoutMs: stanzaTimeoutMs,
    })
  }

  #listen(): void {
    const { changes } = this.#state
    const { clock, groups, owed } = this.#deps
    const { onDropped, onFlag, onNotification } = this.#events
    interceptStanzas(this.sock, {
      clock,
      changes,
      messages: this.#messages,
      owed,
      offline: this.#offline,
      onAck: stanza => this.acks.receive(stanza),
      onCall: stanza => this.#events.onCall(this, stanza),
      onRetry: stanza => this.#events.onRetry(this, stanza),
      onNotification,
      onGroupsDirty: () => groups.forgetAll(),
      onDropped,
      onFlag,
    })
    tap(this.sock, {
      onCreds: ({ myAppStateKeyId }) => {
        changes.add({ creds: true })
        if (myAppStateKeyId) this.#events.onSettingsKey(this)
      },
      onMessage: (message, isRequested) =>
        isRequested
          ? keepResent(this.#state, message, clock.now().getTime(), onDropped)
          : this.#current.emitted(message),
      onOpen: () => this.#open(),
      onClose: error => {
        owed.add(error)
        this.end(endingOf(error, clock.now().getTime()))
      },
    })
  }

  #open(): void {
    if (this.#isOver) return
    this.#isOpen = true
    clearTimeout(this.#openTimer)
    this.#keepAlive.begin()
    this.#events.onOpen(this)
  }
}

function dial(state: DeviceState, deps: ConnectionDeps, current: CurrentMessage): WASocket {
  const { clock, config, storage, groups, recipients } = deps
  const sock = openSocket({
    ...config,
    // The library would also apply its connect timeout to each frame, with a timer and three stack traces for a write
    // that completes immediately. `answerTimeoutMs` limits the first answer instead.
    connectTimeoutMs: 0,
    keepAliveIntervalMs: LIBRARY_NEVER_MS,
    auth: state.auth,
    makeSignalRepository: makeRepository(
      plaintext => current.decrypted(plaintext),
      () => current.undecryptable(),
      device => recipients.onUnencryptable(device),
      clock,
    ),
    patchMessageBeforeSending: wrapAgain,
    getMessage: async ({ id }) => {
      const encoded = id ? await storage.readSent(id) : undefined
      return encoded && proto.Message.decode(encoded)
    },
    cachedGroupMetadata: jid => groups.find(sock, jid),
  })
  replaceMediaConnection(sock, { ...config, auth: state.auth }, clock)
  replaceRetryMemory(sock)
  return sock
}

/** Pings the platform; any frame that it sends meanwhile counts as an answer. */
async function isPingAnswered(sock: Pick<WASocket, 'query' | 'ws'>, timeoutMs: number): Promise<boolean> {
  let hasFrame = false
  const onFrame = () => {
    hasFrame = true
  }
  sock.ws.on('frame', onFrame)
  try {
    await sock.query({ ...PING, attrs: { ...PING.attrs } }, timeoutMs)
  } catch {
    // An error response is a frame too; a timeout and the end of the link are not.
  } finally {
    sock.ws.off('frame', onFrame)
  }
  return hasFrame
}
