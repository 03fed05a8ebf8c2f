import { createDecipheriv, type Decipher, createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { BufferJSON, getMediaKeys } from 'baileys'
import { transferMs } from '../../../domain/media.ts'
import type { CommandResult, FetchOutcome } from '../../../domain/command.ts'
import type { StoredMessage } from '../received/inbox-item.ts'
import type { SessionContext } from '../session-context.ts'
import { addressOf, type Missing, openFile, TAG_BYTES } from './download.ts'
import { fromAnyHost, requestReupload } from './fetch-incoming.ts'
import { claimedLength, type Fetched, type IncomingMedia } from './media-part.ts'

/** What `GET /v1/media/{id}` needs of a received file. */
interface FileSource {
  key: StoredMessage['key']
  media: IncomingMedia
}

/** The fields of `media` for endpoints that want the id of the file. */
export interface FileFields {
  id?: string
  status: Fetched['status'] | 'remote'
}

/**
 * Keeps the file of a message for endpoints that want its id. One that is too large for the event stays with the platform
 * until a customer asks for it: people could otherwise fill the disk with files that no program reads.
 */
export async function keepFile(
  { storage }: SessionContext,
  { key }: StoredMessage,
  media: IncomingMedia,
  fetched: Fetched,
): Promise<FileFields | undefined> {
  const { files } = storage
  if (files === undefined || !(await storage.isIncluded('media'))) return undefined
  const length = fetched.status === 'downloaded' ? fetched.bytes.length : claimedLength(media)
  if (fetched.status === 'error' || length > files.maxBytes) return { status: fetched.status }
  const { mimetype, fileName } = media.part
  const kept = await files.keep({
    mimetype: mimetype ?? '',
    filename: media.type === 'document' && fileName ? safeName(fileName) : null,
    source: Buffer.from(JSON.stringify({ key, media: withoutContent(media) }, BufferJSON.replacer)),
    length,
    ...(fetched.status === 'downloaded' && { bytes: fetched.bytes }),
  })
  if (kept === undefined) return { status: 'error' }
  return { id: kept.id, status: kept.isStored ? 'downloaded' : 'remote' }
}

const MAX_NAME = 255

/** The sender chose the name, and programs of customers write files under it. */
const safeName = (name: string): string =>
  Array.from(name.replaceAll(/[\p{Cc}/\\]/gu, '_'))
    .slice(0, MAX_NAME)
    .join('')

/** Without what a download does not need, such as captions and thumbnails. */
function withoutContent({ type, part }: IncomingMedia): IncomingMedia {
  const { mediaKey, directPath, url, fileSha256 } = part
  const fileLength = claimedLength({ type, part })
  return { type, part: { fileLength, mediaKey, directPath, url, fileSha256 } as IncomingMedia['part'] }
}

/** How long a request waits for a file: a large one is fetched further without it. */
const WAIT_MS = 7_000
const FETCH_MS = 120_000
/** A customer may ask for many large files: each fetch takes a connection, and room on the disk before it is counted. */
const MAX_FETCHES = 4

/** Fetches a file from the platform for a customer. It goes on if the request does not wait for its end. */
export async function fetchFile(
  context: SessionContext,
  { mediaId }: { mediaId: string },
  signal: AbortSignal,
): Promise<CommandResult> {
  const { fileFetches, clock } = context
  let running = fileFetches.get(mediaId)
  if (running === undefined && fileFetches.size >= MAX_FETCHES) return { kind: 'file', outcome: 'running' }
  if (running === undefined) {
    running = fetchWhole(context, mediaId).finally(() => fileFetches.delete(mediaId))
    fileFetches.set(mediaId, running)
    // Its result is for those who wait.
    running.catch(() => {})
  }
  const outcome = await Promise.race([running, clock.sleep(WAIT_MS, signal).then(() => 'running' as const)])
  return { kind: 'file', outcome }
}

async function fetchWhole(context: SessionContext, id: string): Promise<FetchOutcome> {
  const { files } = context.storage
  const stored = await files?.sourceOf(id)
  if (files === undefined || stored === undefined) return 'kept'
  if (!(await files.hasRoomFor(id))) return 'full'
  const { key, media } = JSON.parse(Buffer.from(stored).toString('utf8'), BufferJSON.reviver) as FileSource
  const signal = AbortSignal.timeout(FETCH_MS + transferMs(files.maxBytes))
  const fetch = (wanted: IncomingMedia) =>
    fromAnyHost<Filled>(context, host => fillFrom(context, id, wanted, host, signal), signal)
  const first = await fetch(media)
  if (first.status !== 'gone') return outcomeOf(first)
  const directPath = await requestReupload(context, key, media, signal)
  if (directPath === undefined) return 'gone'
  return outcomeOf(await fetch({ ...media, part: { ...media.part, directPath } }))
}

type Filled = { status: 'kept' | 'full' | 'error' }

const outcomeOf = ({ status }: Filled | Missing): FetchOutcome => (status === 'error' ? 'gone' : status)

/** The file is not what its message describes, or larger than the gateway stores. */
class Damaged extends Error {}

async function fillFrom(
  context: SessionContext,
  id: string,
  media: IncomingMedia,
  host: string,
  signal: AbortSignal,
): Promise<Filled | Missing> {
  const { mediaRoute, storage } = context
  const address = addressOf(media, mediaRoute, host)
  if (!address) return { status: 'error' }
  const opened = await openFile(address, mediaRoute, signal)
  if ('status' in opened) return opened
  try {
    return { status: await storage.files!.fill(id, decrypted(opened.body, media, storage.files!.maxBytes)) }
  } catch (error) {
    if (error instanceof Damaged) return { status: 'gone' }
    if (opened.body.errored) return { status: 'unreachable' }
    throw error
  } finally {
    opened.body.destroy()
  }
}

/** Decrypts as it reads; the checks come last, so what was yielded counts only if this does not throw. */
async function* decrypted(
  body: AsyncIterable<unknown>,
  { type, part }: IncomingMedia,
  maxBytes: number,
): AsyncGenerator<Buffer> {
  if (!part.mediaKey?.length) throw new Damaged('the message has no key')
  const { iv, cipherKey, macKey } = await getMediaKeys(part.mediaKey, type)
  const mac = createHmac('sha256', macKey!).update(iv)
  const decipher = createDecipheriv('aes-256-cbc', cipherKey, iv)
  const hash = createHash('sha256')
  let rest = Buffer.alloc(0)
  let bytes = 0
  const checked = (plain: Buffer): Buffer => {
    bytes += plain.length
    if (bytes > maxBytes) throw new Damaged('the file is too large')
    hash.update(plain)
    return plain
  }
  for await (const chunk of body) {
    const held = Buffer.concat([rest, chunk as Buffer])
    const ciphertext = held.subarray(0, Math.max(0, held.length - TAG_BYTES))
    rest = Buffer.from(held.subarray(ciphertext.length))
    mac.update(ciphertext)
    yield checked(decipher.update(ciphertext))
  }
  const tag = mac.digest().subarray(0, TAG_BYTES)
  if (rest.length !== TAG_BYTES || !timingSafeEqual(tag, rest)) throw new Damaged('the file was changed')
  yield checked(lastOf(decipher))
  const expected = part.fileSha256
  if (expected?.length && !hash.digest().equals(expected)) throw new Damaged('the file is another one')
}

/** The sender encrypted the file, so its end may be wrong even if its tag is right. */
function lastOf(decipher: Decipher): Buffer {
  try {
    return decipher.final()
  } catch {
    throw new Damaged('the end of the file is wrong')
  }
}
