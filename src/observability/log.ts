import { pino, type Logger } from 'pino'
import { type Clock, systemClock } from '../runtime/clock.ts'
import { prettyStream } from './pretty-log.ts'

export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error' | 'child' | 'flush'>

/** Fields that may contain a secret or a message's content: no log shows them. */
const SECRET_FIELDS = [
  'authorization',
  'cookie',
  'key',
  'api_key',
  'secret',
  'password',
  'token',
  'text',
  'content',
  'body',
  'payload',
  'data',
  'caption',
  'media_url',
  'quoted_text',
  'email',
  'url',
]

export type LogFormat = 'coloured' | 'pretty' | 'json'

/** Log lines on standard output, one wide line for each operation: JSON, or short lines for people. */
export function makeLog(level: string, format: LogFormat = 'json', clock: Clock = systemClock): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: timestamps(clock),
      formatters: { level: label => ({ level: label }) },
      redact: { paths: SECRET_FIELDS.flatMap(field => [field, `*.${field}`]), censor: '[redacted]' },
      serializers: { err: serializeError },
    },
    format === 'json'
      ? pino.destination({ dest: 1, sync: false, minLength: 12_288, periodicFlush: 200 })
      : prettyStream(format === 'coloured'),
  )
}

/** Cached for all lines of the same millisecond. */
function timestamps(clock: Clock): () => string {
  let stampMs = 0
  let stamp = ''
  return () => {
    const now = clock.now()
    if (now.getTime() !== stampMs) {
      stampMs = now.getTime()
      stamp = `,"time":"${now.toISOString()}"`
    }
    return stamp
  }
}

/** Reports the name of each line of level error, whether lines of that level are written or not. */
export function countErrors(log: Log, onError: (event: string) => void): Log {
  const write = log.error.bind(log) as (fields: object, event: string) => void
  log.error = ((fields: object, event: string) => {
    onError(event)
    write(fields, event)
  }) as Log['error']
  return log
}

const plain = new WeakMap<Log, Log>()

/** For lines whose every field is known to be harmless, such as one per request: with redaction they cost four times as much. */
export function withoutRedaction(log: Log): Log {
  let lines = plain.get(log)
  if (lines === undefined) plain.set(log, (lines = log.child({}, { redact: [] })))
  return lines
}

/** Name, message and stack alone: extra fields of an error may carry the data that caused it. */
function serializeError(error: unknown): unknown {
  if (!(error instanceof Error)) return { message: String(error) }
  return { name: error.name, message: error.message, stack: error.stack }
}
