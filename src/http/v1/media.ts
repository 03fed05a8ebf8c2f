import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { Type } from '../type.ts'
import { deleteMedia as remove, storeMedia } from '../../actions/store-media.ts'
import { sendSessionRequest } from '../../actions/send-request.ts'
import { emptyFile } from '../../actions/store-upload.ts'
import { GatewayError, invalid, mediaIsFull, notFound, notHosted } from '../../domain/errors.ts'
import { MAX_DOCUMENT_BYTES, MEDIA_PIECE_BYTES, type MediaSecrets } from '../../domain/media.ts'
import { aboutMedia } from '../../domain/sealed.ts'
import { fileTypeOf } from '../../domain/upload.ts'
import type { StoredFile } from '../../store/media/media-files.ts'
import type { Media } from '../../store/media/media.ts'
import { tooLarge } from '../connection/read-body.ts'
import { readFile } from '../connection/read-file.ts'
import type { Deps } from '../deps.ts'
import type { Identity } from '../identity.ts'
import { inTurn } from '../limits/fair-scheduler.ts'
import { route } from '../route.ts'
import { rejectForms } from '../sandbox/media.ts'
import { ById, iso, Nullable, Strict, Time } from '../schemas.ts'

const Shown = Strict({
  id: Type.String({ examples: ['med_01jd3kqv5m2x7n8p9r0s1t2v3w'] }),
  mime_type: Type.String({
    description: 'The type that the first bytes of the file show, otherwise the declared type.',
    examples: ['application/pdf'],
  }),
  size: Type.Integer({ description: 'The size in bytes.', examples: [48_213] }),
  filename: Nullable(Type.String()),
  created_at: Time,
  expires_at: Time,
})

const show = (media: Media, { filename }: MediaSecrets) => ({
  id: media.id,
  mime_type: media.mimeType,
  size: media.bytes,
  filename,
  created_at: iso(media.createdAt),
  expires_at: iso(media.expiresAt),
})

/** Names with these characters would mean something else in a path or in a header. */
const UNSAFE_NAME = /[\p{Cc}/\\]/u

export const postMedia = route({
  method: 'POST',
  path: '/v1/media',
  tag: 'Media',
  summary: 'Upload a file to send',
  description:
    'The body is the file, and `Content-Type` is its type. Send it with `media_id` in `POST /v1/messages`, with any number of the account and as often as you like. A document may have up to 2 GiB, every other type up to 64 MiB. The gateway keeps the file for as long as your plan keeps delivery history, and in any case until a day after the last message that sends it.',
  scope: 'send',
  file: rejectForms,
  query: Strict({
    filename: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 255,
        description: 'The name that recipients see, unless the message names another.',
      }),
    ),
  }),
  body: Type.Unsafe<IncomingMessage>({ type: 'string', format: 'binary' }),
  bodyLimit: MAX_DOCUMENT_BYTES,
  status: 201,
  response: Shown,
  async handler({ identity, query, body, headers }, deps) {
    const { filename = null } = query
    if (filename !== null && UNSAFE_NAME.test(filename))
      throw invalid('filename must not contain slashes or control characters', 'filename')
    if ((body as IncomingMessage | undefined) === undefined) throw emptyFile()
    const { maxBytes } = deps.mediaFiles
    const declared = headers['content-length']
    const bytes = declared === undefined ? undefined : Number(declared)
    if (bytes !== undefined && bytes > maxBytes) throw tooLarge(maxBytes)
    const accountId = identity.account.id
    const pieces = readFile(body, { limit: maxBytes, partBytes: MEDIA_PIECE_BYTES })
    const endTransfer = deps.fileTransfers.begin(accountId, 'upload')
    let end: Parameters<typeof endTransfer> = ['failed']
    try {
      const { media, secrets } = await storeMedia(deps, {
        accountId,
        type: fileTypeOf(headers['content-type'] ?? ''),
        filename,
        bytes,
        pieces: inTurn(deps.scheduler.store, accountId, pieces),
      })
      end = ['done', media.bytes]
      return show(media, secrets)
    } catch (error) {
      end = [outcomeOf(error)]
      throw error
    } finally {
      endTransfer(...end)
    }
  },
})

export const getMedia = route({
  method: 'GET',
  path: '/v1/media/:id',
  tag: 'Media',
  summary: 'Download a file that you uploaded or received',
  description:
    'The response is the file. With a `Range` header it is that part of the file. Events have the id of a received file if their endpoint has `media: url`. The gateway fetches a received file of more than 4 MB when you first ask for it: if that takes longer than some seconds, the response is 502 with `Retry-After`. If the platform does not have the file any more, and the phone of the number cannot upload it again, it is 404.',
  scope: 'read',
  params: ById,
  headers: Type.Object({
    range: Type.Optional(
      Type.String({
        description: 'One range of bytes, such as `bytes=0-1048575`: the response is 206 with that part.',
      }),
    ),
  }),
  status: 200,
  work: 'waiting',
  contentType: 'application/octet-stream',
  response: Type.Unsafe<Readable>({ type: 'string', format: 'binary' }),
  errors: [404, 409, 416],
  async handler({ identity, params, headers, reply, gone }, deps) {
    const found = await ownMedia(deps, identity, params.id)
    if (found.media.state === 'remote') await fetchFromPlatform(deps, found.media, reply, gone())
    const { media, secrets } = found.media.state === 'remote' ? await ownMedia(deps, identity, params.id) : found
    if (secrets.key === null) throw notFound('media')
    return serveFile(deps, identity, reply, { ...media, key: secrets.key }, { ...secrets, range: headers.range })
  },
})

