/** The gateway refused a request, or could not be reached within the retries. */
export class PosternError extends Error {
  /** The HTTP status; 0 where no answer came. */
  readonly status: number
  readonly retryAfterSeconds: number | undefined
  /** What is wrong, for programs: one of the codes that `docUrl` explains. */
  readonly code: string | undefined
  /** The field or header that is at fault. */
  readonly param: string | undefined
  /** A page of the gateway with the cure. */
  readonly docUrl: string | undefined
  /** What the gateway calls the request: name it when you ask somebody about it. */
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
  readonly apiKey: string
  readonly timeoutMs: number
  readonly maxRetries: number
  readonly maxWaitMs: number
  readonly fetch: typeof fetch
}

export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly query?: Readonly<Record<string, string | number | undefined>>
  readonly body?: unknown
  readonly idempotencyKey?: string
  readonly signal?: AbortSignal
}

export type Transport = <Result>(request: ApiRequest) => Promise<Result>

/** Sends requests; waits out 429 and, where doing it twice is doing it once, repeats after 5xx and lost connections. */
export function createTransport(options: TransportOptions): Transport {
  return async <Result>(request: ApiRequest): Promise<Result> => {
    const repeatable = request.method !== 'POST' || request.idempotencyKey !== undefined
    for (let retries = 0; ; retries++) {
      const outcome = await attempt(options, request)
      if (outcome.ok) return outcome.value as Result
      const { error } = outcome
      const mayRepeat = error.status === 429 || (repeatable && (error.status === 0 || error.status >= 500))
      const waitMs = waitBefore(retries, error)
      if (!mayRepeat || retries >= options.maxRetries || waitMs > options.maxWaitMs) throw error
      await sleep(waitMs, request.signal)
    }
  }
}

type Outcome = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly error: PosternError }

async function attempt(options: TransportOptions, request: ApiRequest): Promise<Outcome> {
  request.signal?.throwIfAborted()
  const timeout = AbortSignal.timeout(options.timeoutMs)
  try {
    const response = await options.fetch(urlOf(options.baseUrl, request), {
      method: request.method,
      headers: headersOf(options.apiKey, request),
      signal: request.signal ? AbortSignal.any([request.signal, timeout]) : timeout,
      redirect: 'error',
      ...(request.body !== undefined && { body: JSON.stringify(request.body) }),
    })
    const value = parse(await response.text())
    return response.ok ? { ok: true, value } : { ok: false, error: refusal(response, value) }
  } catch (cause) {
    request.signal?.throwIfAborted()
    const message = timeout.aborted ? `no answer within ${options.timeoutMs} ms` : 'the gateway could not be reached'
    return { ok: false, error: new PosternError(0, message, { cause }) }
  }
}

function urlOf(baseUrl: string, { path, query = {} }: ApiRequest): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined)
  const search = new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)])).toString()
  return `${baseUrl.replace(/\/+$/, '')}${path}${search === '' ? '' : `?${search}`}`
}

function headersOf(apiKey: string, { body, idempotencyKey }: ApiRequest): Record<string, string> {
  return {
    authorization: `Bearer ${apiKey}`,
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function refusal(response: Response, value: unknown): PosternError {
  const { error, code, param, doc_url, request_id } = (value ?? {}) as Partial<Record<string, unknown>>
  const text = (said: unknown): string | undefined => (typeof said === 'string' ? said : undefined)
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
  return new PosternError(response.status, text(error) ?? `the gateway answered ${response.status}`, {
    retryAfterSeconds: seconds >= 0 ? seconds : undefined,
    code: text(code),
    param: text(param),
    docUrl: text(doc_url),
    requestId: text(request_id) ?? response.headers.get('x-request-id') ?? undefined,
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
