import { constants, fstatSync, openSync, writeSync } from 'node:fs'
import { type Logger, pino } from 'pino'
import { type Clock, systemClock } from '../runtime/clock.ts'
import { prettyLine } from './pretty-log.ts'

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
export function makeLog(level: string, format: LogFormat = 'json', clock: Clock = systemClock, fd = 1): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: timestamps(clock),
      formatters: { level: label => ({ level: label }) },
      redact: { paths: SECRET_FIELDS.flatMap(field => [field, `*.${field}`]), censor: '[redacted]' },
      serializers: { err: serializeError },
    },
    makeDestination(fd, format, clock),
  )
}

type Destination = ReturnType<typeof pino.destination>

/** Lines are written this long after the first of them, or when there are this many characters. */
const FLUSH_MS = 200
const FLUSH_CHARS = 12_288
/** Lines beyond this are dropped while the output does not accept any. */
const MAX_BUFFERED_BYTES = { json: 16 * 1_048_576, pretty: 1_048_576 }

/**
 * Writes without blocking the event loop. An output that is closed or full never ends the process: lines that do not fit
 * into the buffer are dropped, and a later line reports how many.
 */
function makeDestination(
  fd: number,
  format: LogFormat,
  clock: Clock,
): { write(line: string): void } & Pick<Destination, 'flush' | 'flushSync'> {
  const out = pino.destination({
    sync: false,
    // People see a line at once.
    ...(format === 'json'
      ? { dest: fd, maxLength: MAX_BUFFERED_BYTES.json, minLength: FLUSH_CHARS }
      : { dest: openNonBlocking(fd), maxLength: MAX_BUFFERED_BYTES.pretty }),
  })
  const gathered = format === 'json' ? new GatheredLines(out) : undefined
  out.flushSync = () => writeRest(out, gathered?.take() ?? '')
  const write = (line: string): void =>
    gathered === undefined ? void out.write(`${prettyLine(line, format === 'coloured')}\n`) : gathered.add(line)
  let dropped = 0
  out.on('drop', (text: string) => {
    dropped += gathered === undefined ? 1 : text.split('\n').length - 1
  })
  out.on('drain', () => {
    if (dropped === 0) return
    const count = dropped
    dropped = 0
    write(`{"level":"warn","time":"${clock.now().toISOString()}","dropped":${count},"msg":"log.lines_dropped"}\n`)
  })
  // pino stops writing after EPIPE; after any other error the lines stay in the buffer and are tried again.
  out.on('error', () => {})
  return { write, flush: callback => (gathered ?? out).flush(callback), flushSync: () => out.flushSync() }
}

/** Collects lines, because sonic-boom counts all unwritten bytes at each write. */
class GatheredLines {
  readonly #out: Destination
  #lines = ''
  // Not by sonic-boom's `periodicFlush`, whose timer would wake an idle thread five times a second.
  #timer: NodeJS.Timeout | undefined

  constructor(out: Destination) {
    this.#out = out
  }

  add(line: string): void {
    this.#lines += line
    if (this.#lines.length >= FLUSH_CHARS) this.#out.write(this.take())
    else this.#timer ??= setTimeout(() => this.flush(), FLUSH_MS).unref()
  }

  flush(callback?: (error?: Error) => unknown): void {
    if (this.#lines !== '') this.#out.write(this.take())
    this.#out.flush(callback)
  }

  take(): string {
    const lines = this.#lines
    this.#lines = ''
    clearTimeout(this.#timer)
    this.#timer = undefined
    return lines
  }
}

/** Times 10 ms. */
const MAX_EXIT_RETRIES = 50

/** Writes the last lines when the process exits. sonic-boom itself would repeat a write to a closed pipe for ever. */
function writeRest(out: Destination, further: string): void {
  const { fd, _bufs, _writing, _writingBuf } = out as Destination & Unwritten
  const text = [...(_writing ? [] : [String(_writingBuf)]), ..._bufs.splice(0), further].join('')
  let retries = 0
  for (let rest = Buffer.from(text); rest.length > 0; ) {
    try {
      rest = rest.subarray(writeSync(fd, rest))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN' || retries++ === MAX_EXIT_RETRIES) return
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10)
    }
  }
}

/** The members of sonic-boom that hold the lines which it has not begun to write. */
interface Unwritten {
  fd: number
  _bufs: string[]
  _writing: boolean
  _writingBuf: string | Buffer
}

/**
 * Opens a terminal or pipe again, with a separate flag that makes writes return at once. Without the flag a stopped terminal
 * would block a thread of the pool for each log, and all file access with it. Only Linux can do this; other systems use the
 * descriptor unchanged.
 */
function openNonBlocking(fd: number): number {
  try {
    const status = fstatSync(fd)
    if (!status.isCharacterDevice() && !status.isFIFO()) return fd
    return openSync(`/proc/self/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY)
  } catch {
    return fd
  }
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
