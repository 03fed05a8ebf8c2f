import type { FastifyInstance, FastifyRequest } from 'fastify'
import { bodyInvalid, GatewayError, malformed } from '../../domain/errors.ts'
import { isFragmented } from './tiny-chunks.ts'
import { type BodyShape, checkJsonShape } from '../limits/json-shape.ts'
import type { FairScheduler } from '../limits/fair-scheduler.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What a body of this route may look like before it is parsed; the usual where it is not given. */
    bodyShape?: BodyShape
  }
}

const USUAL: BodyShape = { values: 2_000, depth: 32 }
/** Reading, checking and sealing more than this takes long enough to wait for a turn. */
const LIGHT_BYTES = 16_384

/** The body is a file of any type: the handler reads it as it comes. */
export function handOverBodies(app: FastifyInstance, check: (contentType: string) => unknown): void {
  app.removeAllContentTypeParsers()
  app.addHook('preParsing', async request => {
    const type = request.headers['content-type']
    if (type !== undefined) check(type)
  })
  app.addContentTypeParser('*', (_request, payload, done) => done(null, payload))
}

/** Bodies are JSON, as large as their route takes them, and no more than it could have a use for. */
export function readBodies(app: FastifyInstance, scheduler: FairScheduler): void {
  app.removeContentTypeParser(['text/plain', 'application/json'])
  const parseJson = app.getDefaultJsonParser('error', 'error') as (...args: unknown[]) => void
  app.addContentTypeParser('application/json', (request, payload, done) => {
    const refuse = (refusal: Error): void => done(refusal, undefined)
    const parse = (bytes: Buffer): void => {
      const text = bytes.toString('utf8')
      // Many clients name the type on every request: where nothing follows, the route says whether a body is missing.
      if (text === '') return done(null, undefined)
      try {
        checkJsonShape(text, request.routeOptions.config.bodyShape ?? USUAL)
      } catch (refusal) {
        return refuse(refusal as Error)
      }
      parseJson(request, text, done)
    }
    gather(request, payload, (refusal, bytes) => {
      const { identity } = request
      if (refusal !== null) refuse(refusal)
      else if (bytes.length <= LIGHT_BYTES || identity === null) parse(bytes)
      else void scheduler.take(identity.account.id, 0).then(() => parse(bytes), refuse)
    })
  })
}

type Gathered = (refusal: Error | null, bytes: Buffer) => void

/** By a callback: nearly all bodies come in one piece, and a promise for each would cost as much as reading it. */
function gather(request: FastifyRequest, payload: NodeJS.ReadableStream, gathered: Gathered): void {
  const limit = request.routeOptions.bodyLimit
  const declared = Number(request.headers['content-length'] ?? 0)
  if (declared > limit) return gathered(tooLarge(limit), NOTHING)
  const chunks: Buffer[] = []
  let bytes = 0
  const finish = (refusal: Error | null): void => {
    payload.off('data', onChunk).off('end', onEnd).off('error', onError)
    gathered(refusal, refusal !== null ? NOTHING : chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, bytes))
  }
  const onChunk = (chunk: Buffer): void => {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes > limit) finish(tooLarge(limit))
    else if (isFragmented(request.raw)) finish(tooFragmented())
  }
  const onEnd = (): void => finish(isFragmented(request.raw) ? tooFragmented() : null)
  const onError = (): void => finish(malformed())
  payload.on('data', onChunk).on('end', onEnd).on('error', onError)
}

const NOTHING = Buffer.alloc(0)

export const tooFragmented = (): GatewayError =>
  bodyInvalid('body comes in too many small pieces; write it in larger ones')

export const tooLarge = (limit: number): GatewayError =>
  new GatewayError('body_too_large', `body must not be larger than ${sizeOf(limit)}`)

export const sizeOf = (bytes: number): string =>
  bytes % 1_048_576 === 0 ? `${bytes / 1_048_576} MiB` : `${bytes / 1_024} KiB`
