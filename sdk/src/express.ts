import { receiveWebhook, type WebhookHandlerOptions } from './receive-webhook.ts'

/** The members of a request that the handler uses: those of Express and of Node's own server. */
export interface IncomingRequest extends AsyncIterable<Uint8Array> {
  readonly headers: Readonly<Partial<Record<string, string | string[]>>>
  readonly body?: unknown
  /** The bytes, if a parser before this handler has read them. */
  readonly rawBody?: unknown
}
export interface OutgoingResponse {
  statusCode: number
  setHeader(name: string, value: string): unknown
  end(body?: string): unknown
}
export interface ExpressHandlerOptions extends WebhookHandlerOptions {
  /** Limit of a request body; 64 MiB by default, because events contain media. */
  readonly maxBytes?: number
}

/**
 * `app.post('/webhooks', webhook({ secret, onEvent }))`, before `express.json()` or with `express.raw({ type: '*' + '/*' })`
 * in front: the signature covers the bytes, not the object that they parse to.
 */
export function webhook(
  options: ExpressHandlerOptions,
): (request: IncomingRequest, response: OutgoingResponse, next?: (error: unknown) => void) => Promise<void> {
  const receive = receiveWebhook(options)
  return async (request, response, next) => {
    try {
      const payload = await payloadOf(request, options.maxBytes ?? 67_108_864)
      if (payload === undefined) return answer(response, 413, 'the body is too large')
      const { status, error } = await receive({ payload, header: name => request.headers[name] })
      answer(response, status, error)
    } catch (error) {
      if (next === undefined) throw error
      next(error)
    }
  }
}

/** Returns `undefined` if the body exceeds the limit. */
async function payloadOf(request: IncomingRequest, maxBytes: number): Promise<string | Uint8Array | undefined> {
  for (const raw of [request.rawBody, request.body]) if (isRaw(raw)) return raw.length <= maxBytes ? raw : undefined
  if (request.body !== undefined && Object.keys(request.body as object).length > 0)
    throw new TypeError('the body is parsed already: put the webhook handler before express.json()')
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of request) {
    size += chunk.length
    if (size > maxBytes) return undefined
    chunks.push(chunk)
  }
  const whole = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.length
  }
  return whole
}

const isRaw = (body: unknown): body is string | Uint8Array => typeof body === 'string' || body instanceof Uint8Array

function answer(response: OutgoingResponse, status: number, error?: string): void {
  response.statusCode = status
  if (error === undefined) return void response.end()
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify({ error }))
}
