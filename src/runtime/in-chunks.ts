import { setImmediate as yieldToEvents } from 'node:timers/promises'

/** This much is hashed, encrypted or searched in a fraction of a millisecond; 5 MB at once would block all other work. */
export const CHUNK_BYTES = 131_072

/** Processes a long text or long bytes in chunks, and lets the event loop run in between. */
export async function inChunks(length: number, work: (start: number, end: number) => void): Promise<void> {
  for (let start = 0; start < length; start += CHUNK_BYTES) {
    if (start > 0) await yieldToEvents()
    work(start, Math.min(start + CHUNK_BYTES, length))
  }
}
