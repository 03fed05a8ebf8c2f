import { PosternError } from './transport.ts'

export interface StreamEvent {
  readonly event: string
  readonly data: unknown
}

/** The gateway sends a heartbeat every 15 seconds. */
const silenceMs = 45_000

/** Reads server-sent events until the stream ends. A stream that is cut or silent throws an error. */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  signal?: AbortSignal,
): AsyncGenerator<StreamEvent, void> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await withinSilence(reader.read(), signal)
      if (done) return
      const blocks = (rest + decoder.decode(value, { stream: true })).split('\n\n')
      rest = blocks.pop() ?? ''
      for (const block of blocks) yield parseEvent(block)
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

async function withinSilence<Result>(reading: Promise<Result>, signal?: AbortSignal): Promise<Result> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new PosternError(0, `the stream is silent for ${silenceMs} ms`)), silenceMs)
  })
  try {
    return await Promise.race([reading, silence])
  } catch (cause) {
    signal?.throwIfAborted()
    throw cause instanceof PosternError ? cause : new PosternError(0, 'the stream was cut', { cause })
  } finally {
    clearTimeout(timer)
  }
}

export function parseEvent(block: string): StreamEvent {
  const lines = block.split('\n')
  const valuesOf = (name: string) =>
    lines.filter(line => line.startsWith(`${name}:`)).map(line => line.slice(name.length + 1).replace(/^ /, ''))
  return { event: valuesOf('event').at(-1) ?? 'message', data: JSON.parse(valuesOf('data').join('\n') || 'null') }
}
