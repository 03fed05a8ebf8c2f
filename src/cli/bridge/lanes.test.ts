import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { systemClock } from '../../clock.ts'
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
