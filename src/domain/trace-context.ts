const VERSION_0 = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/
/** Later versions may append fields. */
const LATER = /^(?!00|ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:-|$)/

export interface SpanContext {
  traceId: string
  spanId: string
  /** 1 if the sender collects the trace. */
  traceFlags: number
}

/** The span that `traceparent` (W3C Trace Context) names; `undefined` if it is not valid. */
export function spanContextOf(traceparent: string | string[]): SpanContext | undefined {
  if (typeof traceparent !== 'string' || traceparent.length > 512) return undefined
  const [, traceId, spanId, flags] = VERSION_0.exec(traceparent) ?? LATER.exec(traceparent) ?? []
  if (traceId === undefined) return undefined
  return { traceId, spanId: spanId!, traceFlags: Number.parseInt(flags!, 16) & 1 }
}

/** The trace id alone. */
export const traceIdOf = (traceparent: string | string[]): string | undefined => spanContextOf(traceparent)?.traceId
