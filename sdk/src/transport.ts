/** The gateway rejected a request, or stayed unreachable through all retries. */
export class PosternError extends Error {
  /** The HTTP status; 0 without a response. */
  readonly status: number
  readonly retryAfterSeconds: number | undefined
  /** The error code for programs, which `docUrl` explains. */
  readonly code: string | undefined
  /** The field or header that is wrong. */
  readonly param: string | undefined
  /** A page of the gateway that explains the error and what to do. */
  readonly docUrl: string | undefined
  /** The gateway's id of the request: quote it when you ask for help. */
  readonly requestId: string | undefined

  constructor(status: number, message: string, details: ErrorDetails = {}) {
    super(message, { cause: details.cause })
    this.name = 'PosternError'
    this.status = status
    this.retryAfterSeconds = details.retryAfterSeconds
    this.code = details.code
    this.param = details.param
    this.docUrl = details.docUrl
    this.requestId = details.requestId
  }
}

interface ErrorDetails {
  retryAfterSeconds?: number | undefined
  code?: string | undefined
  param?: string | undefined
  docUrl?: string | undefined
  requestId?: string | undefined
  cause?: unknown
}

export interface TransportOptions {
  readonly baseUrl: string
  readonly token: string
  readonly timeoutMs: number
  readonly maxRetries: number
  readonly maxWaitMs: number
  readonly fetch: typeof fetch
}

export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  readonly body?: unknown
  /** Sent unchanged, instead of `body`. */
  readonly file?: { readonly content: Blob | Uint8Array; readonly type: string }
  readonly idempotencyKey?: string
  /** More headers. */
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
  readonly timeoutMs?: number
  readonly maxRetries?: number
}

/** Reads a successful response. */
type Take<Result> = (response: Response) => Promise<Result>

/** Sends requests. Retries after 429, and requests that are safe to repeat after 5xx and lost connections too. */
export class Transport {
  readonly #options: TransportOptions

  constructor(options: TransportOptions) {
    this.#options = options
  }

  /** Returns the parsed response. */
  call<Result>(request: ApiRequest): Promise<Result> {
    return this.#repeat(request, 'application/json', async response => {
      const value = parse(await response.text())
      if (value !== undefined) return value as Result
      throw new PosternError(response.status, 'the answer is not JSON: is baseUrl the address of a gateway?')
    })
  }

  /** Returns the body of a streaming response. */
  open(request: ApiRequest, type = 'text/event-stream'): Promise<ReadableStream<Uint8Array>> {
    return this.#repeat(request, type, async response => {
      if (response.body !== null) return response.body
      throw new PosternError(response.status, 'the answer has no body')
    })
  }

  async #repeat<Result>(request: ApiRequest, type: string, take: Take<Result>): Promise<Result> {
    const { maxWaitMs } = this.#options
    const { maxRetries = this.#options.maxRetries } = request
    const repeatable = request.method !== 'POST' || request.idempotencyKey !== undefined
    for (let retries = 0; ; retries++) {
      const outcome = await this.#attempt(request, type, take)
      if (outcome.ok) return outcome.value
      const { error } = outcome
      const mayRepeat = error.status === 429 || (repeatable && (error.status === 0 || error.status >= 500))
      const waitMs = waitBefore(retries, error)
      if (!mayRepeat || retries >= maxRetries || waitMs > maxWaitMs) throw error
      await sleep(waitMs, request.signal)
    }
  }

  async #attempt<Result>(request: ApiRequest, type: string, take: Take<Result>): Promise<Outcome<Result>> {
    const { baseUrl, token, fetch } = this.#options
    const { timeoutMs = this.#options.timeoutMs } = request
    request.signal?.throwIfAborted()
    const timeout = new AbortController()
    const timer = setTimeout(() => timeout.abort(), timeoutMs)
    try {
      const response = await fetch(urlOf(baseUrl, request), {
        method: request.method,
        headers: headersOf(token, type, request),
        signal: request.signal ? AbortSignal.any([request.signal, timeout.signal]) : timeout.signal,
        // A redirect would receive the key.
        redirect: 'manual',
        ...(request.body !== undefined && { body: JSON.stringify(request.body) }),
        ...(request.file !== undefined && { body: request.file.content as Blob }),
      })
      if (response.ok) return { ok: true, value: await take(response) }
      return { ok: false, error: errorOf(response, parse(await response.text())) }
    } catch (cause) {
      request.signal?.throwIfAborted()
      if (cause instanceof PosternError) return { ok: false, error: cause }
      const reason = timeout.signal.aborted ? `no answer within ${timeoutMs} ms` : 'the gateway could not be reached'
      return { ok: false, error: new PosternError(0, reason, { cause }) }
    } finally {
      clearTimeout(timer)
    }
  }
}

type Outcome<Result> =
  | { readonly ok: true; readonly value: Result }
  | { readonly ok: false; readonly error: PosternError }

function urlOf(baseUrl: string, { path, query = {} }: ApiRequest): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined)
  const search = new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)])).toString()
  return `${baseUrl.replace(/\/+$/, '')}${path}${search === '' ? '' : `?${search}`}`
}

function headersOf(
  token: string,
  type: string,
  { body, file, idempotencyKey, headers }: ApiRequest,
): Record<string, string> {
  return {
    // Errors in the form of RFC 9457 contain more than the plain body.
    accept: `${type}, application/problem+json`,
    authorization: `Bearer ${token}`,
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...(file !== undefined && { 'content-type': file.type }),
    ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    ...headers,
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Reads an RFC 9457 problem, or the plain body of a proxy or another version. */
function errorOf({ status, headers }: Response, value: unknown): PosternError {
  const { detail, error, code, param, type, request_id } = (value ?? {}) as Partial<Record<string, unknown>>
  const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)
  const retryAfter = headers.get('retry-after') ?? ''
  return new PosternError(status, text(detail) ?? text(error) ?? `the gateway answered ${status}`, {
    // A date, or anything else that is not a number of seconds, leaves the wait to the backoff.
    retryAfterSeconds: /^\d+(\.\d+)?$/.test(retryAfter) ? Number(retryAfter) : undefined,
    code: text(code) ?? headers.get('x-error-code') ?? undefined,
    param: text(param),
    docUrl: /^https?:/.test(text(type) ?? '') ? text(type) : undefined,
    requestId: text(request_id) ?? headers.get('x-request-id') ?? undefined,
  })
}

function waitBefore(retries: number, error: PosternError): number {
  if (error.retryAfterSeconds !== undefined) return error.retryAfterSeconds * 1000
  return 500 * 2 ** retries * (1 + Math.random() / 4)
}

function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason as Error)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    if (signal?.aborted) stop()
    else signal?.addEventListener('abort', stop, { once: true })
  })
}
