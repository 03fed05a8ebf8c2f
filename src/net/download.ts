import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type Exchange, type ExchangeContext, startExchange } from './exchange.ts'
import { type Failure, failed, failureOfStatus, TargetError } from './failure.ts'

export interface DownloadRequest {
  readonly url: string
  readonly maxBytes: number
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
}

export type Download =
  | {
      readonly ok: true
      readonly contentType: string
      /** Fails with TargetError when the rest cannot be had: too large, too slow, cut off. */
      readonly body: Readable
    }
  | { readonly ok: false; readonly httpStatus?: number; readonly failure: Failure }

/** Fetches content; what it brings is counted while it streams. Rejects only when the signal is aborted. */
export function download(context: ExchangeContext, request: DownloadRequest): Promise<Download> {
  return new Promise((resolve, reject) => {
    let received = 0
    let body: Readable | undefined
    let exchange: Exchange | undefined

    const stream = () =>
      new Readable({
        read: () => exchange?.resume(),
        destroy(error, done) {
          exchange?.cut()
          done(error)
        },
      })
    const refuse = (failure: Failure, httpStatus?: number) => {
      exchange?.cut()
      resolve({ ok: false, failure, ...(httpStatus !== undefined && { httpStatus }) })
    }

    exchange = startExchange(
      context,
      { ...request, method: 'GET', headers: { accept: '*/*' } },
      {
        onHead(status, headers) {
          const failure = failureOfStatus(status) ?? failureOfHeaders(headers, request.maxBytes)
          if (failure) return refuse(failure, status)
          body = stream()
          resolve({ ok: true, contentType: textOf(headers['content-type']), body })
        },
        onData(chunk) {
          received += chunk.length
          if (received > request.maxBytes) body?.destroy(new TargetError(failed('too_large')))
          else if (body?.push(chunk) === false) exchange?.pause()
        },
        onEnd: () => void body?.push(null),
        onFailure: failure => (body ? body.destroy(new TargetError(failure)) : refuse(failure)),
        onAbort: reason => (body ? body.destroy(reason as Error) : reject(reason as Error)),
      },
    )
  })
}

export type FileDownload =
  | { readonly ok: true; readonly contentType: string; readonly bytes: number }
  | { readonly ok: false; readonly httpStatus?: number; readonly failure: Failure }

/** Fetches content into a new file. On failure the file may exist in part; removing it is the caller's business. */
export async function saveDownload(start: Promise<Download>, path: string): Promise<FileDownload> {
  const started = await start
  if (!started.ok) return started
  let bytes = 0
  started.body.on('data', (chunk: Buffer) => {
    bytes += chunk.length
  })
  try {
    await pipeline(started.body, createWriteStream(path, { flags: 'wx', mode: 0o600 }))
    return { ok: true, contentType: started.contentType, bytes }
  } catch (error) {
    if (error instanceof TargetError) return { ok: false, failure: error.failure }
    throw error
  }
}

function failureOfHeaders(headers: Readonly<Record<string, unknown>>, maxBytes: number): Failure | undefined {
  if (Number(headers['content-length'] ?? 0) > maxBytes) return failed('too_large')
  // Nothing but identity was asked for, and nothing else is ever decoded.
  const encoding = textOf(headers['content-encoding'])
  return encoding === '' || encoding === 'identity' ? undefined : failed('invalid_response')
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
