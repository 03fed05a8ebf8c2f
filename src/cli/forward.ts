import type { GatewayEvent } from '#listener/event-reader'
import { Signer } from '../domain/signature.ts'
import { signedHeaders } from '../net/signed-headers.ts'
import type { Clock } from '../runtime/clock.ts'
import { paint } from './terminal.ts'

const TIMEOUT_MS = 10_000

export interface Forwarded {
  status: number | null
  latency_ms: number
  error: string | null
}

/** Posts an event to a program like a webhook: with the same bytes, headers and signature. */
export async function forward(
  target: { url: string; secret: string; listenerId: string; clock: Clock },
  event: GatewayEvent,
): Promise<Forwarded> {
  const { url, secret, listenerId, clock } = target
  const body = Buffer.from(event.body)
  const seconds = Math.floor(clock.now().getTime() / 1_000)
  const request = { webhookId: listenerId, eventId: event.event_id, dedupeId: event.message_id, seconds, body }
  const begunMs = clock.monotonicMs()
  const outcome = (status: number | null, error: string | null): Forwarded => ({
    status,
    latency_ms: Math.round(clock.monotonicMs() - begunMs),
    error,
  })
  try {
    const headers = await signedHeaders([new Signer(secret)], request)
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    const answer = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal })
    await answer.body?.cancel()
    return outcome(answer.status, null)
  } catch (error) {
    return outcome(null, reasonOf(error))
  }
}

function reasonOf(error: unknown): string {
  const { name, cause } = error as Error & { cause?: { code?: string } }
  if (name === 'TimeoutError') return 'no answer within 10 s'
  return cause?.code === 'ECONNREFUSED' ? 'nothing listens there' : (cause?.code ?? 'the connection failed')
}

export function forwardedLine({ status, latency_ms, error }: Forwarded): string {
  const isTaken = status !== null && status >= 200 && status < 300
  const said = status === null ? error! : String(status)
  return `              ${paint(isTaken ? 'green' : 'red', `→ ${said}`)} in ${latency_ms} ms`
}
