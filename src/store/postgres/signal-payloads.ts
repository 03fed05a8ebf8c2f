import { lookUp } from '../../domain/look-up.ts'
import type { Signal, SignalAbout, Topic } from '../signals.ts'

type Fields<T extends Topic> = Record<Exclude<keyof SignalAbout<T>, 'about'>, 'string' | 'number'>

const FIELDS: { [T in Topic]: Fields<T> } = {
  commands: { sessionId: 'string' },
  requests: { sessionId: 'string' },
  answers: { requestId: 'string' },
  sandbox_requests: {},
  deliveries: { lane: 'string', dueAt: 'number' },
  webhooks: { webhookId: 'string' },
  shards: {},
  replays: {},
  keys: { accountId: 'string' },
  sessions: { sessionId: 'string' },
  pairings: { pairingId: 'string' },
  hosts: {},
}

/** NOTIFY carries less than 8,000 bytes. */
const MAX_BYTES = 7_900

/** The signals of one commit, each once, as they travel between nodes. */
export class OutgoingSignals {
  readonly #byText = new Map<string, Signal>()

  add(signal: Signal): void {
    this.#byText.set(JSON.stringify(signal), signal)
  }

  all(): Iterable<Signal> {
    return this.#byText.values()
  }

  payloads(): string[] {
    const payloads: string[] = []
    let gathered: string[] = []
    let bytes = 0
    for (const text of this.#byText.keys()) {
      const more = Buffer.byteLength(text) + 1
      if (bytes + more > MAX_BYTES) {
        payloads.push(`[${gathered.join(',')}]`)
        gathered = []
        bytes = 0
      }
      gathered.push(text)
      bytes += more
    }
    if (gathered.length > 0) payloads.push(`[${gathered.join(',')}]`)
    return payloads
  }
}

/** What another node has sent. What cannot be understood is left out: whoever it was for polls besides. */
export function decodeSignals(payload: string): Signal[] {
  try {
    const values = JSON.parse(payload) as unknown
    return Array.isArray(values) ? values.filter(isSignal) : []
  } catch {
    return []
  }
}

function isSignal(value: unknown): value is Signal {
  if (typeof value !== 'object' || value === null) return false
  const given = value as Record<string, unknown>
  const fields = lookUp<Record<string, string>>(FIELDS, String(given.about))
  return fields !== undefined && Object.entries(fields).every(([name, type]) => typeof lookUp(given, name) === type)
}
