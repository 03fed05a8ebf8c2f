import { setImmediate as nextTurn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { inSize } from '../harness/matrix.ts'
import { until } from '../harness/until.ts'
import { type Hosted, type Rig, startRig, text } from '../harness/whatsapp-rig.ts'

/** 1,000 reconnects show a leak of a kilobyte that 10 would hide. */
const RECONNECTS = Number(process.env.RECONNECTS ?? inSize(10, 30))
const WARM_UP = inSize(10, 20)

let rig: Rig
beforeAll(async () => {
  rig = await startRig()
})
afterAll(() => rig.close())

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

interface Measure {
  heapMb: number
  handles: Record<string, number>
  listeners: number
}

function openHandles(): Record<string, number> {
  const handles: Record<string, number> = {}
  const open = (process as unknown as { getActiveResourcesInfo(): string[] }).getActiveResourcesInfo()
  for (const kind of open) handles[kind] = (handles[kind] ?? 0) + 1
  return handles
}

function measure(hosted: Hosted): Measure {
  // Data that the harness collects does not count as the engine's.
  hosted.storage.commits.length = 0
  hosted.events.length = 0
  hosted.receipts.length = 0
  collectGarbage()
  const handles = openHandles()
  const listeners = process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0)
  return { heapMb: process.memoryUsage().heapUsed / 2 ** 20, handles, listeners }
}

/** Sockets and timers of the last round end soon: the rest stays the same between measurements. */
async function measureCalm(hosted: Hosted): Promise<Measure> {
  let [before, same] = ['', 0]
  return await until(async () => {
    await nextTurn()
    const measured = measure(hosted)
    const handles = JSON.stringify(measured.handles)
    same = handles === before ? same + 1 : 0
    before = handles
    return same >= 20 ? measured : undefined
  })
}

async function reconnect(hosted: Hosted, round: number): Promise<void> {
  hosted.links.length = 0
  if (round % 2 === 0) rig.simulator.faults.streamError(hosted.jid, 'restart')
  else rig.simulator.faults.cut(hosted.jid)
  await hosted.until(() => hosted.links.at(-1)?.state === 'open')
}

test(`${RECONNECTS} reconnects leave no memory, timer or listener behind`, async () => {
  const warnings: string[] = []
  process.on('warning', warning => warnings.push(warning.message))
  const hosted = await rig.link('999100000009')
  const contact = rig.simulator.phone('5511888880009')
  const talk = async (): Promise<void> => {
    await hosted.send(contact.jid, text('still there?'))
    const { id } = await contact.sendTo(hosted.jid, { type: 'text', text: 'yes' })
    await hosted.until(() => hosted.events.some(event => event.kind === 'message' && event.message_id === id))
  }
  for (let round = 0; round < WARM_UP; round += 1) await reconnect(hosted, round)
  await talk()
  const before = await measureCalm(hosted)
  for (let round = 0; round < RECONNECTS; round += 1) {
    await reconnect(hosted, round)
    if (round % 25 === 0) await talk()
  }
  await talk()
  // A query that the library begins when its connection is already closed has a timer of a minute.
  await until(() => {
    const handles = openHandles()
    const isMore = (kind: string) => (handles[kind] ?? 0) > (before.handles[kind] ?? 0) + 3
    return !['TCPSocketWrap', 'TLSWrap', 'Timeout', 'TCPServerWrap'].some(isMore)
  })
  const after = await measureCalm(hosted)
  expect(warnings).toEqual([])
  expect(after.listeners).toBeLessThanOrEqual(before.listeners)
  // Two kilobytes for each is less than any state of a connection.
  expect(after.heapMb - before.heapMb).toBeLessThan(3 + RECONNECTS / 512)
  await hosted.close()
})
