const VERSION_0 = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/
/** Later versions may say more behind what is known. */
const LATER = /^(?!00|ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:-|$)/

export interface SpanContext {
  traceId: string
  spanId: string
  /** 1 where whoever sent it collects the trace. */
  traceFlags: number
}

/** What `traceparent` (W3C Trace Context) names; `undefined` where it names nothing. */
export function spanContextOf(traceparent: string | string[]): SpanContext | undefined {
  if (typeof traceparent !== 'string' || traceparent.length > 512) return undefined
  const [, traceId, spanId, flags] = VERSION_0.exec(traceparent) ?? LATER.exec(traceparent) ?? []
  if (traceId === undefined) return undefined
  return { traceId, spanId: spanId!, traceFlags: Number.parseInt(flags!, 16) & 1 }
}

/** The id of its trace alone. */
export const traceIdOf = (traceparent: string | string[]): string | undefined => spanContextOf(traceparent)?.traceId
