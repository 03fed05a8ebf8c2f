import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { acceptedAnswer, composeSend, regularSend } from '../actions/send-message.ts'
import type { SendBody } from '../domain/compose.ts'
import type { AcceptRequest, AcceptResult } from '../store/messages/accept-messages.ts'
import type { Authenticator, KnownKey } from './authenticate.ts'
import { type BegunRequest, markBegun, type ReadBody } from './begun-request.ts'
import { collect, LIGHT_BYTES, NOTHING, parseJson, USUAL } from './connection/read-body.ts'
import type { Deps } from './deps.ts'
import { isReachable } from '../domain/session.ts'
import type { BodyMemory } from './limits/body-memory.ts'
import { requestIdOf } from './request-id.ts'
import type { Answered } from './response-log.ts'
import { parseIdempotencyKey, postMessage, showAccepted } from './v1/messages.ts'
import { compileValidator } from './validate.ts'

type Listener = (request: IncomingMessage, response: ServerResponse) => void

interface Parts {
  authenticator: Authenticator
  memory: BodyMemory
  onAnswered(answered: Answered): void
}

/** A request that may be answered here. */
interface Begun {
  request: IncomingMessage
  response: ServerResponse
  caller: KnownKey
  beganAtMs: number
}

/**
 * Answers the sends that need nothing but the caches of key and number and one commit, in front of the framework, which
 * would cost as much as all the rest. It answers with 202 or not at all: every other request goes to the framework,
 * with what was done for it so far, and is rejected there as if nothing had been in front.
 */
export class RegularSends {
  readonly #deps: Deps
  readonly #parts: Parts
  readonly #validate = compileValidator(postMessage.body!, 'body')
  #framework: Listener = () => {}
  #isClosing = false

  constructor(deps: Deps, parts: Parts) {
    this.#deps = deps
    this.#parts = parts
  }

  /** Takes the place of the framework's listener. */
  register(app: FastifyInstance): void {
    const [framework] = app.server.listeners('request') as [Listener]
    this.#framework = framework
    app.server.off('request', framework)
    app.server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
      const begun = this.#begin(request, response)
      if (begun === undefined) this.#framework(request, response)
      else this.#read(begun)
    })
    app.addHook('preClose', async () => {
      this.#isClosing = true
    })
  }

  #begin(request: IncomingMessage, response: ServerResponse): Begun | undefined {
    if (request.url !== postMessage.path || request.method !== 'POST' || !this.#isPlain(request)) return undefined
    const caller = this.#parts.authenticator.peek(request)
    if (caller === undefined) return undefined
    const { account, scopes } = caller.identity
    if (account.tosAcceptedAt === null || !scopes.includes(postMessage.scope!)) return undefined
    return { request, response, caller, beganAtMs: this.#deps.clock.monotonicMs() }
  }

  /** Whether the framework would read it as JSON of a known size, and answer it without a trace. */
  #isPlain({ headers, httpVersion }: IncomingMessage): boolean {
    const length = Number(headers['content-length'])
    return (
      headers['content-type'] === 'application/json' &&
      length > 0 &&
      length <= LIGHT_BYTES &&
      headers['transfer-encoding'] === undefined &&
      headers.expect === undefined &&
      headers.traceparent === undefined &&
      headers.host !== undefined &&
      httpVersion === '1.1' &&
      this.#deps.tracing === null &&
      !this.#isClosing
    )
  }

  #read(begun: Begun): void {
    const { request, caller } = begun
    const place = { raw: request, limit: LIGHT_BYTES, accountId: caller.identity.account.id }
    const body: ReadBody = { rejection: null, bytes: NOTHING, reserved: undefined }
    body.reserved = collect(place, this.#parts.memory, (rejection, bytes) => {
      Object.assign(body, { rejection, bytes })
      const send = rejection === null ? this.#toSend(begun, bytes) : undefined
      if (send === undefined) this.#leave(begun, { body, isCounted: false })
      else this.#accept(begun, body, send)
    })
  }

  /** `undefined` if anything about it is unusual: the framework finds out what. Nothing is counted or stored before. */
  #toSend({ request, caller }: Begun, bytes: Buffer): AcceptRequest | undefined {
    const { identity } = caller
    try {
      const body = parseJson(bytes, USUAL) as SendBody
      this.#validate(body)
      const idempotencyKey = parseIdempotencyKey(request.headers['idempotency-key'])
      const composed = composeSend(this.#deps, body)
      const session = this.#deps.sessions.peekOwn(identity, 'session_id', body.session_id)
      if (session === undefined) return undefined
      const { account, sessionIds } = identity
      const [sessionId, state, reachable] = [session.id, session.state, isReachable(session)]
      const asked = { account, sessionId, sessionIds, state, reachable, body, idempotencyKey, trace: null }
      const send = regularSend(this.#deps, asked, composed)
      if (send !== undefined) this.#parts.authenticator.count(caller)
      return send
    } catch {
      return undefined
    }
  }

  #accept(begun: Begun, body: ReadBody, send: AcceptRequest): void {
    const leave = (outcome: NonNullable<BegunRequest['outcome']>): void =>
      this.#leave(begun, { body, isCounted: true, outcome })
    const settle = (result: AcceptResult): void => {
      if (result.kind !== 'accepted') return leave(() => acceptedAnswer(this.#deps, send, result))
      this.#answer(begun, JSON.stringify(showAccepted(acceptedAnswer(this.#deps, send, result))))
      body.reserved?.release()
    }
    const orDestroy = (respond: () => void): void => {
      try {
        respond()
      } catch (error) {
        // The message is stored, so that a repeated request gets its response.
        this.#deps.log.error({ err: error }, 'request.answer_failed')
        body.reserved?.release()
        begun.response.destroy()
      }
    }
    void this.#deps.store.messages.acceptMessage(send).then(
      result => orDestroy(() => settle(result)),
      (error: unknown) =>
        orDestroy(() =>
          leave(() => {
            throw error
          }),
        ),
    )
  }

  #answer({ request, response, caller, beganAtMs }: Begun, json: string): void {
    const requestId = requestIdOf(request.headers['x-request-id'])
    const bytes = Buffer.byteLength(json)
    response.writeHead(postMessage.status, [
      'x-request-id',
      requestId,
      'cache-control',
      'no-store',
      'x-content-type-options',
      'nosniff',
      'content-type',
      'application/json; charset=utf-8',
      'content-length',
      String(bytes),
    ])
    // Node writes a text of single bytes faster if it need not look for others.
    response.end(json, bytes === json.length ? 'latin1' : 'utf8')
    this.#parts.onAnswered({
      method: postMessage.method,
      route: postMessage.path,
      url: postMessage.path,
      status: postMessage.status,
      ms: this.#deps.clock.monotonicMs() - beganAtMs,
      identity: caller.identity,
      requestId,
      rejection: null,
      traceId: undefined,
    })
  }

  #leave({ request, response }: Begun, begun: BegunRequest): void {
    const { reserved } = begun.body
    // The framework may reject it before it takes the body over. A second release changes nothing.
    if (request.socket.destroyed) reserved?.release()
    else response.once('close', () => reserved?.release())
    markBegun(request, begun)
    this.#framework(request, response)
  }
}
