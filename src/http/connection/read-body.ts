import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { bodyInvalid, GatewayError, malformed } from '../../domain/errors.ts'
import { begunOf } from '../begun-request.ts'
import { receivesFile } from './open-connections.ts'
import { isFragmented, isFragmentedWith } from './tiny-chunks.ts'
import { type BodyShape, checkJsonShape } from '../limits/json-shape.ts'
import type { BodyMemory, ReservedBody } from '../limits/body-memory.ts'
import type { FairScheduler } from '../limits/fair-scheduler.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What a body of this route may look like before it is parsed; `USUAL` if it is not given. */
    bodyShape?: BodyShape
  }
  interface FastifyRequest {
    reservedBody: ReservedBody | null
  }
}

export const USUAL: BodyShape = { values: 2_000, depth: 32 }
/** Parsing, checking and sealing a larger body takes long enough to wait for a slot of the scheduler. */
export const LIGHT_BYTES = 16_384

/** The body is a file of any type: the handler reads it as a stream. */
export function streamBodies(app: FastifyInstance, check: (contentType: string) => unknown): void {
  app.removeAllContentTypeParsers()
  app.addHook('preParsing', async request => {
    const type = request.headers['content-type']
    if (type !== undefined) check(type)
    receivesFile(request.raw)
  })
  app.addContentTypeParser('*', (_request, payload, done) => done(null, payload))
}

/** Bodies are JSON, within the size limit and the shape of their route. */
export function readBodies(app: FastifyInstance, scheduler: FairScheduler, memory: BodyMemory): void {
  app.decorateRequest('reservedBody', null)
  // Not earlier: a parsed body takes as much memory as its bytes until the request is answered, or its client is gone.
  app.addHook('preParsing', (request, reply, _payload, done) => {
    if (hasBody(request)) reply.raw.once('close', () => request.reservedBody?.release())
    done()
  })
  app.removeContentTypeParser(['text/plain', 'application/json'])
  app.addContentTypeParser('application/json', (request, _payload, done) => {
    const reject = (rejection: Error): void => done(rejection, undefined)
    const parse = (bytes: Buffer): void => {
      let body: unknown
      try {
        body = parseJson(bytes, request.routeOptions.config.bodyShape ?? USUAL)
      } catch (rejection) {
        return reject(rejection as Error)
      }
      done(null, body)
    }
    const { identity, raw } = request
    const onCollected: OnCollected = (rejection, bytes) => {
      if (rejection !== null) reject(rejection)
      else if (bytes.length <= LIGHT_BYTES || identity === null) parse(bytes)
      else void scheduler.take(identity.account.id, 0).then(() => parse(bytes), reject)
    }
    const read = begunOf(raw)?.body
    if (read === undefined) {
      const place = { raw, limit: request.routeOptions.bodyLimit, accountId: identity?.account.id ?? null }
      request.reservedBody = collect(place, memory, onCollected) ?? null
    } else {
      request.reservedBody = read.reserved ?? null
      onCollected(read.rejection, read.bytes)
    }
  })
}

const hasBody = ({ headers }: FastifyRequest): boolean =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined

/**
 * Names such as `__proto__` and `constructor` pass: `JSON.parse` makes own properties of them, and the schema of the
 * route rejects them by name, as it does all unknown fields.
 */
export function parseJson(bytes: Buffer, shape: BodyShape): unknown {
  // Many clients name the type on every request: for an empty body the route decides whether it is missing.
  if (bytes.length === 0) return undefined
  // The charset of the header is ignored: JSON is UTF-8 (RFC 8259), and other bytes would be stored as U+FFFD.
  if (!isUtf8(bytes)) throw bodyInvalid('body is not valid UTF-8')
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '')
  checkJsonShape(text, shape)
  try {
    return JSON.parse(text)
  } catch {
    throw bodyInvalid('body is not valid JSON')
  }
}

type OnCollected = (rejection: Error | null, bytes: Buffer) => void

/**
 * Reads a body within a limit and within the memory for bodies; returns what it has reserved there. With a callback:
 * nearly all bodies come in one chunk, and a promise for each would cost as much as reading it.
 */
export function collect(
  { raw, limit, accountId }: { raw: IncomingMessage; limit: number; accountId: string | null },
  memory: BodyMemory,
  onCollected: OnCollected,
): ReservedBody | undefined {
  const declared = Number(raw.headers['content-length'] ?? 0)
  const reject = (rejection: Error): undefined => {
    onCollected(rejection, NOTHING)
  }
  if (declared > limit) return reject(tooLarge(limit))
  // Its response has no further `close` that would release the memory.
  if (raw.socket.destroyed) return reject(malformed())
  let reserved: ReservedBody
  try {
    reserved = memory.reserve(accountId, declared)
  } catch (rejection) {
    return reject(rejection as Error)
  }
  const chunks: Buffer[] = []
  let bytes = 0
  const finish = (rejection: Error | null): void => {
    raw.off('data', onChunk).off('end', onEnd).off('error', onError)
    onCollected(
      rejection,
      rejection !== null ? NOTHING : chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, bytes),
    )
  }
  const onChunk = (chunk: Buffer): void => {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes > limit) return finish(tooLarge(limit))
    if (isFragmentedWith(raw, chunk)) return finish(tooFragmented())
    try {
      if (bytes > declared) reserved.grow(chunk.length)
    } catch (rejection) {
      finish(rejection as Error)
    }
  }
  const onEnd = (): void => finish(isFragmented(raw) ? tooFragmented() : null)
  const onError = (): void => finish(malformed())
  raw.on('data', onChunk).on('end', onEnd).on('error', onError)
  return reserved
}

export const NOTHING = Buffer.alloc(0)

export const tooFragmented = (): GatewayError =>
  bodyInvalid('body comes in too many small pieces; write it in larger ones')

export const tooLarge = (limit: number): GatewayError =>
  new GatewayError('body_too_large', `body must not be larger than ${sizeOf(limit)}`)

export const sizeOf = (bytes: number): string =>
  bytes % 1_048_576 === 0 ? `${bytes / 1_048_576} MiB` : `${bytes / 1_024} KiB`
