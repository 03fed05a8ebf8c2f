import { type Config, originOf } from '../config.ts'

/** A busy machine needs seconds; what does not listen at all rejects the connection at once. */
const ANSWER_MS = 10_000

/** The response, or `undefined` if there is none in time. */
export async function fetchGateway(url: string, headers: Record<string, string> = {}): Promise<Response | undefined> {
  const timeout = new AbortController()
  // A timer that keeps the process alive: a connection that is reset may leave `fetch` waiting with nothing else to do.
  const timer = setTimeout(() => timeout.abort(), ANSWER_MS)
  try {
    return await fetch(url, { headers, signal: timeout.signal })
  } catch {
    return undefined
  } finally {
    clearTimeout(timer)
  }
}

/** The address of the gateway with these settings; loopback if it listens on all addresses. */
export function localOrigin({ host, port }: Pick<Config, 'host' | 'port'>): string {
  return originOf(host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host, port)
}
