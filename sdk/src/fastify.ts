import { receiveWebhook, type WebhookHandlerOptions } from './receive-webhook.ts'

/** The members of Fastify that the plugin uses. */
interface FastifyLike {
  removeAllContentTypeParsers(): void
  addContentTypeParser(
    type: string,
    options: { parseAs: 'buffer'; bodyLimit: number },
    parser: (request: unknown, body: Uint8Array, done: (error: null, body: Uint8Array) => void) => void,
  ): unknown
  post(path: string, handler: (request: FastifyRequestLike, reply: FastifyReplyLike) => Promise<unknown>): unknown
}
interface FastifyRequestLike {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: unknown
}
interface FastifyReplyLike {
  code(status: number): { send(body?: unknown): unknown }
}

export interface FastifyHandlerOptions extends WebhookHandlerOptions {
  readonly path: string
  /** Limit of a request body; 64 MiB by default, because events contain media. */
  readonly maxBytes?: number
}

/** `app.register(webhook({ path: '/webhooks', secret, onEvent }))`: Fastify parses the bodies of all other paths as before. */
// oxlint-disable-next-line typescript/no-explicit-any -- instances differ by server and by version
export function webhook(options: FastifyHandlerOptions): (app: any) => Promise<void> {
  const receive = receiveWebhook(options)
  return async (app: FastifyLike) => {
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: options.maxBytes ?? 67_108_864 }, (_, body, done) =>
      done(null, body),
    )
    app.post(options.path, async (request, reply) => {
      const payload = request.body instanceof Uint8Array ? request.body : new Uint8Array()
      const { status, error } = await receive({ payload, header: name => request.headers[name] })
      return reply.code(status).send(error === undefined ? undefined : { error })
    })
  }
}
