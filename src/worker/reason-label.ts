const MAX_REASONS = 200
const reasons = new Set<string>()

/** Others choose what they send us: however many kinds of it there are, the metrics have so many series at most. */
export function reasonLabel(reason: string): string {
  if (!reasons.has(reason) && reasons.size >= MAX_REASONS) return 'other'
  reasons.add(reason)
  return reason
}
