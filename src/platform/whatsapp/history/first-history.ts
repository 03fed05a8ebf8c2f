import { proto } from 'baileys'
import { FIRST_HISTORY, type FirstHistory } from '../../../domain/history.ts'
import { isPerson } from '../../../domain/jid.ts'
import { type FirstMessage, type HistoricMessage, HistoryUnreadable, type Interpretation } from '../../platform.ts'
import { messageKey } from '../received/inbox-item.ts'
import type { SessionContext } from '../session-context.ts'
import { namesOf, ownNames } from '../to-event/names.ts'
import { secondsOr } from '../wire/numbers.ts'
import { ProtoStream, type Values } from '../wire/proto-stream.ts'
import { HistoryReader, type LearnedHistory } from './history-reader.ts'
import { readAndLearn, readHistory } from './learn-history.ts'
import { newHistoric } from './requested-history.ts'

type Notification = proto.Message.IHistorySyncNotification
type Meaning = Extract<Interpretation, { kind: 'first_history' }>

const { INITIAL_BOOTSTRAP, RECENT, FULL } = proto.HistorySync.HistorySyncType
const DAY_SECONDS = 86_400
const WHOLE = 100

/** At most this many bytes of a part's messages are in memory: a larger part is read several times. */
const BYTES_PER_READING = 8 * 1024 * 1024
/** Larger messages are left out. A thumbnail has some dozen KiB. */
const MAX_MESSAGE_BYTES = 256 * 1024
const MESSAGES_PER_SLICE = 100
/** Other work of the thread runs after this many bytes. */
const BYTES_PER_SLOT = 256 * 1024

/** The numbers of the fields that are read. */
const HISTORY = { conversations: 2 }
const CONVERSATION = { id: 1, messages: 2 }
const ENTRY = { message: 1 }

/** Whether the notification is of the messages that a phone sends to a new device. */
export const isOfFirst = ({ syncType }: Notification): boolean =>
  syncType === INITIAL_BOOTSTRAP || syncType === RECENT || syncType === FULL

/** Reads a part of the history after linking: learns what it says about people, and makes events of its messages. */
export async function interpretFirstHistory(
  context: SessionContext,
  notification: Notification,
  first: FirstHistory,
  signal: AbortSignal,
): Promise<Interpretation> {
  const reading = await readAndLearn(context, notification, signal, () => new MessagesReader(0))
  const isLast = notification.syncType !== INITIAL_BOOTSTRAP && (notification.progress ?? WHOLE) >= WHOLE
  let { left } = first
  async function* slices(stop: AbortSignal): AsyncGenerator<FirstMessage[]> {
    if (!reading) throw new HistoryUnreadable()
    if (!(await context.storage.isIncluded('history'))) return
    for await (const messages of newMessagesOf(context, notification, { reading, first }, stop)) {
      const some = messages.slice(0, left)
      left -= some.length
      yield some
      if (left === 0) return
    }
  }
  const progress: Meaning['progress'] = isRead => ({
    jobId: first.id,
    found: 0,
    state: first.isDone || isLast || left === 0 ? 'done' : 'receiving',
    hasMore: left === 0 || !isRead ? true : null,
  })
  return { kind: 'first_history', jobId: first.id, slices, progress }
}

/** The messages of a part that no event has been published for, in slices. Those of the time after linking come live. */
async function* newMessagesOf(
  context: SessionContext,
  notification: Notification,
  { reading: begun, first }: { reading: Reading; first: FirstHistory },
  signal: AbortSignal,
): AsyncGenerator<FirstMessage[]> {
  const sinceSeconds = context.clock.now().getTime() / 1000 - FIRST_HISTORY.days * DAY_SECONDS
  const untilSeconds = first.linkedAtMs / 1000
  let slice = new Map<string, FirstMessage>()
  let bytesInSlot = 0
  for (let reading: Reading | null = begun; reading; reading = await readOn(context, notification, reading, signal)) {
    for (let i = 0; i < reading.tooLarge; i += 1) context.callbacks.onDropped('history_message_too_large')
    for (const { chat, bytes } of oldestFirst(reading.messages)) {
      signal.throwIfAborted()
      bytesInSlot += bytes.length
      if (bytesInSlot >= BYTES_PER_SLOT) {
        await context.heavyWork.mayBegin()
        bytesInSlot = 0
      }
      const message = decoded(bytes)
      const id = message?.key?.id
      if (!id || slice.has(`${chat} ${id}`)) continue
      const seconds = secondsOr(message.messageTimestamp, 0)
      if (seconds < sinceSeconds || seconds > untilSeconds) continue
      const historic = await newHistoric(context, chat, message)
      if (!historic) continue
      slice.set(`${chat} ${id}`, { ...historic, inboxKeys: await inboxKeysOf(context, historic) })
      if (slice.size < MESSAGES_PER_SLICE) continue
      yield [...slice.values()]
      slice = new Map()
    }
  }
  if (slice.size > 0) yield [...slice.values()]
}

