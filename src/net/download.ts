import { createWriteStream } from 'node:fs'
import { type IncomingMessage, request as startRequest } from 'node:http'
import type { Socket } from 'node:net'
import { PassThrough, type Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { MAX_HEADER_BYTES, MAX_INTERIM_ANSWERS } from './answer-limits.ts'
import { type ConnectOptions, openSocket } from './connect.ts'
import { type Failure, failed, failureOfExchange, failureOfStatus, TargetError, timedOut } from './failure.ts'
import { checkUrl } from './target-url.ts'

export interface DownloadRequest {
  readonly url: string
  readonly maxBytes: number
  /** For the whole of it, to the last byte. */
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
}

interface FailedDownload {
  readonly ok: false
  readonly httpStatus?: number
  readonly failure: Failure
}

export type Download =
  | {
      readonly ok: true
      readonly contentType: string
      /** Fails with TargetError when the rest cannot be had: too large, too slow, cut off. */
      readonly body: Readable
    }
  | FailedDownload

export type FileDownload = { readonly ok: true; readonly contentType: string; readonly bytes: number } | FailedDownload

/**
 * Fetches content over a connection of its own; it is counted while it streams and comes no faster than it is read.
 * Rejects only when the signal is aborted.
 */
export async function download(connect: ConnectOptions, request: DownloadRequest): Promise<Download> {
  request.signal?.throwIfAborted()
  const verdict = checkUrl(request.url, connect.policy)
  if (!verdict.ok) return { ok: false, failure: failed('address_not_allowed') }
  const timeoutMs = request.timeoutMs ?? connect.timeoutMs
  const endsAt = performance.now() + timeoutMs
  try {
    const { protocol, port } = verdict.url
    const hostname = verdict.url.hostname.replace(/^\[|\]$/g, '')
    const socket = await openSocket({ protocol, hostname, port }, { ...connect, timeoutMs })
    return await exchange(socket, verdict.url, request, endsAt)
  } catch (error) {
    request.signal?.throwIfAborted()
    return { ok: false, failure: failureOfExchange(error) }
  }
}

/** Fetches content into a new file, as `through` changes it on its way. On failure the file may exist in part; removing it is the caller's business. */
export async function saveDownload(
  start: Promise<Download>,
  path: string,
  through: Transform = new PassThrough(),
): Promise<FileDownload> {
  const started = await start
  if (!started.ok) return started
  const file = createWriteStream(path, { flags: 'wx', mode: 0o600 })
  try {
    await pipeline(started.body, through, file)
    return { ok: true, contentType: started.contentType, bytes: file.bytesWritten }
  } catch (error) {
    if (error instanceof TargetError) return { ok: false, failure: error.failure }
    throw error
  }
}

function exchange(socket: Socket, url: URL, request: DownloadRequest, endsAt: number): Promise<Download> {
  return new Promise((resolve, reject) => {
    let body: Transform | undefined
    const client = startRequest({
      createConnection: () => socket,
      path: url.pathname + url.search,
      headers: {
        host: url.host,
        accept: '*/*',
        'accept-encoding': 'identity',
        'user-agent': 'Postern',
        connection: 'close',
      },
      maxHeaderSize: MAX_HEADER_BYTES,
    })
    const stop = (error: Error) => {
      if (body) body.destroy(error)
      else reject(error)
      client.destroy()
    }
    const onAbort = () => stop(request.signal?.reason as Error)
    const deadline = setTimeout(
      () => stop(new TargetError(timedOut(body ? 'body' : 'headers'))),
      endsAt - performance.now(),
    )
    request.signal?.addEventListener('abort', onAbort)
    if (request.signal?.aborted) onAbort()

    client.once('close', () => {
      clearTimeout(deadline)
      request.signal?.removeEventListener('abort', onAbort)
      // A connection may end without an error, after a switch of protocols for one.
      reject(new TargetError(failed('reset')))
    })
    client.on('error', reject)
    let interim = 0
    client.on('information', () => {
      if (++interim > MAX_INTERIM_ANSWERS) stop(new TargetError(failed('invalid_response')))
    })
    client.on('response', answer => {
      const failure = failureOfAnswer(answer, request.maxBytes)
      if (failure) {
        resolve({ ok: false, failure, ...(answer.statusCode && { httpStatus: answer.statusCode }) })
        client.destroy()
        return
      }
      body = countedBody(answer, request.maxBytes)
      body.once('close', () => client.destroy())
      resolve({ ok: true, contentType: answer.headers['content-type'] ?? '', body })
    })
    client.end()
  })
}

function countedBody(answer: IncomingMessage, maxBytes: number): Transform {
  let received = 0
  const body = new Transform({
    transform(chunk: Buffer, _, done) {
      received += chunk.length
      if (received > maxBytes) done(new TargetError(failed('too_large')))
      else done(null, chunk)
    },
  })
  answer.on('error', error => body.destroy(new TargetError(failureOfExchange(error))))
  return answer.pipe(body)
}

function failureOfAnswer({ statusCode, headers }: IncomingMessage, maxBytes: number): Failure | undefined {
  const failure = failureOfStatus(statusCode ?? 0)
  if (failure) return failure
  if (Number(headers['content-length'] ?? 0) > maxBytes) return failed('too_large')
  // Nothing but identity was asked for, and nothing else is ever decoded.
  const encoding = headers['content-encoding'] ?? 'identity'
  return encoding === 'identity' ? undefined : failed('invalid_response')
}
