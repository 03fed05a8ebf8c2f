import type { Log } from '../../src/observability/log.ts'

/** A log that stores its lines. */
export function keepLines(): { log: Log; lines: Array<Record<string, unknown>> } {
  const lines: Array<Record<string, unknown>> = []
  const write = (fields: object, name: string) => void lines.push({ ...fields, name })
  const log = { debug: write, info: write, warn: write, error: write, child: () => log, flush: () => {} }
  return { log: log as unknown as Log, lines }
}
