import { type BinaryNode, type GroupMetadata, proto, type UserFacingSocketConfig, type WASocket } from 'baileys'
import type { DeviceStorage } from '../../platform.ts'
import { acknowledgeMessage } from '../received/acknowledge.ts'
import { type Acks, createAcks } from './acks.ts'
import type { DeviceState } from '../device/device-state.ts'
import { type Ending, endingOf } from './ending.ts'
import { createGate, type Gate } from './gate.ts'
import { closeQuickly, holdFrames } from './hold-frames.ts'
import { createMessageLane, type MessageLane } from '../received/message-lane.ts'
import { headOf, openContentOf } from '../received/message-stanza.ts'
import { openSocket } from '../engine/open-socket.ts'
import { EMPTY_FOR_LIBRARY } from '../received/received-content.ts'
import { keepResent } from '../received/resent-message.ts'
import { makeRepository } from '../engine/signal-repository.ts'
import { giveToLibrary, interceptStanzas } from '../received/stanzas.ts'
import { tap } from './tap.ts'
import { watchTransactions } from './transactions.ts'

/** One connection of a device, from dialling to its end. A new one is made for every attempt. */
export interface Connection {
  readonly sock: WASocket
  readonly acks: Acks
  isOpen(): boolean
  /** Lets out the frames whose reasons are durable by now. */
  release(): void
  /** Resolves when the link is gone and no message is being handled any more. */
  readonly ended: Promise<Ending>
  end(ending: Ending): void
}

/** What outlives connections. */
export interface Surroundings {
  config: Omit<UserFacingSocketConfig, 'auth'>
  storage: Pick<DeviceStorage, 'knownInboxKeys' | 'readSent'>
  groups: { get(jid: string): GroupMetadata | undefined; set(jid: string, group: GroupMetadata): void }
  stanzaTimeoutMs: number
  openTimeoutMs: number
  onOpen(connection: Connection): void
  onCall(connection: Connection, stanza: BinaryNode): void
  onNotification(stanza: BinaryNode): void
  onDropped(reason: string): void
  onRestricted(untilMs: number): void
}

export function connect(state: DeviceState, around: Surroundings): Connection {
  const { journal } = state
  const acks = createAcks()
  let settle: (ending: Ending) => void = () => {}
  const ended = new Promise<Ending>(resolve => {
    settle = resolve
  })
  let gate: Gate | undefined
  let lane: MessageLane | undefined
  let opened = false
  let open = false
  let over = false

  const sock = dial(state, around, () => lane)

  const end = (ending: Ending): void => {
    if (over) return
    over = true
    open = false
    clearTimeout(openTimer)
    gate?.shut()
    lane?.stop()
    acks.lose()
    void sock.end(undefined)
    // Questions that are still open would keep the dead socket in memory until they time out.
    sock.ws.emit('error', new Error('Connection Closed'))
    void finish(state, lane, around.stanzaTimeoutMs).then(() => settle(ending))
  }
  const lost = (reason: string): void => end({ kind: 'lost', reason })
  const openTimer = setTimeout(() => {
    if (!opened) lost('the login took too long')
  }, around.openTimeoutMs)

  const connection: Connection = {
    sock,
    acks,
    isOpen: () => open,
    release: () => gate?.release(),
    ended,
    end,
  }

  closeQuickly(sock)
  const transactions = watchTransactions(sock.authState.keys, journal.tail, (transaction, failed) => {
    if (failed && transaction.hasFrame) lost('a message was written whose keys could not be kept')
    else gate?.release()
  })
  gate = holdFrames(sock, transactions, send => createGate(journal, send))
  lane = laneOf(sock, state, around, lost)
  interceptStanzas(sock, journal, lane, {
    onAck: acks.answer,
    onCall: stanza => around.onCall(connection, stanza),
    onNotification: around.onNotification,
    onDropped: around.onDropped,
  })
  tap(sock, {
    onCreds: () => journal.append({ creds: true }),
    onMessage: (message, requested) =>
      requested ? keepResent(state, message, around.onDropped) : lane?.emitted(message),
    onOpen: () => {
      if (over) return
      opened = true
      open = true
      clearTimeout(openTimer)
      around.onOpen(connection)
    },
    onClose: error => end(endingOf(error)),
    onRestricted: around.onRestricted,
  })
  return connection
}

/** A message that is still being handled when the link goes may finish; past that, what it changed is given up. */
async function finish(state: DeviceState, lane: MessageLane | undefined, timeoutMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<'late'>(resolve => {
    timer = setTimeout(() => resolve('late'), timeoutMs)
  })
  const outcome = await Promise.race([lane?.idle(), late])
  clearTimeout(timer)
  if (outcome === 'late') state.journal.abandon()
}

async function groupOf(sock: WASocket, around: Surroundings, jid: string): Promise<GroupMetadata | undefined> {
  const known = around.groups.get(jid)
  if (known) return known
  const group = await sock.groupMetadata(jid)
  around.groups.set(jid, group)
  return group
}

function dial(state: DeviceState, around: Surroundings, lane: () => MessageLane | undefined): WASocket {
  const sock = openSocket({
    ...around.config,
    auth: state.auth,
    makeSignalRepository: makeRepository(
      plaintext => lane()?.decrypted(plaintext) ?? EMPTY_FOR_LIBRARY,
      () => lane()?.undecryptable(),
    ),
    getMessage: async ({ id }) => {
      const encoded = id ? await around.storage.readSent(id) : undefined
      return encoded && proto.Message.decode(encoded)
    },
    cachedGroupMetadata: jid => groupOf(sock, around, jid),
  })
  return sock
}

function laneOf(sock: WASocket, state: DeviceState, around: Surroundings, lost: (reason: string) => void): MessageLane {
  return createMessageLane({
    journal: state.journal,
    recent: state.recent,
    tries: state.tries,
    known: keys => (keys.length > 0 ? around.storage.knownInboxKeys(keys) : Promise.resolve(new Set())),
    handle: stanza => giveToLibrary(sock, stanza),
    headOf: stanza => headOf(sock, stanza),
    openContentOf,
    // One that cannot be confirmed comes again with the next login, and is known then.
    acknowledge: stanza => acknowledgeMessage(sock, stanza).catch(() => {}),
    askAgain: stanza => sock.sendRetryRequest(stanza).catch(() => {}),
    onDropped: around.onDropped,
    onStuck: () => lost('a message was not handled in time'),
    onError: () => lost('a message could not be handled'),
    timeoutMs: around.stanzaTimeoutMs,
  })
}
