import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Pulse } from './pulse.ts'
import { StoreUnavailable } from './tx.ts'
import { LONGEST_LINE, WaitingLine } from './waiting-line.ts'

const never = new Promise<never>(() => {})

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('Pulse', () => {
  it('a database that answers nothing is silent within a second, and no more once it has answered', async () => {
    const pulse = new Pulse(() => never)
    void pulse.during(() => never)
    expect(pulse.isSilent()).toBe(false)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(pulse.isSilent()).toBe(true)
    pulse.heard()
    expect(pulse.isSilent()).toBe(false)
  })

  it('one that keeps a unit waiting and answers a small question is not', async () => {
    const pulse: Pulse = new Pulse(async () => pulse.heard())
    void pulse.during(() => never)
    for (let i = 0; i < 100; i++) {
      await vi.advanceTimersByTimeAsync(100)
      expect(pulse.isSilent()).toBe(false)
    }
  })

  it('a process that has no time itself says nothing of the database', async () => {
    let nowMs = 0
    const pulse = new Pulse(() => never, { monotonicMs: () => (nowMs += 1_000) })
    void pulse.during(() => never)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(pulse.isSilent()).toBe(false)
  })

  it('one that nobody asks is left alone', async () => {
    const ask = vi.fn(() => never)
    const pulse = new Pulse(ask)
    await pulse.during(async () => pulse.heard())
    await vi.advanceTimersByTimeAsync(10_000)
    expect([ask.mock.calls.length, pulse.isSilent()]).toEqual([0, false])
  })

  it('a silent one is asked again and again, one question at a time, also where nothing else is under way', async () => {
    let answers = false
    const ask = vi.fn(async () => {
      await new Promise(resolve => setTimeout(resolve, 1_000))
      if (answers) pulse.heard()
    })
    const pulse = new Pulse(ask)
    await Promise.all([
      pulse.during(() => new Promise(resolve => setTimeout(resolve, 900))),
      vi.advanceTimersByTimeAsync(5_000),
    ])
    expect(pulse.isSilent()).toBe(true)
    expect(ask.mock.calls.length).toBeLessThan(6)
    answers = true
    await vi.advanceTimersByTimeAsync(2_500)
    expect(pulse.isSilent()).toBe(false)
  })

  it('what may be done twice ends with the silence', async () => {
    const pulse = new Pulse(() => never)
    const read = pulse.unlessSilent(pulse.during(() => never))
    const failed = expect(read).rejects.toThrow(StoreUnavailable)
    await vi.advanceTimersByTimeAsync(1_000)
    await failed
  })
})

describe('WaitingLine', () => {
  function lineOf(pulse?: Pulse) {
    const refused: string[] = []
    const line = new WaitingLine(pulse)
    return { line, refused, join: (name: string) => line.join({ reject: () => refused.push(name) }) }
  }

  it('whoever comes when it is full is refused at once', () => {
    const { line, join, refused } = lineOf()
    for (let i = 0; i < LONGEST_LINE; i++) join('early')
    join('late')
    expect([line.length, refused]).toEqual([LONGEST_LINE, ['late']])
  })

  it('all are let go where the database falls silent, and who comes later at once, until it answers', async () => {
    const pulse = new Pulse(() => never)
    const { line, join, refused } = lineOf(pulse)
    void pulse.during(() => never)
    join('a')
    join('b')
    await vi.advanceTimersByTimeAsync(1_000)
    expect([line.length, refused]).toEqual([0, ['a', 'b']])
    join('c')
    pulse.heard()
    join('d')
    expect([line.length, refused]).toEqual([1, ['a', 'b', 'c']])
  })
})