export const deleteMedia = route({
  method: 'DELETE',
  path: '/v1/media/:id',
  tag: 'Media',
  summary: 'Delete a file',
  description: 'Messages that wait to send it fail with MEDIA_FAILED.',
  scope: 'send',
  params: ById,
  status: 200,
  response: Strict({ id: Type.String(), deleted: Type.Boolean() }),
  errors: [404],
  async handler({ identity, params }, deps) {
    const { media } = await ownMedia(deps, identity, params.id)
    await remove(deps, media)
    return { id: media.id, deleted: true }
  },
})

const RETRY_AFTER_SECONDS = 5

/** The number's worker fetches a received file when a customer asks for it first. A large one takes several requests. */
async function fetchFromPlatform(
  deps: Deps,
  { id, accountId, sessionId }: Media,
  reply: FastifyReply,
  signal: AbortSignal,
): Promise<void> {
  const session = sessionId === null ? undefined : await deps.store.sessions.getSession(sessionId)
  if (session === undefined || session.accountId !== accountId) throw notFound('media')
  if (session.state === 'logged_out') throw notHosted(session.state)
  const request = { kind: 'file_fetch', mediaId: id } as const
  const result = await sendSessionRequest(deps, { sessionId: session.id, accountId }, request, signal)
  const outcome = result.kind === 'file' ? result.outcome : 'gone'
  if (outcome === 'kept') return
  if (outcome === 'full') throw mediaIsFull()
  if (outcome === 'gone') throw notFound('media')
  void reply.header('retry-after', RETRY_AFTER_SECONDS)
  const why =
    outcome === 'running' ? 'the file is being fetched from the platform' : 'the platform does not send the file now'
  throw new GatewayError('worker_unavailable', `${why}; send the request again`)
}

/** A file of another account, or of a number that the key may not see, does not exist for the caller. */
async function ownMedia(
  { store, seal }: Deps,
  identity: Identity,
  id: string,
): Promise<{ media: Media; secrets: MediaSecrets }> {
  const media = await store.media.getMedia(id)
  if (media === undefined || !maySee(identity, media)) throw notFound('media')
  return { media, secrets: seal.openJson<MediaSecrets>(media.sealed, aboutMedia(id)) }
}

export const maySee = (
  { account, sessionIds }: Identity,
  { accountId, sessionId }: Pick<Media, 'accountId' | 'sessionId'>,
): boolean => accountId === account.id && (sessionIds === null || sessionId === null || sessionIds.includes(sessionId))

interface Wanted {
  filename: string | null
  range: string | undefined
}

/** Always a download, never a page: a browser that shows a customer's file would run what is in it. */
function serveFile(
  { mediaFiles, scheduler, fileTransfers }: Deps,
  { account }: Identity,
  reply: FastifyReply,
  file: StoredFile & Pick<Media, 'mimeType'>,
  { filename, range: given }: Wanted,
): Readable | undefined {
  const isHead = reply.request.method === 'HEAD'
  // Ranges are defined for GET alone (RFC 9110).
  const range = isHead ? undefined : rangeOf(given, file.bytes)
  if (range === 'unsatisfiable') {
    void reply.header('content-range', `bytes */${file.bytes}`)
    throw new GatewayError('range_unsatisfiable', `Range is beyond the end of the file of ${file.bytes} bytes`, {
      param: 'Range',
    })
  }
  void reply.headers({
    'accept-ranges': 'bytes',
    'content-type': file.mimeType,
    'content-disposition': dispositionOf(filename ?? file.id),
    'content-security-policy': "default-src 'none'; sandbox",
    etag: `"${file.id}"`,
  })
  const { start, end } = range ?? { start: 0, end: file.bytes }
  void reply.header('content-length', end - start)
  if (range !== undefined) void reply.code(206).header('content-range', `bytes ${start}-${end - 1}/${file.bytes}`)
  if (isHead) {
    reply.hijack()
    reply.raw.writeHead(reply.statusCode, reply.getHeaders() as Record<string, string>).end()
    return undefined
  }
  const endTransfer = fileTransfers.begin(account.id, 'download')
  const pieces = inTurn(scheduler.store, account.id, mediaFiles.read(file, { start, end }))
  const body = Readable.from(pieces, { objectMode: false })
  reply.raw.once('close', () => {
    const isDone = reply.raw.writableFinished
    endTransfer(isDone ? 'done' : body.errored ? 'failed' : 'broken_off', isDone ? end - start : 0)
  })
  return body
}

/** What became of an upload that did not succeed. */
function outcomeOf(error: unknown): 'refused' | 'broken_off' | 'failed' {
  if (!(error instanceof GatewayError) || error.code === 'not_stored') return 'failed'
  return error.code === 'request_malformed' ? 'broken_off' : 'refused'
}

const dispositionOf = (name: string): string => {
  const plain = name.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_')
  const encoded = encodeURIComponent(name).replaceAll(/['()*]/g, char => `%${char.charCodeAt(0).toString(16)}`)
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`
}

/** `undefined`: the whole file, also for several ranges, which a server may ignore (RFC 9110). */
function rangeOf(
  header: string | undefined,
  bytes: number,
): { start: number; end: number } | 'unsatisfiable' | undefined {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '')
  if (match === null || match[0] === 'bytes=-') return undefined
  const [first, last] = [match[1]!, match[2]!]
  const start = first === '' ? Math.max(0, bytes - Number(last)) : Number(first)
  const end = first === '' || last === '' ? bytes : Math.min(bytes, Number(last) + 1)
  if (first !== '' && last !== '' && Number(last) < Number(first)) return undefined
  return start < end ? { start, end } : 'unsatisfiable'
}
