import type { ToolName } from './tool-names.ts'

/** An answer without what is for machines alone; the payload of an event as what it says rather than as its bytes. */
export function shownAnswer({ withheld = [] }: ToolName, answer: Record<string, unknown>): Record<string, unknown> {
  const shown = Object.entries(answer).filter(([name]) => !withheld.includes(name))
  const parts = new Map<string, unknown>(shown)
  const data = parts.get('data')
  if (Array.isArray(data)) parts.set('data', data.map(withPayload))
  return Object.fromEntries(parts)
}

function withPayload(entry: unknown): unknown {
  if (typeof entry !== 'object' || entry === null) return entry
  const { body, ...facts } = entry as { body?: unknown; event_id?: unknown }
  if (typeof body !== 'string' || typeof facts.event_id !== 'string') return entry
  return { ...facts, payload: JSON.parse(body) as unknown }
}
