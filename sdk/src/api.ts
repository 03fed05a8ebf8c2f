import { readEvents } from './event-stream.ts'
import type { paths } from './schema.ts'
import type { ApiRequest, Transport } from './transport.ts'

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'
type Operation<M extends Method, P extends keyof paths> = NonNullable<paths[P][M]>
/** The paths that have this method. */
type PathOf<M extends Method> = { [P in keyof paths]: [Operation<M, P>] extends [never] ? never : P }[keyof paths]
type Json<Described> = Described extends { content: { 'application/json': infer Body } } ? Body : never

/** The response body of an operation in openapi.json. */
export type Answer<M extends Method, P extends keyof paths> =
  Operation<M, P> extends { responses: infer All } ? Json<All[Extract<keyof All, 200 | 201 | 202>]> : never
/** The request body of an operation in openapi.json. */
export type Body<M extends Method, P extends keyof paths> =
  Operation<M, P> extends { requestBody?: infer Given } ? Json<NonNullable<Given>> : never
export type Query<P extends keyof paths> =
  Operation<'get', P> extends { parameters: { query?: infer Given } } ? NonNullable<Given> : never
/** An entry of a list. */
export type Entry<P extends keyof paths> = Answer<'get', P> extends { data: Array<infer Item> } ? Item : never

/** Options of one call, which override those of the client. */
export interface CallOptions {
  readonly signal?: AbortSignal
  readonly timeoutMs?: number
  readonly maxRetries?: number
}

interface Input<Given> extends CallOptions {
  readonly in?: Readonly<Record<string, string>>
  readonly query?: object
  readonly body?: Given
  readonly file?: ApiRequest['file']
  readonly idempotencyKey?: string
  readonly headers?: ApiRequest['headers']
}

/** Calls the operations of openapi.json, whose types its requests and responses have. */
export class Api {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  call<M extends Method, P extends PathOf<M>>(
    method: M,
    path: P,
    input: Input<Body<M, P>> = {},
  ): Promise<Answer<M, P>> {
    return this.#transport.call<Answer<M, P>>(requestOf(method, path, input))
  }

  /** Every entry of a list, page after page. */
  async *all<P extends PathOf<'get'>>(path: P, input: Input<never> = {}): AsyncGenerator<Entry<P>> {
    let cursor: string | null | undefined
    do {
      const query = { ...input.query, ...(cursor && { cursor }) }
      const request = requestOf('get', path, { ...input, query })
      const page = await this.#transport.call<{ data: Entry<P>[]; next_cursor?: string | null }>(request)
      yield* page.data
      cursor = page.next_cursor
    } while (cursor)
  }

  /** The file that is the response. */
  download(path: PathOf<'get'>, input: Input<never> = {}): Promise<ReadableStream<Uint8Array>> {
    return this.#transport.open(requestOf('get', path, input), '*/*')
  }

  /** The file that is the response to a body. */
  downloadFor<P extends PathOf<'post'>>(path: P, input: Input<Body<'post', P>>): Promise<ReadableStream<Uint8Array>> {
    return this.#transport.open(requestOf('post', path, input), '*/*')
  }

  /** The events of this name as they arrive, until the gateway or the signal ends the stream. */
  async *follow<Data>(path: PathOf<'get'>, event: string, input: Input<never> = {}): AsyncGenerator<Data> {
    const body = await this.#transport.open(requestOf('get', path, input))
    for await (const received of readEvents(body, input.signal))
      if (received.event === event) yield received.data as Data
  }
}

function requestOf(method: Method, path: string, { in: parts = {}, query, ...rest }: Input<unknown>): ApiRequest {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(given(parts, name)))
  return {
    method: method.toUpperCase() as ApiRequest['method'],
    path: filled,
    ...(query && { query: { ...query } }),
    ...rest,
  }
}

/** An empty id would request the list instead. */
function given(parts: Readonly<Record<string, string>>, name: string): string {
  const value = new Map(Object.entries(parts)).get(name)
  if (typeof value === 'string' && value !== '') return value
  throw new TypeError(`${name} must be a string that is not empty`)
}
