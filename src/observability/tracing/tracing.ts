import type { Clock } from '../../runtime/clock.ts'
import type { Log } from '../log.ts'

/** Ids of our own, fixed words and figures: never content, numbers of people, keys or whole addresses. */
export type Attributes = Record<string, string | number | undefined>

export interface SpanStart {
  name: string
  kind?: 'server' | 'client' | 'producer' | 'consumer'
  /** The `traceparent` of what it is a part of; without one a trace begins. */
  parent?: string | undefined
  /** When it began, where that is not now. */
  atMs?: number
  attributes?: Attributes
}

export interface Span {
  readonly traceId: string
  /** Names it to whoever goes on with its trace (W3C Trace Context). */
  readonly traceparent: string
  /** `failure` is a fixed word for what went wrong. */
  end(attributes?: Attributes, failure?: string): void
}

/** Tells a collector what work was done, for what, and how long it took. Never holds anything up. */
export interface Tracing {
  begin(start: SpanStart): Span
  /** Hands over what is still held, within a short time. */
  close(): Promise<void>
}

export interface TracingDeps {
  clock: Clock
  log: Log
  /** Which process it is. */
  instance: string
}
