import { createDecipheriv, createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createInflate } from 'node:zlib'
import { getMediaKeys, type proto } from 'baileys'
import { resolveWithin } from '../../../runtime/deadline.ts'
import { StorageUnavailable } from '../../platform.ts'
import { storeNames } from '../engine/signal-repository.ts'
import type { Connection } from '../link/connection.ts'
import { whenOpen } from '../link/when-open.ts'
import type { SessionContext } from '../session-context.ts'
import { openFile, type Missing } from '../to-event/download.ts'
import { fromAnyHost } from '../to-event/fetch-incoming.ts'
import { HistoryReader, type LearnedHistory } from './history-reader.ts'

type Notification = proto.Message.IHistorySyncNotification

const TAG_BYTES = 10
const NAMES_PER_WRITE = 500
/** Each write has the list of all tokens, so there are fewer of them. */
const TOKENS_PER_WRITE = 5_000
const FLUSH_MS = 60_000
/** A part has some megabytes; a short file may inflate to any size. */
const MAX_INFLATED_BYTES = 256 * 1024 * 1024
/**
 * How much longer a part may take than a file of a message. A silent server is noticed sooner; the rest is work of this
 * thread, which waits for all other work, and a part that is given up is not sent again.
 */
const TIMES_A_FILE = 10
/** Other work of the thread runs after this many bytes. */
const BYTES_PER_SLOT = 1024 * 1024

/** Reads a part of the phone's history, and stores what it says about people. Returns the reason for the metrics. */
export async function learnHistory(
  context: SessionContext,
  notification: Notification,
  signal: AbortSignal,
): Promise<'history_sync' | 'history_sync_failed'> {
  const read = await readAndLearn(context, notification, signal, () => {
    const reader = new HistoryReader()
    return { push: chunk => reader.push(chunk), end: () => ({ learned: reader.end() }) }
  })
  return read ? 'history_sync' : 'history_sync_failed'
}

/** Reads a part of the phone's history and stores what it says about people; `undefined` if the part cannot be read. */
export async function readAndLearn<T extends { learned: LearnedHistory }>(
  context: SessionContext,
  notification: Notification,
  signal: AbortSignal,
  reader: () => Reader<T>,
): Promise<T | undefined> {
  // First, because a part that is read while the link is down would have to be read again.
  const connection = await whenOpen(context, signal)
  if (!connection) {
    if (context.link.isOver?.()) return undefined
    throw notLoaded()
  }
  const read = await readHistory(context, notification, signal, reader)
  if (read) await keep(context, connection, read.learned, signal)
  return read
}

/** In slices, each durable before the next: otherwise a long history would wait in memory for the storage. */
async function keep(
  context: SessionContext,
  { sock }: Connection,
  learned: LearnedHistory,
  signal: AbortSignal,
): Promise<void> {
  const { tokens, lids, expirations } = context
  for (const names of slicesOf(learned.names, NAMES_PER_WRITE)) {
    await storeNames(sock, names, 'history')
    await flush(context, signal)
  }
  if (learned.salt) tokens.keepSalt(learned.salt)
  for (const given of slicesOf(learned.tokens, TOKENS_PER_WRITE)) {
    await tokens.keepGiven(given, people => lids.lidsOf(people))
    await flush(context, signal)
  }
  for (const { chat, expiration } of learned.expirations)
    await expirations.note(await lids.phoneFirst(chat), expiration)
  await flush(context, signal)
}

function* slicesOf<T>(items: readonly T[], size: number): Generator<T[]> {
  for (let from = 0; from < items.length; from += size) yield items.slice(from, from + size)
}

/** What an ended link has learned is not stored: the history is read again. */
async function flush({ link, clock }: SessionContext, signal: AbortSignal): Promise<void> {
  const changes = link.state()?.changes
  if (!changes || !(await resolveWithin(clock, FLUSH_MS, changes.areDurable(), signal))) throw notLoaded()
}

export const notLoaded = (): StorageUnavailable => new StorageUnavailable('the state of the device is not loaded now')

/** Reads a history while it arrives. */
interface Reader<T> {
  push(chunk: Uint8Array): void
  /** Throws if it is incomplete. */
  end(): T
}

