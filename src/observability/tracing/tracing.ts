import type { Clock } from '../../runtime/clock.ts'
import type { Log } from '../log.ts'

/** Our own ids, fixed words and figures: never content, people's numbers, keys or whole addresses. */
export type Attributes = Record<string, string | number | undefined>

export interface SpanStart {
  name: string
  kind?: 'server' | 'client' | 'producer' | 'consumer'
  /** The `traceparent` of the parent; without one a trace begins. */
  parent?: string | undefined
  /** When it began, if that is not now. */
  atMs?: number
  attributes?: Attributes
}

export interface Span {
  readonly traceId: string
  /** Names the span to code that continues its trace (W3C Trace Context). */
  readonly traceparent: string
  /** `failure` is a fixed word for what failed. */
  end(attributes?: Attributes, failure?: string): void
}

/** Reports to a collector which work was done, for which parent, and how long it took. Never blocks. */
export interface Tracing {
  begin(start: SpanStart): Span
  /** Sends the spans that are still buffered, within a short time. */
  close(): Promise<void>
}

export interface TracingDeps {
  clock: Clock
  log: Log
  /** The name of the process. */
  instance: string
}
