import type { TracingConfig } from './settings.ts'
import type { Tracing, TracingDeps } from './tracing.ts'

/** Loads the library only if a collector is configured. */
export async function openTracing(config: TracingConfig | null, deps: TracingDeps): Promise<Tracing | null> {
  if (config === null) return null
  const { OtlpTracing } = await import('./otlp.ts')
  return new OtlpTracing(config, deps)
}
