import { readEvents } from './event-stream.ts'
import type { paths } from './schema.ts'
import type { ApiRequest, Transport } from './transport.ts'

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'
type Operation<M extends Method, P extends keyof paths> = NonNullable<paths[P][M]>
/** The paths that can be asked with this method. */
type PathOf<M extends Method> = { [P in keyof paths]: [Operation<M, P>] extends [never] ? never : P }[keyof paths]
type Json<Described> = Described extends { content: { 'application/json': infer Body } } ? Body : never

/** What the gateway answers, as openapi.json says. */
export type Answer<M extends Method, P extends keyof paths> =
  Operation<M, P> extends { responses: infer All } ? Json<All[Extract<keyof All, 200 | 201 | 202>]> : never
/** What is posted, as openapi.json says. */
export type Body<M extends Method, P extends keyof paths> =
  Operation<M, P> extends { requestBody?: infer Given } ? Json<NonNullable<Given>> : never
export type Query<P extends keyof paths> =
  Operation<'get', P> extends { parameters: { query?: infer Given } } ? NonNullable<Given> : never
/** An entry of a list. */
export type Entry<P extends keyof paths> = Answer<'get', P> extends { data: Array<infer Item> } ? Item : never

/** For one call, over what the client was made with. */
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
}

/** Asks by the paths of openapi.json; what goes in and comes out is typed by them. */
export class Api {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  ask<M extends Method, P extends PathOf<M>>(method: M, path: P, input: Input<Body<M, P>> = {}): Promise<Answer<M, P>> {
    return this.#transport.ask<Answer<M, P>>(requestOf(method, path, input))
  }

  /** Every entry of a list, page after page. */
  async *all<P extends PathOf<'get'>>(path: P, input: Input<never> = {}): AsyncGenerator<Entry<P>> {
    let cursor: string | null | undefined
    do {
      const query = { ...input.query, ...(cursor && { cursor }) }
      const request = requestOf('get', path, { ...input, query })
      const page = await this.#transport.ask<{ data: Entry<P>[]; next_cursor?: string | null }>(request)
      yield* page.data
      cursor = page.next_cursor
    } while (cursor)
  }

  /** The events of this name as they come, until the gateway or the signal ends the stream. */
  async *follow<Data>(path: PathOf<'get'>, event: string, input: Input<never> = {}): AsyncGenerator<Data> {
    const body = await this.#transport.open(requestOf('get', path, input))
    for await (const heard of readEvents(body, input.signal)) if (heard.event === event) yield heard.data as Data
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

/** An empty id would ask for the list instead. */
function given(parts: Readonly<Record<string, string>>, name: string): string {
  const value = new Map(Object.entries(parts)).get(name)
  if (typeof value === 'string' && value !== '') return value
  throw new TypeError(`${name} must be a string that is not empty`)
}
