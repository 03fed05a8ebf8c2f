const VERSION_0 = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/
/** Later versions may say more behind what is known. */
const LATER = /^(?!00|ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:-|$)/

/** The id of the trace that `traceparent` (W3C Trace Context) names; `undefined` where it names none. */
export function traceIdOf(traceparent: string | string[]): string | undefined {
  if (typeof traceparent !== 'string' || traceparent.length > 512) return undefined
  return (VERSION_0.exec(traceparent) ?? LATER.exec(traceparent))?.[1]
}
