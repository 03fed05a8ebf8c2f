import { type ClientRequest, type IncomingMessage, request as startRequest } from 'node:http'
import type { Socket } from 'node:net'
import { type Readable, Transform } from 'node:stream'
import { MAX_HEADER_BYTES, MAX_INTERIM_ANSWERS } from './origin.ts'
import type { ExchangeFailure } from '../domain/exchange-failure.ts'
import { failed, failureOfExchange, failureOfStatus, TargetError, timedOut } from './failure.ts'

export interface DownloadRequest {
  readonly url: string
  readonly maxBytes: number
  /** For the whole download, to the last byte. */
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
  /** Headers that add to the usual ones or replace them. */
  readonly headers?: Readonly<Record<string, string>>
}

type FetchRequest = Pick<DownloadRequest, 'maxBytes' | 'signal' | 'headers'>

export interface FailedDownload {
  readonly ok: false
  readonly httpStatus?: number
  readonly failure: ExchangeFailure
}

/** A file that can be read again, as often as needed. */
export interface StoredDownload {
  readonly bytes: number
  readonly filename: string | null
  read(): Readable
}

export type Download =
  | {
      readonly ok: true
      readonly contentType: string
      /** Fails with TargetError when the rest cannot be fetched: too large, too slow, interrupted. */
      readonly body: Readable
      /** Only for a file of the gateway's own. */
      readonly stored?: StoredDownload
    }
  | FailedDownload

/** One GET on a separate connection. Its deadline and the caller's signal apply to the last byte of the response. */
export class Fetch {
  readonly #request: FetchRequest
  readonly #client: ClientRequest
  #body: Transform | undefined
  #interimAnswers = 0

  constructor(socket: Socket, url: URL, request: FetchRequest) {
    this.#request = request
    this.#client = startRequest({
      createConnection: () => socket,
      path: url.pathname + url.search,
      headers: {
        accept: '*/*',
        'user-agent': 'Postern',
        ...request.headers,
        host: url.host,
        'accept-encoding': 'identity',
        connection: 'close',
      },
      maxHeaderSize: MAX_HEADER_BYTES,
    })
  }

  answer(timeoutMs: number): Promise<Download> {
    return new Promise((resolve, reject) => {
      this.#endIn(timeoutMs, reject)
      // A connection may end without an error, for example after a switch of protocols.
      this.#client.once('close', () => reject(new TargetError(failed('reset'))))
      this.#client.on('error', reject)
      this.#client.on('information', () => {
        this.#interimAnswers += 1
        if (this.#interimAnswers > MAX_INTERIM_ANSWERS) this.#stop(new TargetError(failed('invalid_response')), reject)
      })
      this.#client.on('response', answer => resolve(this.#read(answer)))
      this.#client.end()
    })
  }

  #endIn(timeoutMs: number, reject: (error: Error) => void): void {
    const { signal } = this.#request
    const onAbort = (): void => this.#stop(signal?.reason as Error, reject)
    const onDeadline = (): void => this.#stop(new TargetError(timedOut(this.#body ? 'body' : 'headers')), reject)
    const deadline = setTimeout(onDeadline, timeoutMs)
    this.#client.once('close', () => {
      clearTimeout(deadline)
      signal?.removeEventListener('abort', onAbort)
    })
    signal?.addEventListener('abort', onAbort)
    if (signal?.aborted) onAbort()
  }

  #stop(error: Error, reject: (error: Error) => void): void {
    if (this.#body) this.#body.destroy(error)
    else reject(error)
    this.#client.destroy()
  }

  #read(answer: IncomingMessage): Download {
    const failure = failureOfAnswer(answer, this.#request.maxBytes)
    if (failure) {
      this.#client.destroy()
      return { ok: false, failure, ...(answer.statusCode && { httpStatus: answer.statusCode }) }
    }
    this.#body = countedBody(answer, this.#request.maxBytes)
    this.#body.once('close', () => this.#client.destroy())
    return { ok: true, contentType: answer.headers['content-type'] ?? '', body: this.#body }
  }
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

function failureOfAnswer({ statusCode, headers }: IncomingMessage, maxBytes: number): ExchangeFailure | undefined {
  const failure = failureOfStatus(statusCode ?? 0)
  if (failure) return failure
  if (Number(headers['content-length'] ?? 0) > maxBytes) return failed('too_large')
  // The request accepts only identity, and nothing else is decoded.
  const encoding = headers['content-encoding'] ?? 'identity'
  return encoding === 'identity' ? undefined : failed('invalid_response')
}
