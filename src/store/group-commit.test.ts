import { describe, expect, it, vi } from 'vitest'
import { groupCommit } from './group-commit.ts'
import { StallDetector } from './stall-detector.ts'
import { DataError, StoreUnavailable } from './transaction.ts'

/** A database that takes one turn of the event loop for a batch and refuses some items. */
function fakeDatabase(isBad: (item: number) => boolean = () => false) {
  const batches: number[][] = []
  let now = 0
  let most = 0
  return {
    batches,
    mostAtOnce: () => most,
    run: async (items: number[]) => {
      batches.push(items)
      most = Math.max(most, ++now)
      await new Promise(resolve => setImmediate(resolve))
      now--
      if (items.some(isBad)) throw new DataError(`bad: ${items.filter(isBad).join()}`)
      return items.map(item => item * 10)
    },
  }
}

describe('groupCommit', () => {
  it('what is asked at once shares a batch, and each gets its own answer', async () => {
    const database = fakeDatabase()
    const call = groupCommit(database.run)
    const answers = await Promise.all(Array.from({ length: 100 }, (_, i) => call(i)))
    expect(answers).toEqual(Array.from({ length: 100 }, (_, i) => i * 10))
    expect(database.batches).toHaveLength(1)
  })

  it('batches are no larger and no more at once than they may be', async () => {
    const database = fakeDatabase()
    const call = groupCommit(database.run, { maxBatch: 16, inFlight: 2, startAt: 256 })
    await Promise.all(Array.from({ length: 1_000 }, (_, i) => call(i)))
    expect(Math.max(...database.batches.map(batch => batch.length))).toBe(16)
    expect(database.mostAtOnce()).toBe(2)
    expect(database.batches.flat()).toEqual(Array.from({ length: 1_000 }, (_, i) => i))
  })

  it('what arrives during a batch shares the next one, which starts before its end only if it is full', async () => {
    const database = fakeDatabase()
    const call = groupCommit(database.run, { maxBatch: 16, inFlight: 2, startAt: 1 })
    await Promise.all(Array.from({ length: 12 }, (_, i) => call(i)))
    expect(database.batches.map(batch => batch.length)).toEqual([1, 11])
    await Promise.all(Array.from({ length: 17 }, (_, i) => call(i)))
    expect(database.batches.map(batch => batch.length)).toEqual([1, 11, 1, 16])
    expect(database.mostAtOnce()).toBe(2)
  })

  it('callers that come back share a batch with those that waited behind it', async () => {
    const database = fakeDatabase()
    const call = groupCommit(database.run, { maxBatch: 256, inFlight: 2, startAt: 64, lookMs: 60_000 })
    const turn = () => new Promise(resolve => setImmediate(resolve))
    const comeBack = async (times: number) => {
      for (let i = 0; i < times; i++) {
        await call(i)
        await turn()
        await turn()
      }
    }
    const first = Array.from({ length: 4 }, () => comeBack(6))
    await turn()
    const second = Array.from({ length: 4 }, () => comeBack(5))
    await Promise.all([...first, ...second])
    expect(database.batches.map(batch => batch.length)).toEqual([4, 8, 8, 8, 8, 8])
  })

  it('a caller that does not come back holds up nobody for long', async () => {
    const database = fakeDatabase()
    const call = groupCommit(database.run)
    await Promise.all([call(1), call(2)])
    await call(3)
    expect(database.batches).toEqual([[1, 2], [3]])
  })

  it('a batch waits a little longer while its callers keep coming back', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate'] })
    try {
      const database = fakeDatabase()
      const call = groupCommit(database.run)
      const answers = [1, 2, 3, 4].map(call)
      await vi.advanceTimersByTimeAsync(1)
      // The fourth does not come back.
      for (const item of [5, 6, 7]) {
        answers.push(call(item))
        await vi.advanceTimersByTimeAsync(1)
      }
      await vi.advanceTimersByTimeAsync(5)
      expect(database.batches).toEqual([
        [1, 2, 3, 4],
        [5, 6, 7],
      ])
      expect(await Promise.all(answers)).toEqual([10, 20, 30, 40, 50, 60, 70])
    } finally {
      vi.useRealTimers()
    }
  })

  it('a batch that is refused for its data is halved until the bad item stands alone', async () => {
    const database = fakeDatabase(item => item === 13 || item === 77)
    const call = groupCommit(database.run)
    const results = await Promise.allSettled(Array.from({ length: 128 }, (_, i) => call(i)))
    results.forEach((result, i) => {
      if (i === 13 || i === 77)
        expect(result).toMatchObject({ status: 'rejected', reason: { name: 'DataError', message: `bad: ${i}` } })
      else expect(result).toEqual({ status: 'fulfilled', value: i * 10 })
    })
    expect(database.batches.length).toBeLessThan(40)
  })

  it('a database that is gone fails the whole batch once: halving would only ask again', async () => {
    let runs = 0
    const call = groupCommit<number, number>(async () => {
      runs++
      throw new StoreUnavailable('gone')
    })
    const results = await Promise.allSettled([1, 2, 3, 4].map(call))
    expect(results.every(result => result.status === 'rejected' && result.reason instanceof StoreUnavailable)).toBe(
      true,
    )
    expect(runs).toBe(1)
  })

  it('goes on after a failure', async () => {
    let broken = true
    const call = groupCommit<number, number>(async items => {
      if (broken) throw new StoreUnavailable('gone')
      return items
    })
    await expect(call(1)).rejects.toThrow('gone')
    broken = false
    expect(await call(2)).toBe(2)
  })

  it('callers that wait behind a batch are rejected when the database stalls, and the batch itself goes on', async () => {
    const never = new Promise<number[]>(() => {})
    const stallDetector = new StallDetector(() => never)
    const run = () => stallDetector.during(() => never)
    const call = groupCommit<number, number>(run, { maxBatch: 1, inFlight: 1, startAt: 1, stallDetector })
    void call(1)
    await expect(call(2)).rejects.toThrow(StoreUnavailable)
    await expect(call(3)).rejects.toThrow(StoreUnavailable)
  })
})
