import { type Config, originOf } from '../config.ts'

const ANSWER_MS = 2_000

/** What answers there, or `undefined` where nothing does in time. */
export async function askGateway(url: string, headers: Record<string, string> = {}): Promise<Response | undefined> {
  const late = new AbortController()
  // A timer that keeps the process alive: a connection that is reset may leave `fetch` waiting with nothing else to do.
  const timer = setTimeout(() => late.abort(), ANSWER_MS)
  try {
    return await fetch(url, { headers, signal: late.signal })
  } catch {
    return undefined
  } finally {
    clearTimeout(timer)
  }
}

/** Where the gateway with these settings is asked; one that listens everywhere, on this machine. */
export function localOrigin({ host, port }: Pick<Config, 'host' | 'port'>): string {
  return originOf(host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host, port)
}
