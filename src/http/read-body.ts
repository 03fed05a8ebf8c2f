import type { FastifyInstance, FastifyRequest } from 'fastify'
import { GatewayError, invalid } from '../domain/errors.ts'
import { type BodyShape, requireModestJson } from './json-shape.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What a body of this route may look like before it is parsed; the usual where it is not given. */
    bodyShape?: BodyShape
  }
}

const USUAL: BodyShape = { values: 2_000, depth: 32 }
/** Pieces that come free, and bytes that each further piece must carry on average. */
const FREE_PIECES = 1_024
const BYTES_PER_PIECE = 64

/** Bodies are JSON, as large as their route takes them, and no more than it could have a use for. */
export function readBodies(app: FastifyInstance): void {
  app.removeContentTypeParser(['text/plain', 'application/json'])
  const parseJson = app.getDefaultJsonParser('error', 'error') as (...args: unknown[]) => void
  app.addContentTypeParser('application/json', (request, payload, done) => {
    gather(request, payload, (error, text) => {
      // Many clients name the type on every request: where nothing follows, the route says whether a body is missing.
      if (error !== null || text === '') return done(error, undefined)
      try {
        requireModestJson(text, request.routeOptions.config.bodyShape ?? USUAL)
      } catch (refusal) {
        return done(refusal as Error, undefined)
      }
      parseJson(request, text, done)
    })
  })
}

type Gathered = (error: Error | null, text: string) => void

function gather(request: FastifyRequest, payload: NodeJS.ReadableStream, done: Gathered): void {
  const limit = request.routeOptions.bodyLimit
  const declared = Number(request.headers['content-length'] ?? 0)
  if (declared > limit) return done(tooLarge(limit), '')
  const pieces: Buffer[] = []
  let bytes = 0
  const finish = (error: Error | null, text = ''): void => {
    payload.off('data', onPiece).off('end', onEnd).off('error', onError)
    done(error, text)
  }
  const onPiece = (piece: Buffer): void => {
    pieces.push(piece)
    bytes += piece.length
    if (bytes > limit) finish(tooLarge(limit))
    else if (pieces.length > FREE_PIECES + bytes / BYTES_PER_PIECE) {
      request.raw.socket.pause()
      finish(invalid('body comes in too many small pieces; write it in larger ones'))
    }
  }
  const onEnd = (): void => finish(null, Buffer.concat(pieces, bytes).toString('utf8'))
  const onError = (): void => finish(invalid('the request is malformed'))
  payload.on('data', onPiece).on('end', onEnd).on('error', onError)
}

const tooLarge = (limit: number): GatewayError =>
  new GatewayError('too_large', `body must not be larger than ${sizeOf(limit)}`)

export const sizeOf = (bytes: number): string =>
  bytes % 1_048_576 === 0 ? `${bytes / 1_048_576} MiB` : `${bytes / 1_024} KiB`
