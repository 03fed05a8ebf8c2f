import { statSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { systemClock } from '../../runtime/clock.ts'
import { openDatabase } from './driver.ts'

/**
 * Checkpoints the write-ahead log in the background, so that a commit never waits for it. Under constant load the log
 * would grow without limit: beyond a size the checkpoint waits for readers and truncates it.
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
    // Busy: the writer uses the log. The next run tries again.
  }
}

function walBytes(): number {
  return statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0
}

/** The thread ends on a message and is never terminated: terminating it inside SQLite would crash the process. */
const end = new AbortController()
parentPort!.once('message', () => end.abort())

while (!end.signal.aborted) {
  await systemClock.sleep(INTERVAL_MS, end.signal)
  if (!end.signal.aborted) checkpoint()
}
database.close()
