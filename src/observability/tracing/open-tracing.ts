import type { TracingConfig } from './settings.ts'
import type { Tracing, TracingDeps } from './tracing.ts'

/** The library is loaded where a collector is named, and nowhere else. */
export async function openTracing(config: TracingConfig | null, deps: TracingDeps): Promise<Tracing | null> {
  if (config === null) return null
  const { OtlpTracing } = await import('./otlp.ts')
  return new OtlpTracing(config, deps)
}
