import { getOwn } from '../../../runtime/get-own.ts'
import type { Signal, SignalAbout, Topic } from '../../signals.ts'

type Fields<T extends Topic> = Record<Exclude<keyof SignalAbout<T>, 'about' | 'fresh'>, 'string' | 'number'>

const FIELDS: { [T in Topic]: Fields<T> } = {
  commands: { sessionId: 'string' },
  requests: { sessionId: 'string' },
  answers: { requestId: 'string', to: 'string' },
  sandbox_requests: {},
  deliveries: { lane: 'string', dueAt: 'number' },
  webhooks: { webhookId: 'string' },
  shards: {},
  replays: {},
  erasures: {},
  nodes: {},
  keys: { accountId: 'string' },
  sessions: { sessionId: 'string' },
  pairings: { pairingId: 'string' },
  listened: { streamId: 'string' },
  hosts: {},
}

/** NOTIFY carries less than 8,000 bytes. */
const MAX_BYTES = 7_900

/** Splits items into groups that each fit into one payload. */
export function cutToPayloads<T extends { text: string }>(items: T[]): T[][] {
  const parts: T[][] = []
  let bytes = Number.POSITIVE_INFINITY
  for (const item of items) {
    const more = Buffer.byteLength(item.text) + 1
    if (bytes + more > MAX_BYTES) {
      parts.push([])
      bytes = 0
    }
    parts.at(-1)!.push(item)
    bytes += more
  }
  return parts
}

export const payloadOf = (items: Array<{ text: string }>): string => `[${items.map(({ text }) => text).join(',')}]`

/** Decodes the payload of another process. Unknown signals are left out: their listeners poll too. */
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
  const fields = getOwn<Record<string, string>>(FIELDS, String(given.about))
  return fields !== undefined && Object.entries(fields).every(([name, type]) => typeof getOwn(given, name) === type)
}
