import type { TracingConfig } from './settings.ts'
import type { Tracing, TracingParts } from './tracing.ts'

/** The library is loaded where a collector is named, and nowhere else. */
export async function openTracing(config: TracingConfig | null, parts: TracingParts): Promise<Tracing | null> {
  if (config === null) return null
  const { OtlpTracing } = await import('./otlp.ts')
  return new OtlpTracing(config, parts)
}
