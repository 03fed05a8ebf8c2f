import { createDecipheriv, createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createInflate } from 'node:zlib'
import { getMediaKeys, type proto } from 'baileys'
import { StorageUnavailable } from '../../platform.ts'
import type { Connection } from '../link/connection.ts'
import { whenOpen } from '../link/when-open.ts'
import type { SessionContext } from '../session-context.ts'
import { openFile, type Missing } from '../to-event/download.ts'
import { fromAnyHost } from '../to-event/fetch-incoming.ts'
import { HistoryReader, type LearnedHistory } from './history-reader.ts'

type Notification = proto.Message.IHistorySyncNotification

const TAG_BYTES = 10
const NAMES_PER_WRITE = 500

/** Reads a part of the phone's history, and stores what it says about people. Returns the reason for the metrics. */
export async function learnHistory(
  context: SessionContext,
  notification: Notification,
  signal: AbortSignal,
): Promise<'history_sync' | 'history_sync_failed'> {
  const learned = await read(context, notification, signal)
  if (!learned) return 'history_sync_failed'
  const connection = await whenOpen(context, signal)
  if (!connection) {
    if (context.link.isOver?.()) return 'history_sync_failed'
    throw new StorageUnavailable('the state of the device is not loaded now')
  }
  await keep(context, connection, learned)
  return 'history_sync'
}

async function keep(context: SessionContext, { sock }: Connection, learned: LearnedHistory): Promise<void> {
  const { tokens, lids, expirations } = context
  for (let from = 0; from < learned.names.length; from += NAMES_PER_WRITE) {
    await sock.signalRepository.lidMapping.storeLIDPNMappings(learned.names.slice(from, from + NAMES_PER_WRITE))
    // Otherwise the names of a long history would wait in memory for the storage.
    await flush(context)
  }
  if (learned.salt) tokens.keepSalt(learned.salt)
  await tokens.keepGiven(learned.tokens, person => lids.lidOf(person))
  for (const { chat, expiration } of learned.expirations)
    await expirations.note(await lids.phoneFirst(chat), expiration)
  await flush(context)
}

/** What an ended link has learned is not stored: the history is read again. */
async function flush({ link }: SessionContext): Promise<void> {
  const changes = link.state()?.changes
  await changes?.flushed()
  if (!changes || changes.hasEnded()) throw new StorageUnavailable('the state of the device is not loaded now')
}

async function read(
  context: SessionContext,
  notification: Notification,
  signal: AbortSignal,
): Promise<LearnedHistory | undefined> {
  const inside = notification.initialHistBootstrapInlinePayload
  if (inside?.length) return await inflated(Readable.from([inside])).catch(() => undefined)
  const deadline = AbortSignal.timeout(context.mediaRoute.timeoutMs)
  const either = AbortSignal.any([signal, deadline])
  try {
    const outcome = await fromAnyHost(context, host => readFile(context, notification, host, either), either)
    return outcome.status === 'read' ? outcome.learned : undefined
  } catch (error) {
    if (signal.aborted || !deadline.aborted) throw error
    return undefined
  }
}

/** Nothing is learned from a file before all of it is verified. */
async function readFile(
  { mediaRoute }: SessionContext,
  { directPath, mediaKey, fileSha256 }: Notification,
  host: string,
  signal: AbortSignal,
): Promise<{ status: 'read'; learned: LearnedHistory } | { status: 'error' } | Missing> {
  if (!directPath?.startsWith('/') || !mediaKey?.length) return { status: 'error' }
  const opened = await openFile(new URL(`https://${host}${directPath}`), mediaRoute, signal)
  if ('status' in opened) return opened
  try {
    const learned = await inflated(uninterrupted(opened.body), await decryption(mediaKey, fileSha256))
    return { status: 'read', learned }
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

async function inflated(source: AsyncIterable<Buffer>, step: Step = unchanged): Promise<LearnedHistory> {
  const reader = new HistoryReader()
  await pipeline(source, step, createInflate(), async chunks => {
    for await (const chunk of chunks) reader.push(chunk as Buffer)
  })
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
