import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { StallDetector } from './stall-detector.ts'
import { StoreUnavailable } from './transaction.ts'
import { MAX_QUEUED, WaitQueue } from './wait-queue.ts'

const never = new Promise<never>(() => {})

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('Pulse', () => {
  it('a database that answers nothing is silent within a second, and no more once it has answered', async () => {
    const stallDetector = new StallDetector(() => never)
    void stallDetector.during(() => never)
    expect(stallDetector.isStalled()).toBe(false)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(stallDetector.isStalled()).toBe(true)
    stallDetector.responded()
    expect(stallDetector.isStalled()).toBe(false)
  })

  it('a database that delays a transaction and answers a probe is not stalled', async () => {
    const stallDetector: StallDetector = new StallDetector(async () => stallDetector.responded())
    void stallDetector.during(() => never)
    for (let i = 0; i < 100; i++) {
      await vi.advanceTimersByTimeAsync(100)
      expect(stallDetector.isStalled()).toBe(false)
    }
  })

  it('a process that has no time itself says nothing of the database', async () => {
    let nowMs = 0
    const stallDetector = new StallDetector(() => never, { monotonicMs: () => (nowMs += 1_000) })
    void stallDetector.during(() => never)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(stallDetector.isStalled()).toBe(false)
  })

  it('a database without work under way is not probed', async () => {
    const ask = vi.fn(() => never)
    const stallDetector = new StallDetector(ask)
    await stallDetector.during(async () => stallDetector.responded())
    await vi.advanceTimersByTimeAsync(10_000)
    expect([ask.mock.calls.length, stallDetector.isStalled()]).toEqual([0, false])
  })

  it('a silent one is asked again and again, one question at a time, also where nothing else is under way', async () => {
    let answers = false
    const ask = vi.fn(async () => {
      await new Promise(resolve => setTimeout(resolve, 1_000))
      if (answers) stallDetector.responded()
    })
    const stallDetector = new StallDetector(ask)
    await Promise.all([
      stallDetector.during(() => new Promise(resolve => setTimeout(resolve, 900))),
      vi.advanceTimersByTimeAsync(5_000),
    ])
    expect(stallDetector.isStalled()).toBe(true)
    expect(ask.mock.calls.length).toBeLessThan(6)
    answers = true
    await vi.advanceTimersByTimeAsync(2_500)
    expect(stallDetector.isStalled()).toBe(false)
  })

  it('what may be done twice ends with the silence', async () => {
    const stallDetector = new StallDetector(() => never)
    const read = stallDetector.unlessStalled(stallDetector.during(() => never))
    const failed = expect(read).rejects.toThrow(StoreUnavailable)
    await vi.advanceTimersByTimeAsync(1_000)
    await failed
  })
})

describe('WaitingLine', () => {
  function lineOf(stallDetector?: StallDetector) {
    const refused: string[] = []
    const line = new WaitQueue(stallDetector)
    return { line, refused, join: (name: string) => line.join({ reject: () => refused.push(name) }) }
  }

  it('a call that comes when the queue is full is rejected at once', () => {
    const { line, join, refused } = lineOf()
    for (let i = 0; i < MAX_QUEUED; i++) join('early')
    join('late')
    expect([line.length, refused]).toEqual([MAX_QUEUED, ['late']])
  })

  it('all are let go where the database falls silent, and who comes later at once, until it answers', async () => {
    const stallDetector = new StallDetector(() => never)
    const { line, join, refused } = lineOf(stallDetector)
    void stallDetector.during(() => never)
    join('a')
    join('b')
    await vi.advanceTimersByTimeAsync(1_000)
    expect([line.length, refused]).toEqual([0, ['a', 'b']])
    join('c')
    stallDetector.responded()
    join('d')
    expect([line.length, refused]).toEqual([1, ['a', 'b', 'c']])
  })
})
