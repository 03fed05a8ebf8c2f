import { Session } from 'node:inspector/promises'
import { setTimeout as later } from 'node:timers/promises'

/**
 * The memory of this process after a full collection in each of its threads: its resident memory, and the heap of
 * each thread (the main one first), in bytes. The checkpoint thread sleeps until a commit and cannot answer: it is left
 * out.
 */
export async function measureMemory() {
  const session = new Session()
  session.connect()
  const workers = attachToWorkers(session)
  await session.post('NodeWorker.enable', { waitForDebuggerOnStart: false })
  const ask = [method => session.post(method), ...workers.ids.map(id => method => workers.ask(id, method))]
  // The second collection frees what the first one finalizes.
  for (let round = 0; round < 2; round++) {
    for (const one of ask) await one('HeapProfiler.collectGarbage')
    await later(50)
  }
  const heaps = []
  for (const one of ask) heaps.push((await one('Runtime.getHeapUsage')).usedSize)
  await session.post('NodeWorker.disable')
  session.disconnect()
  return { rss: process.memoryUsage.rss(), heaps }
}

/** The processor time of this process in microseconds, and its resident memory in bytes, as they are. */
export function measureUsage() {
  const { user, system } = process.cpuUsage()
  return { cpuMicros: user + system, rss: process.memoryUsage.rss() }
}

function attachToWorkers(session) {
  const waiting = new Map()
  const ids = []
  let serial = 0
  session.on('NodeWorker.attachedToWorker', ({ params }) => {
    if (!params.workerInfo.url.endsWith('checkpoint-thread.js')) ids.push(params.sessionId)
  })
  session.on('NodeWorker.receivedMessageFromWorker', ({ params }) => {
    const { id, result } = JSON.parse(params.message)
    waiting.get(id)?.(result)
  })
  return {
    ids,
    ask: (sessionId, method) =>
      new Promise(resolve => {
        waiting.set(++serial, resolve)
        void session.post('NodeWorker.sendMessageToWorker', {
          sessionId,
          message: JSON.stringify({ id: serial, method }),
        })
      }),
  }
}
