import type { Worker } from 'node:worker_threads'
import { type Simulator, startSimulator } from '../harness/simulator.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createWorker } from '../../src/worker/worker.ts'
import { type HostingBed, openHosting } from '../harness/hosting.ts'
import { until } from '../harness/until.ts'
import { linkNumber, type StackNumber } from '../harness/whatsapp-stack.ts'
import { takeSandbox } from '../harness/leases.ts'

const NUMBERS = 3
const INCOMING = 60
const OUTGOING = 30

describe('A host thread that ends by an uncaught exception', () => {
  const threads: Worker[] = []
  const remember = (thread: Worker): void => void threads.push(thread)
  const stopping = new AbortController()
  const numbers: StackNumber[] = []
  let bed: HostingBed
  let simulator: Simulator
  let ended: Promise<void>

  beforeAll(async () => {
    simulator = await startSimulator({ timing: { readDelayMs: Number.POSITIVE_INFINITY } })
    bed = await openHosting('sqlite', {
      POSTERN_LEASE_TTL: '10s',
      POSTERN_DISCONNECT_GRACE: '15s',
      POSTERN_ACK_TIMEOUT: '5s',
    })
    await publish(bed, simulator)
    process.on('worker', remember)
    ended = createWorker(bed.context).run(stopping.signal)
    for (let i = 0; i < NUMBERS; i++) numbers.push(await linkNumber(bed, simulator, `99961000000${i}`))
  })
  afterAll(async () => {
    process.off('worker', remember)
    stopping.abort()
    await ended
    await bed.close()
    await simulator.close()
  })

  it('is replaced; its sessions reconnect without an event, and nothing is lost or duplicated', async () => {
    const contact = simulator.phone('5511905000001')
    const sent: string[] = []
    const queued: Array<{ number: StackNumber; platformId: string; messageId: string }> = []
    const crashed = threads.at(-1)!
    const startedBefore = threads.length
    const exited = new Promise<number>(resolve => crashed.once('exit', resolve))
    for (let i = 0; i < INCOMING; i++) {
      const number = numbers[i % NUMBERS]!
      sent.push((await contact.sendTo(number.jid, { type: 'text', text: `in ${i}` })).id)
      if (i % 2 === 0) queued.push({ number, ...(await number.send(contact.jid, `out ${i / 2}`)) })
      // The thread reads a field of the message, which has none.
      if (i === INCOMING / 2) crashed.postMessage(null)
    }
    expect(await exited).toBe(1)
    await until(() => threads.length > startedBefore)
    const messages = () => numbers.flatMap(({ events }) => events.flatMap(one => (one.kind === 'message' ? [one] : [])))
    for (const number of numbers) {
      await number.until(async () => (await bed.store.sessions.getSession(number.jid))?.state === 'connected')
    }
    await until(async () => {
      for (const number of numbers) await number.until(() => true)
      return messages().length >= INCOMING
    })
    for (const { number, messageId } of queued) {
      await number.next('status', event => event.message_id === messageId && event.status === 'sent')
    }
    expect(
      messages()
        .map(event => event.message_id)
        .sort(),
    ).toEqual([...sent].sort())
    expect(queued).toHaveLength(OUTGOING)
    for (const { platformId } of queued) expect(contact.inbox().filter(({ id }) => id === platformId)).toHaveLength(1)
    for (const { events } of numbers)
      expect(events.filter(event => event.kind === 'connection').map(event => event.event)).toEqual(['connected'])
  })
})

/** Stores the network's address where hosts read it. */
async function publish({ store }: HostingBed, { url, rootKey, mediaCa, mediaHost }: Simulator): Promise<void> {
  const lease = await takeSandbox(store, 600_000)
  await store.simulator.publishSimulator({ lease: lease!, address: { url, rootKey, mediaCa, mediaHost } })
}
