import type { IncomingMessage } from 'node:http'
import { malformed } from '../../domain/errors.ts'
import { isFragmented, isFragmentedWith } from './tiny-chunks.ts'
import { tooFragmented, tooLarge } from './read-body.ts'

/**
 * Yields the body of a request in parts of this size, the last one shorter, and keeps no more than one part in memory.
 * The rest of a rejected body is dropped as it comes, so that the client can read the response.
 */
export async function* readFile(
  body: IncomingMessage,
  { limit, partBytes }: { limit: number; partBytes: number },
): AsyncGenerator<Buffer> {
  const chunks = body.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>
  const part = new Part(partBytes)
  let total = 0
  try {
    for (let next = await nextOf(chunks); next.done !== true; next = await nextOf(chunks)) {
      total += next.value.length
      if (total > limit) throw tooLarge(limit)
      if (isFragmentedWith(body, next.value)) throw tooFragmented()
      yield* part.add(next.value)
    }
    if (isFragmented(body)) throw tooFragmented()
    yield* part.rest()
  } finally {
    await chunks.return?.()
    body.resume()
  }
}

/** This fails only if the client disconnects in the middle. */
const nextOf = (chunks: AsyncIterator<Buffer>): Promise<IteratorResult<Buffer>> =>
  chunks.next().catch(() => {
    throw malformed()
  })

/** Collects chunks of any size into parts of one size. */
class Part {
  readonly #bytes: number
  #held: Buffer[] = []
  #length = 0

  constructor(bytes: number) {
    this.#bytes = bytes
  }

  *add(chunk: Buffer): Generator<Buffer> {
    for (let rest = chunk; rest.length > 0; ) {
      const fits = rest.subarray(0, this.#bytes - this.#length)
      this.#held.push(fits)
      this.#length += fits.length
      rest = rest.subarray(fits.length)
      if (this.#length === this.#bytes) yield* this.rest()
    }
  }

  *rest(): Generator<Buffer> {
    if (this.#length === 0) return
    yield Buffer.concat(this.#held, this.#length)
    this.#held = []
    this.#length = 0
  }
}
