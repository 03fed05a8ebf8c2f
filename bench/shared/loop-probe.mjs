import { openSync, readSync } from 'node:fs'
import { later } from './child.mjs'

/**
 * The longest time that this thread's event loop was blocked while `work` ran. The time in which the thread was ready to
 * run but other programs had the processor is subtracted, so that a busy machine does not count.
 */
export async function longestBlock(work) {
  let longest = 0
  let over = false
  let [at, waited] = [performance.now(), waitedMs()]
  const turn = () => {
    const [now, waitedNow] = [performance.now(), waitedMs()]
    longest = Math.max(longest, now - at - (waitedNow - waited))
    ;[at, waited] = [now, waitedNow]
    if (!over) setImmediate(turn)
  }
  setImmediate(turn)
  const result = await work()
  await later(5)
  over = true
  return { result, longest }
}

const schedule = openSchedule()
const text = Buffer.alloc(128)

function openSchedule() {
  try {
    return openSync('/proc/thread-self/schedstat', 'r')
  } catch {
    return undefined
  }
}

/** Milliseconds that this thread has waited for a processor; 0 if the system does not report it. */
function waitedMs() {
  if (schedule === undefined) return 0
  const length = readSync(schedule, text, 0, text.length, 0)
  return Number(text.latin1Slice(0, length).split(' ')[1]) / 1e6
}
