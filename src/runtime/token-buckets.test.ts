import { describe, expect, it } from 'vitest'
import { TokenBuckets } from './token-buckets.ts'

const RATE = { perSecond: 1, burst: 10 }

/** Processes that share their buckets through one, as the store keeps it. */
function cluster(size: number) {
  const processes = Array.from({ length: size }, () => new TokenBuckets(RATE, 100))
  const urgent = new Set<TokenBuckets>()
  for (const each of processes) each.shareWith(size, () => urgent.add(each))
  let shared = RATE.burst
  const settle = (each: TokenBuckets): void => {
    for (const { key, n, rate } of each.unsynced()) {
      shared = Math.min(rate.burst, shared - n)
      each.applySynced(key, n, shared, 0)
    }
  }
  const passed = (each: TokenBuckets): number => {
    let n = 0
    while (each.take('a', 0) === 0) n++
    return n
  }
  return { processes, urgent, settle, passed }
}

describe('token buckets that processes share', () => {
  it('let one burst through in each process before a sync, and owe the excess', () => {
    const { processes, settle, passed } = cluster(3)
    expect(processes.map(passed)).toEqual([10, 10, 10])
    processes.forEach(settle)
    // 20 too many at one a second: nothing for twenty seconds, here and at any other.
    expect(processes[2]!.waitMs('a', 20_000)).toBeGreaterThan(0)
  })

  it('leave nothing to a second process that syncs after the first', () => {
    const { processes, settle, passed } = cluster(2)
    const [first, second] = processes as [TokenBuckets, TokenBuckets]
    expect(passed(first)).toBe(10)
    settle(first)
    expect(second.take('a', 0)).toBe(0)
    settle(second)
    expect(passed(second)).toBe(0)
  })

  it('request a sync before all processes together can have let a burst through', () => {
    const { processes, urgent } = cluster(4)
    for (const each of processes) {
      let n = 0
      while (!urgent.has(each)) n += each.take('a', 0) === 0 ? 1 : 0
      expect(n).toBeLessThanOrEqual(RATE.burst / 4)
    }
  })

  it('take returned tokens back, and reset a forgotten key in every process', () => {
    const { processes, settle, passed } = cluster(2)
    const [first, second] = processes as [TokenBuckets, TokenBuckets]
    expect(first.take('a', 0)).toBe(0)
    first.giveBack('a', 0)
    expect(first.unsynced()).toEqual([])
    expect(passed(first)).toBe(10)
    settle(first)
    first.forget('a')
    settle(first)
    second.take('a', 0)
    settle(second)
    expect(passed(second)).toBe(9)
  })
})