/** The next messages of a part; `null` if all have been read. */
async function readOn(
  context: SessionContext,
  notification: Notification,
  { next }: Reading,
  signal: AbortSignal,
): Promise<Reading | null> {
  if (next === null) return null
  const reading = await readHistory(context, notification, signal, () => new MessagesReader(next))
  if (!reading) throw new HistoryUnreadable()
  return reading
}

/** The platform may deliver a message under each name of its chat or its sender. */
async function inboxKeysOf(
  context: SessionContext,
  { seen: { messageId, chatJid, senderJid, fromMe } }: HistoricMessage,
): Promise<string[]> {
  const isDirect = isPerson(chatJid)
  const names = await namesOf(context, isDirect ? [chatJid] : fromMe ? ownNames(context) : [senderJid])
  return [...names].map(name =>
    isDirect ? messageKey(name, undefined, messageId) : messageKey(chatJid, name, messageId),
  )
}

/** A phone writes the messages of each chat with the newest first. */
function oldestFirst(messages: readonly FoundMessage[]): FoundMessage[] {
  const chats = new Map<string, FoundMessage[]>()
  for (const message of messages) {
    const found = chats.get(message.chat)
    if (found) found.push(message)
    else chats.set(message.chat, [message])
  }
  return [...chats.values()].flatMap(found => found.toReversed())
}

function decoded(bytes: Uint8Array): proto.IWebMessageInfo | undefined {
  try {
    return proto.WebMessageInfo.decode(bytes)
  } catch {
    return undefined
  }
}

interface FoundMessage {
  readonly chat: string
  readonly bytes: Uint8Array
}

interface Reading {
  readonly learned: LearnedHistory
  readonly messages: readonly FoundMessage[]
  /** The first message that had no room; `null` if all had. */
  readonly next: number | null
  /** How many messages up to there are larger than the limit. */
  readonly tooLarge: number
}

/** Reads the messages of a part from one on, as far as there is room, and what the part says about people. */
class MessagesReader {
  readonly #people = new HistoryReader()
  readonly #messages: FoundMessage[] = []
  readonly #stream: ProtoStream
  #bytes = 0
  #position = 0
  #next: number | null = null
  #tooLarge = 0

  constructor(from: number) {
    const entry = {
      bytes: [ENTRY.message],
      maxBytes: MAX_MESSAGE_BYTES,
      onEnd: (values: Values, conversation: Values) => {
        const [message, chat] = [values.get(ENTRY.message), conversation.get(CONVERSATION.id)]
        const position = this.#position++
        if (position < from || this.#next !== null || !(chat instanceof Uint8Array)) return
        if (message instanceof Uint8Array) this.#found(position, { chat: Buffer.from(chat).toString(), bytes: message })
        else this.#tooLarge += 1
      },
    }
    const conversation = { bytes: [CONVERSATION.id], messages: new Map([[CONVERSATION.messages, entry]]) }
    this.#stream = new ProtoStream({ messages: new Map([[HISTORY.conversations, conversation]]) })
  }

  push(chunk: Uint8Array): void {
    this.#people.push(chunk)
    this.#stream.push(chunk)
  }

  end(): Reading {
    this.#stream.end()
    return { learned: this.#people.end(), messages: this.#messages, next: this.#next, tooLarge: this.#tooLarge }
  }

  #found(position: number, message: FoundMessage): void {
    this.#bytes += message.bytes.length
    if (this.#bytes > BYTES_PER_READING) this.#next = position
    else this.#messages.push(message)
  }
}
