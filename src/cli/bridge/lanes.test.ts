import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { systemClock } from '../../runtime/clock.ts'
import { BridgeLedger, type Job } from '../../store/bridge/bridge-ledger.ts'
import { Seal } from '../../store/seal.ts'
import { Again, Lanes } from './lanes.ts'

let folder: string
let ledger: BridgeLedger
let ending: AbortController
const clock = { ...systemClock, sleep: async () => {} }

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'postern-lanes-'))
  ledger = new BridgeLedger(join(folder, 'bridge.db'), { seal: new Seal([Buffer.alloc(32, 1)]), clock })
  ending = new AbortController()
})
afterEach(() => {
  ledger.close()
  rmSync(folder, { recursive: true })
})

const add = (lane: string, text = 'Hello'): boolean =>
  ledger.add({ kind: 'message', name: `event-${lane}-${text}`, lane, content: { text } })
const lanesOf = (work: (job: Job) => Promise<void>, gaveUp: (job: Job) => void = () => {}): Lanes =>
  new Lanes({ ledger, clock, signal: ending.signal, work, gaveUp, waits: () => {}, goesOn: () => {} })

it('unseals what is worked on, and nothing that waits for its turn', async () => {
  for (let lane = 0; lane < 50; lane++) add(`chat ${lane}`)
  let opened = 0
  const open = ledger.seal.openJson.bind(ledger.seal)
  ledger.seal.openJson = (...given) => (opened++, open(...given)) as never
  let atWork = 0
  const ended = new Promise<void>(resolve => ending.signal.addEventListener('abort', () => resolve()))
  const running = lanesOf(async () => (atWork++, await ended)).run()
  await vi.waitUntil(() => atWork > 0)
  expect([opened, atWork]).toEqual([8, 8])
  ending.abort()
  await running
})

it('keeps what is given up, sealed and counted, and goes on with the next', async () => {
  add('chat 1', 'unwanted')
  add('chat 1', 'wanted')
  const done: unknown[] = []
  const givenUp: unknown[] = []
  const work = async ({ id, content }: Job): Promise<void> => {
    if ((content as { text: string }).text === 'unwanted') throw new Again('Chatwoot answered 422', { isRefused: true })
    done.push(content)
    ledger.finish(id)
    ending.abort()
  }
  await lanesOf(work, job => givenUp.push(job.content)).run()
  expect(done).toEqual([{ text: 'wanted' }])
  expect(givenUp).toEqual([{ text: 'unwanted' }])
  expect([ledger.givenUp(), ledger.waiting()]).toEqual([1, 0])
  expect(ledger.open(1).content).toEqual({ text: 'unwanted' })
})

it('gives up nothing that waits, however often it is tried', async () => {
  add('chat 1')
  let tries = 0
  const work = async (): Promise<void> => {
    if (++tries === 100) ending.abort()
    throw new Again('Chatwoot does not take it now (404)')
  }
  await lanesOf(work).run()
  expect([ledger.givenUp(), ledger.waiting()]).toEqual([0, 1])
})

it('ends where the ledger cannot be unsealed, and gives up nothing', async () => {
  add('chat 1')
  const other = new Seal([Buffer.alloc(32, 2)])
  ledger.seal.openJson = other.openJson.bind(other)
  await expect(lanesOf(async () => {}).run()).rejects.toThrow('does not list')
  expect([ledger.givenUp(), ledger.waiting()]).toEqual([0, 1])
})

it('does what was given up before, once it is brought back, ahead of what came later', async () => {
  add('chat 1', 'given up')
  ledger.giveUp(1)
  add('chat 1', 'later')
  expect(ledger.bringBack()).toBe(1)
  expect(ledger.bringBack()).toBe(0)
  const done: unknown[] = []
  const work = async ({ id, content }: Job): Promise<void> => {
    done.push((content as { text: string }).text)
    ledger.finish(id)
    if (done.length === 2) ending.abort()
  }
  await lanesOf(work).run()
  expect(done).toEqual(['given up', 'later'])
  expect([ledger.givenUp(), ledger.waiting()]).toEqual([0, 0])
})

it('sees what is added to a lane while its last job ends', async () => {
  add('chat 1', '0')
  const done: unknown[] = []
  const lanes = lanesOf(async ({ id, content }) => {
    done.push((content as { text: string }).text)
    ledger.finish(id)
    const more = (): void => {
      add('chat 1', String(done.length))
      lanes.ring()
    }
    // A little later each time: before, in and after the moment in which the lane finds nothing more.
    if (done.length === 12) ending.abort()
    else
      for (let left = done.length, at = Promise.resolve(); left >= 0; left--) at = at.then(left === 0 ? more : () => {})
  })
  await lanes.run()
  expect(done).toEqual(Array.from({ length: 12 }, (_, at) => String(at)))
})

it('asks the ledger for all lanes once, and then for those alone that something was added to', () => {
  for (let lane = 0; lane < 3; lane++) add(`chat ${lane}`)
  expect(ledger.takeLanes()).toEqual(['chat 0', 'chat 1', 'chat 2'])
  expect(ledger.takeLanes()).toEqual([])
  add('chat 1', 'more')
  add('chat 1', 'more')
  expect(ledger.takeLanes()).toEqual(['chat 1'])
})
