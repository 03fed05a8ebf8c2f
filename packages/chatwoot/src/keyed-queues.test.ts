import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { systemClock } from '../../../src/runtime/clock.ts'
import { BridgeLedger, type Job } from './ledger.ts'
import { Seal } from '../../../src/store/seal.ts'
import { RetryLater, KeyedQueues } from './keyed-queues.ts'

let folder: string
let ledger: BridgeLedger
let ending: AbortController
const clock = { ...systemClock, sleep: async () => {} }

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'postern-queues-'))
  ledger = new BridgeLedger(join(folder, 'bridge.db'), { seal: new Seal([Buffer.alloc(32, 1)]), clock })
  ending = new AbortController()
})
afterEach(() => {
  ledger.close()
  rmSync(folder, { recursive: true })
})

const add = (queue: string, text = 'Hello'): boolean =>
  ledger.add({ kind: 'message', name: `event-${queue}-${text}`, queue, content: { text } })
const queuesOf = (work: (job: Job) => Promise<void>, onAbandoned: (job: Job) => void = () => {}): KeyedQueues =>
  new KeyedQueues({ ledger, clock, signal: ending.signal, work, onAbandoned, onWaiting: () => {}, onResumed: () => {} })

it('the queues unseal only the jobs that they work on', async () => {
  for (let queue = 0; queue < 50; queue++) add(`chat ${queue}`)
  let opened = 0
  const open = ledger.seal.openJson.bind(ledger.seal)
  ledger.seal.openJson = (...given) => (opened++, open(...given)) as never
  let atWork = 0
  const ended = new Promise<void>(resolve => ending.signal.addEventListener('abort', () => resolve()))
  const running = queuesOf(async () => (atWork++, await ended)).run()
  await expect.poll(() => atWork).toBeGreaterThan(0)
  expect([opened, atWork]).toEqual([8, 8])
  ending.abort()
  await running
})

it('an abandoned job stays sealed and counted, and the queue continues with the next one', async () => {
  add('chat 1', 'unwanted')
  add('chat 1', 'wanted')
  const done: unknown[] = []
  const abandoned: unknown[] = []
  const work = async ({ id, content }: Job): Promise<void> => {
    if ((content as { text: string }).text === 'unwanted')
      throw new RetryLater('Chatwoot answered 422', { isRefused: true })
    done.push(content)
    ledger.finish(id)
    ending.abort()
  }
  await queuesOf(work, job => abandoned.push(job.content)).run()
  expect(done).toEqual([{ text: 'wanted' }])
  expect(abandoned).toEqual([{ text: 'unwanted' }])
  expect([ledger.countAbandoned(), ledger.countWaiting()]).toEqual([1, 0])
  expect(ledger.open(1).content).toEqual({ text: 'unwanted' })
})

it('a job that only has to wait is never abandoned, however often it is retried', async () => {
  add('chat 1')
  let tries = 0
  const work = async (): Promise<void> => {
    if (++tries === 100) ending.abort()
    throw new RetryLater('Chatwoot does not take it now (404)')
  }
  await queuesOf(work).run()
  expect([ledger.countAbandoned(), ledger.countWaiting()]).toEqual([0, 1])
})

it('the queues stop where the ledger cannot be unsealed, and abandon nothing', async () => {
  add('chat 1')
  const other = new Seal([Buffer.alloc(32, 2)])
  ledger.seal.openJson = other.openJson.bind(other)
  await expect(queuesOf(async () => {}).run()).rejects.toThrow('does not list')
  expect([ledger.countAbandoned(), ledger.countWaiting()]).toEqual([0, 1])
})

it('a restored job runs ahead of later jobs of its queue', async () => {
  add('chat 1', 'given up')
  ledger.abandon(1)
  add('chat 1', 'later')
  expect(ledger.restoreAbandoned()).toBe(1)
  expect(ledger.restoreAbandoned()).toBe(0)
  const done: unknown[] = []
  const work = async ({ id, content }: Job): Promise<void> => {
    done.push((content as { text: string }).text)
    ledger.finish(id)
    if (done.length === 2) ending.abort()
  }
  await queuesOf(work).run()
  expect(done).toEqual(['given up', 'later'])
  expect([ledger.countAbandoned(), ledger.countWaiting()]).toEqual([0, 0])
})

it('a job that is added while the last one of its queue ends is performed', async () => {
  add('chat 1', '0')
  const done: unknown[] = []
  const queues = queuesOf(async ({ id, content }) => {
    done.push((content as { text: string }).text)
    ledger.finish(id)
    const more = (): void => {
      add('chat 1', String(done.length))
      queues.wake()
    }
    // A few microtasks later each time: before, while and after the queue finds that it is empty.
    if (done.length === 12) ending.abort()
    else
      for (let left = done.length, at = Promise.resolve(); left >= 0; left--) at = at.then(left === 0 ? more : () => {})
  })
  await queues.run()
  expect(done).toEqual(Array.from({ length: 12 }, (_, at) => String(at)))
})

it('the ledger returns all queues once, and then only those with new jobs', () => {
  for (let queue = 0; queue < 3; queue++) add(`chat ${queue}`)
  expect(ledger.takeQueues()).toEqual(['chat 0', 'chat 1', 'chat 2'])
  expect(ledger.takeQueues()).toEqual([])
  add('chat 1', 'more')
  add('chat 1', 'more')
  expect(ledger.takeQueues()).toEqual(['chat 1'])
})
