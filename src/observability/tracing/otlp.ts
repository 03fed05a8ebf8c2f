import { type HrTime, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, type Tracer } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import { spanContextOf } from '../../domain/trace-context.ts'
import { VERSION } from '../../version.ts'
import { resolveWithin } from '../../runtime/deadline.ts'
import { LoggingExporter } from './logging-exporter.ts'
import type { TracingConfig } from './settings.ts'
import type { Attributes, Span, SpanStart, Tracing, TracingDeps } from './tracing.ts'

/** Spans beyond these are dropped: an unreachable collector costs memory up to here, and no work waits for it. */
const QUEUE = { maxQueueSize: 2_048, maxExportBatchSize: 512, scheduledDelayMillis: 1_000 }
const CLOSE_MS = 2_000

/** Spans by the official SDK, in batches to a collector (OTLP over http, protobuf). */
export class OtlpTracing implements Tracing {
  readonly #clock: TracingDeps['clock']
  readonly #provider: TracerProvider
  readonly #tracer: Tracer

  constructor(config: TracingConfig, deps: TracingDeps) {
    this.#clock = deps.clock
    const { url, headers } = config
    const exporter = new LoggingExporter(new OTLPTraceExporter({ url, headers }), deps)
    this.#provider = new TracerProvider({
      sampler: samplerOf(config),
      resource: resourceOf(config, deps.instance),
      spanProcessors: [new BatchSpanProcessor({ exporter, ...QUEUE })],
    })
    this.#tracer = this.#provider.getTracer('postern', VERSION)
  }

  begin({ name, kind, parent, atMs, attributes }: SpanStart): Span {
    const clock = this.#clock
    const [startMs, begunMs] = [atMs ?? clock.now().getTime(), clock.monotonicMs()]
    const options = { kind: kind === undefined ? SpanKind.INTERNAL : KINDS[kind], startTime: hrTime(startMs) }
    const span = this.#tracer.startSpan(name, { ...options, attributes: given(attributes) }, contextOf(parent))
    const { traceId, spanId, traceFlags } = span.spanContext()
    return {
      traceId,
      traceparent: `00-${traceId}-${spanId}-0${traceFlags & 1}`,
      end(more, failure) {
        span.setAttributes(given(more))
        if (failure !== undefined) span.setAttribute('error.type', failure).setStatus({ code: SpanStatusCode.ERROR })
        // Work that began before this call has only the wall clock.
        const endMs = atMs === undefined ? startMs + clock.monotonicMs() - begunMs : clock.now().getTime()
        span.end(hrTime(Math.max(startMs, endMs)))
      },
    }
  }

  async close(): Promise<void> {
    await resolveWithin(this.#clock, CLOSE_MS, this.#provider.shutdown()).catch(() => {})
  }
}

const KINDS: Record<NonNullable<SpanStart['kind']>, SpanKind> = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
}

/** The SDK takes a number before the start of the process for a time relative to that start. */
const hrTime = (ms: number): HrTime => [Math.floor(ms / 1_000), Math.floor((ms % 1_000) * 1_000_000)]

const given = (attributes: Attributes = {}): Record<string, string | number> =>
  Object.fromEntries(
    Object.entries(attributes).filter((entry): entry is [string, string | number] => entry[1] !== undefined),
  )

function contextOf(parent: string | undefined) {
  const found = parent === undefined ? undefined : spanContextOf(parent)
  return found === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, { ...found, isRemote: true })
}

function samplerOf({ sampler, ratio }: TracingConfig): Sampler {
  const root = sampler.replace('parentbased_', '')
  const decides =
    root === 'always_on'
      ? new AlwaysOnSampler()
      : root === 'always_off'
        ? new AlwaysOffSampler()
        : new TraceIdRatioBasedSampler(ratio)
  return root === sampler ? decides : new ParentBasedSampler({ root: decides })
}

/** Added to the attributes of `OTEL_RESOURCE_ATTRIBUTES`. */
const resourceOf = ({ serviceName }: TracingConfig, instance: string) =>
  defaultResource()
    .merge(detectResources({ detectors: [envDetector] }))
    .merge(
      resourceFromAttributes({
        'service.name': serviceName,
        'service.version': VERSION,
        'service.instance.id': instance,
      }),
    )
