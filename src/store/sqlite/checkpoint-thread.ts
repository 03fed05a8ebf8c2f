import { statSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { systemClock } from '../../runtime/clock.ts'
import { openDatabase } from './driver.ts'

/**
 * Moves the write-ahead log into the database in the background, so that a commit never waits for it. Under a load
 * that leaves no gap the log would grow without end: past a bound the checkpoint waits for readers and starts it over.
 */
const { path } = workerData as { path: string }
const database = openDatabase(path, { readOnly: false })
const INTERVAL_MS = 100
const WAL_BOUND_BYTES = 256 * 1024 * 1024

function checkpoint(): void {
  const mode = walBytes() > WAL_BOUND_BYTES ? 'restart' : 'passive'
  try {
    database.exec(`pragma wal_checkpoint(${mode})`)
  } catch {
    // Busy: the writer holds the log. The next round tries again.
  }
}

function walBytes(): number {
  return statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0
}

/** Told to end, never terminated: a thread that is stopped inside the database takes the process with it. */
const end = new AbortController()
parentPort!.once('message', () => end.abort())

while (!end.signal.aborted) {
  await systemClock.sleep(INTERVAL_MS, end.signal)
  if (!end.signal.aborted) checkpoint()
}
database.close()
