import { setImmediate as yieldToEvents } from 'node:timers/promises'

/** So much is hashed, encrypted or searched in a fraction of a millisecond; 5 MB in one go would hold up everyone else. */
export const CHUNK_BYTES = 131_072

/** Works through a long text or long bytes a chunk at a time, and lets the event loop go round in between. */
export async function inChunks(length: number, work: (start: number, end: number) => void): Promise<void> {
  for (let start = 0; start < length; start += CHUNK_BYTES) {
    if (start > 0) await yieldToEvents()
    work(start, Math.min(start + CHUNK_BYTES, length))
  }
}
