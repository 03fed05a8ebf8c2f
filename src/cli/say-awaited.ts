import type { DatabaseWaitProgress } from '../boot/wait-for-database.ts'

const seconds = (ms: number): number => Math.round(ms / 1_000)

/** Tells whoever looks at the terminal why nothing happens yet. */
export function sayAwaited({ at, reason, waitedMs, limitMs }: DatabaseWaitProgress): void {
  console.error(
    `postern: waiting for the database at ${at} (${reason}), ${seconds(waitedMs)} of at most ${seconds(limitMs)} s`,
  )
}
