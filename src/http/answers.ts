import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { lineWriter } from '../log.ts'
import type { Identity } from './identity.ts'

/** What all answers of one route with one status have in common. */
interface Kind {
  count(): void
  observe(seconds: number): void
  /** The fields of their lines, as far as the time that they took. */
  fields: string
}

/** Counts every answer and writes its line. Looking up what is the same for many would cost more than both: it is kept. */
export class Answers {
  readonly #metrics: Context['metrics']
  readonly #write: (fields: string) => void
  readonly #kinds = new Map<string, Kind>()

  constructor({ log, metrics }: Pick<Context, 'log' | 'metrics'>) {
    this.#metrics = metrics
    this.#write = lineWriter(log)
  }

  note(request: FastifyRequest, reply: FastifyReply): void {
    const ms = Math.round(reply.elapsedTime * 10) / 10
    const kind = this.#kindOf(request.method, request.routeOptions.url ?? 'unknown', reply.statusCode)
    kind.count()
    kind.observe(ms / 1000)
    this.#write(`${kind.fields}${ms}${whoAsked(request.identity)},"msg":"request.answered"`)
  }

  #kindOf(method: string, route: string, status: number): Kind {
    const name = `${status} ${method} ${route}`
    let kind = this.#kinds.get(name)
    if (kind === undefined) this.#kinds.set(name, (kind = this.#makeKind(method, route, status)))
    return kind
  }

  #makeKind(method: string, route: string, status: number): Kind {
    const { requests, requestSeconds } = this.#metrics
    const [total, seconds] = [requests.labels({ route, status: String(status) }), requestSeconds.labels({ route })]
    const fields = JSON.stringify({ method, route, status }).slice(1, -1)
    return { count: () => total.inc(), observe: value => seconds.observe(value), fields: `${fields},"ms":` }
  }
}

/** Ids of our own making need no escaping. */
function whoAsked(identity: Identity | null): string {
  if (identity === null) return ''
  const { account, key } = identity
  return `,"account":"${account.id}"${key === null ? '' : `,"by":"${key.id}"`}`
}
