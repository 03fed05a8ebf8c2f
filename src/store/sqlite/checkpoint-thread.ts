import { statSync } from 'node:fs'
import { workerData } from 'node:worker_threads'
import { CheckpointSignal } from './checkpoint-signal.ts'
import { openDatabase } from './driver.ts'

/**
 * Checkpoints the write-ahead log in the background, so that a commit never waits for it. Under constant load the log
 * would grow without limit: beyond a size the checkpoint waits for readers and truncates it.
 */
const { path, written } = workerData as { path: string; written: SharedArrayBuffer }
const signal = new CheckpointSignal(written)
const database = openDatabase(path, { readOnly: false })
const INTERVAL_MS = 100
const WAL_BOUND_BYTES = 256 * 1024 * 1024

function checkpoint(): void {
  const mode = walBytes() > WAL_BOUND_BYTES ? 'truncate' : 'passive'
  try {
    database.exec(`pragma wal_checkpoint(${mode})`)
  } catch {
    // Busy: the writer uses the log. The run after the next commit tries again.
  }
}

/** Writers wait meanwhile: about a second for each of these 128 MiB. */
const COMPACTED_BYTES = 256 * 1024 * 1024

let isRewritten = false

/** Deleted rows stay in free pages and in the log until they are overwritten; a database of this size can be rewritten. */
function compact(): void {
  try {
    if (statSync(path).size > COMPACTED_BYTES) return signal.endCompaction('too_large')
    if (!isRewritten) database.exec('vacuum')
    isRewritten = true
    const [log] = database.prepare('pragma wal_checkpoint(truncate)').all() as [{ busy: number }]
    // Busy: a reader still uses the log. The next round tries again.
    if (log.busy !== 0) return
    isRewritten = false
    signal.endCompaction('compacted')
  } catch {
    // Busy: the writer was quicker.
  }
}

function walBytes(): number {
  return statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0
}

// The thread ends by itself and is never terminated: terminating it inside SQLite would crash the process.
while (signal.waitForWrites(INTERVAL_MS)) {
  if (signal.isCompactionAsked) compact()
  else checkpoint()
}
database.close()
