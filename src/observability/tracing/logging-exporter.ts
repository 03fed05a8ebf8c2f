import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace'
import type { TracingDeps } from './tracing.ts'

type OnExported = Parameters<SpanExporter['export']>[1]

const LOG_EVERY_MS = 60_000

/** Logs once a minute how many spans the collector did not accept. */
export class LoggingExporter implements SpanExporter {
  readonly #exporter: SpanExporter
  readonly #deps: Pick<TracingDeps, 'clock' | 'log'>
  #lost = 0
  #loggedAtMs = Number.NEGATIVE_INFINITY

  constructor(exporter: SpanExporter, deps: Pick<TracingDeps, 'clock' | 'log'>) {
    this.#exporter = exporter
    this.#deps = deps
  }

  export(spans: ReadableSpan[], onExported: OnExported): void {
    this.#exporter.export(spans, result => {
      if (result.code !== 0) this.#logLost(spans.length, result.error)
      onExported(result)
    })
  }

  shutdown(): Promise<void> {
    return this.#exporter.shutdown()
  }

  async forceFlush(): Promise<void> {
    await this.#exporter.forceFlush?.()
  }

  #logLost(spans: number, error: Error | undefined): void {
    this.#lost += spans
    const nowMs = this.#deps.clock.monotonicMs()
    if (nowMs < this.#loggedAtMs + LOG_EVERY_MS) return
    this.#loggedAtMs = nowMs
    // The message may contain the collector's address and its response.
    const { code } = (error ?? {}) as { code?: string | number }
    this.#deps.log.warn({ spans: this.#lost, code: code ?? error?.name }, 'traces.lost')
    this.#lost = 0
  }
}