/** What a reader makes of a part of the phone's history; `undefined` if the part cannot be read. */
export async function readHistory<T>(
  context: SessionContext,
  notification: Notification,
  signal: AbortSignal,
  reader: () => Reader<T>,
): Promise<T | undefined> {
  const inside = notification.initialHistBootstrapInlinePayload
  const deadline = AbortSignal.timeout(TIMES_A_FILE * context.mediaRoute.timeoutMs)
  const either = AbortSignal.any([signal, deadline])
  try {
    if (inside?.length) return await readInside(context, inside, either, reader)
    const outcome = await fromAnyHost(context, host => readFile(context, notification, host, either, reader), either)
    return outcome.status === 'read' ? outcome.read : undefined
  } catch (error) {
    if (signal.aborted || !deadline.aborted) throw error
    return undefined
  }
}

async function readInside<T>(
  context: SessionContext,
  inside: Uint8Array,
  signal: AbortSignal,
  reader: () => Reader<T>,
): Promise<T | undefined> {
  try {
    return await inflated(context, Readable.from([inside]), signal, reader())
  } catch {
    signal.throwIfAborted()
    return undefined
  }
}

/** Nothing is learned from a file before all of it is verified. */
async function readFile<T>(
  context: SessionContext,
  { directPath, mediaKey, fileSha256 }: Notification,
  host: string,
  signal: AbortSignal,
  reader: () => Reader<T>,
): Promise<{ status: 'read'; read: T } | { status: 'error' } | Missing> {
  if (!directPath?.startsWith('/') || !mediaKey?.length) return { status: 'error' }
  const opened = await openFile(new URL(`https://${host}${directPath}`), context.mediaRoute, signal)
  if ('status' in opened) return opened
  try {
    const step = await decryption(mediaKey, fileSha256)
    return { status: 'read', read: await inflated(context, uninterrupted(opened.body), signal, reader(), step) }
  } catch (error) {
    signal.throwIfAborted()
    return { status: error instanceof Interrupted ? 'unreachable' : 'gone' }
  }
}

/** The server did not send all of the file. */
class Interrupted extends Error {
  override name = 'Interrupted'
}

async function* uninterrupted(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* source
  } catch {
    throw new Interrupted()
  }
}

type Step = (source: AsyncIterable<Buffer>) => AsyncIterable<Buffer>

const unchanged: Step = source => source

async function inflated<T>(
  { heavyWork }: Pick<SessionContext, 'heavyWork'>,
  source: AsyncIterable<Buffer>,
  signal: AbortSignal,
  reader: Reader<T>,
  step: Step = unchanged,
): Promise<T> {
  const read = async (chunks: AsyncIterable<Buffer>): Promise<void> => {
    let [bytes, nextSlot] = [0, BYTES_PER_SLOT]
    for await (const chunk of chunks) {
      bytes += chunk.length
      if (bytes > MAX_INFLATED_BYTES) throw new Error('the history is too large')
      if (bytes >= nextSlot) {
        await heavyWork.mayBegin()
        nextSlot = bytes + BYTES_PER_SLOT
      }
      reader.push(chunk)
    }
  }
  await pipeline(source, step, createInflate(), read, { signal })
  return reader.end()
}

/** Decrypts a file while it arrives; throws at its end if it is not the file that the phone has uploaded. */
async function decryption(mediaKey: Uint8Array, sha256: Uint8Array | null | undefined): Promise<Step> {
  const { iv, cipherKey, macKey } = await getMediaKeys(mediaKey, 'md-msg-hist')
  if (!macKey) throw new Error('the file has no key')
  return async function* decrypt(source) {
    const decipher = createDecipheriv('aes-256-cbc', cipherKey, iv)
    const mac = createHmac('sha256', macKey).update(iv)
    const hash = createHash('sha256')
    let held: Buffer = Buffer.alloc(0)
    const opened = (part: Buffer): Buffer => {
      hash.update(part)
      return part
    }
    for await (const chunk of source) {
      // The tag is at the end, and nothing says where that is.
      const all = chunk.length < TAG_BYTES ? Buffer.concat([held, chunk]) : undefined
      const parts = all ? [all.subarray(0, -TAG_BYTES)] : [held, chunk.subarray(0, -TAG_BYTES)]
      held = Buffer.from((all ?? chunk).subarray(-TAG_BYTES))
      for (const ciphertext of parts) {
        mac.update(ciphertext)
        yield opened(decipher.update(ciphertext))
      }
    }
    const tag = mac.digest().subarray(0, TAG_BYTES)
    if (held.length !== TAG_BYTES || !timingSafeEqual(tag, held)) throw new Error('the file has a wrong tag')
    yield opened(decipher.final())
    if (sha256?.length && !hash.digest().equals(sha256)) throw new Error('the file has a wrong hash')
  }
}
