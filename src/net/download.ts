import { createWriteStream } from 'node:fs'
import { PassThrough, type Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Clock } from '../runtime/clock.ts'
import { type ConnectOptions, openSocket } from './connect.ts'
import { type Download, type DownloadRequest, type FailedDownload, Fetch } from './fetch.ts'
import { failed, failureOfExchange, TargetError } from './failure.ts'
import { checkUrl } from './target-url.ts'

export type FileDownload = { readonly ok: true; readonly contentType: string; readonly bytes: number } | FailedDownload

/**
 * Fetches content over a separate connection; counts it while it streams, and reads no faster than the caller does.
 * Rejects only when the signal is aborted.
 */
export async function download(
  connect: ConnectOptions & { clock: Pick<Clock, 'monotonicMs'> },
  request: DownloadRequest,
): Promise<Download> {
  request.signal?.throwIfAborted()
  const verdict = checkUrl(request.url, connect.policy)
  if (!verdict.ok) return { ok: false, failure: failed('address_not_allowed') }
  const timeoutMs = request.timeoutMs ?? connect.timeoutMs
  const endsAtMs = connect.clock.monotonicMs() + timeoutMs
  try {
    const { protocol, port } = verdict.url
    const hostname = verdict.url.hostname.replace(/^\[|\]$/g, '')
    const socket = await openSocket({ protocol, hostname, port }, { ...connect, timeoutMs })
    return await new Fetch(socket, verdict.url, request).answer(endsAtMs - connect.clock.monotonicMs())
  } catch (error) {
    request.signal?.throwIfAborted()
    return { ok: false, failure: failureOfExchange(error) }
  }
}

/** Fetches content into a new file, transformed by `through`. On failure the file may exist in part, and the caller removes it. */
export async function saveDownload(
  start: Download | Promise<Download>,
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
