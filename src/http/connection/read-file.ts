import type { IncomingMessage } from 'node:http'
import { malformed } from '../../domain/errors.ts'
import { isFragmented } from './tiny-chunks.ts'
import { tooFragmented, tooLarge } from './read-body.ts'

/**
 * The body of a request in parts of this size, the last one shorter: no more of it is in memory than one part. What is
 * refused in the middle is thrown away as it comes, so that its sender gets to read why.
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
      if (isFragmented(body)) throw tooFragmented()
      yield* part.add(next.value)
    }
    if (isFragmented(body)) throw tooFragmented()
    yield* part.rest()
  } finally {
    await chunks.return?.()
    body.resume()
  }
}

/** A client that leaves in the middle is the only way in which this fails. */
const nextOf = (chunks: AsyncIterator<Buffer>): Promise<IteratorResult<Buffer>> =>
  chunks.next().catch(() => {
    throw malformed()
  })

/** Gathers chunks of any size into parts of one. */
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
