/** Where the gateway is, and the headers that authenticate the caller. */
export interface GatewayTarget {
  url: string
  headers: Record<string, string>
}

export interface GatewayResponse {
  status: number
  /** Empty if the body is not JSON. */
  json: Record<string, unknown>
  isJson: boolean
}

/** The gateway rejected a request that the server itself needs, or did not respond. */
class GatewayApiError extends Error {
  override name = 'GatewayApiError'
}

/** Errors as RFC 9457 describes them name the cause of this case. */
const ACCEPT = 'application/json, application/problem+json'

/** The gateway's HTTP API, called by method and path. */
export class GatewayApi {
  readonly url: string
  readonly #headers: Record<string, string>
  readonly #signal: AbortSignal

  /** The signal ends every request. */
  constructor({ url, headers }: GatewayTarget, signal: AbortSignal) {
    this.url = url
    this.#headers = headers
    this.#signal = signal
  }

  /** Any response; `undefined` if the gateway does not respond. A file is sent as it is, and `headers` name its type. */
  async request(
    method: string,
    path: string,
    { body, headers }: { body?: unknown; headers?: Record<string, string> } = {},
  ): Promise<GatewayResponse | undefined> {
    const response = await fetch(this.url + path, {
      method,
      headers: {
        accept: ACCEPT,
        ...this.#headers,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: isFile(body) ? body : JSON.stringify(body) }),
      signal: this.#signal,
    }).catch(() => undefined)
    if (response === undefined) return undefined
    const json = await jsonOf(response)
    return { status: response.status, json: json ?? {}, isJson: json !== undefined }
  }

  /** The body of a successful response. */
  async get<T>(path: string): Promise<T> {
    const response = await this.request('GET', path)
    if (response === undefined)
      throw new GatewayApiError(`the gateway at ${this.url} does not answer. Is it still running?`)
    if (response.status >= 300)
      throw new GatewayApiError(`the gateway answered ${response.status}: ${errorText(response.json) ?? 'no JSON'}`)
    return response.json as T
  }
}

const isFile = (body: unknown): body is Uint8Array<ArrayBuffer> => body instanceof Uint8Array

/** The message of an RFC 9457 problem, or of the plain body that a proxy or another version may send. */
export const errorText = ({ detail, error }: Record<string, unknown>): string | undefined =>
  [detail, error].find((each): each is string => typeof each === 'string' && each !== '')

/** A body of another type may be a stream without an end, so it is not read. */
async function jsonOf(response: Response): Promise<Record<string, unknown> | undefined> {
  try {
    if (/\bjson\b/.test(response.headers.get('content-type') ?? ''))
      return (await response.json()) as Record<string, unknown>
    await response.body?.cancel()
  } catch {
    // The connection closed before the body was complete.
  }
  return undefined
}
