import { describe, expect, it } from 'vitest'
import { systemClock } from '../../runtime/clock.ts'
import { makeLog } from '../../observability/log.ts'
import { Signals } from '../../store/signals.ts'
import { until } from '../../../test/harness/until.ts'
import { SharedPoll } from './shared-poll.ts'

function polling(read: (key: string, before: number | undefined) => Promise<number>) {
  const signals = new Signals()
  const deps = { clock: systemClock, log: makeLog('silent'), store: { signals } }
  return { signals, poll: new SharedPoll<number>(deps, { everyMs: 20, topics: ['keys'], read }) }
}

describe('A shared poll', () => {
  it('reads once for all followers of a key, and stops when none is left', async () => {
    const reads: string[] = []
    const { poll } = polling(async (key, before = 0) => {
      reads.push(key)
      return before + 1
    })
    const stopping = new AbortController()
    const received: number[][] = [[], [], []]
    const following = received.map((values, i) =>
      poll.follow(i < 2 ? 'a' : 'b', value => values.push(value), stopping.signal),
    )
    await until(() => received.every(values => values.length >= 3))
    // Each follower has received every value once, and each value was read once.
    for (const values of received) expect(values).toEqual(values.map((_, i) => values[0]! + i))
    expect(reads.filter(key => key === 'a').length).toBeLessThanOrEqual(received[0]!.at(-1)! + 1)
    stopping.abort()
    await Promise.all(following)
    const after = reads.length
    await new Promise(resolve => setTimeout(resolve, 200))
    expect(reads.length).toBeLessThanOrEqual(after + 1)
  })

  it('continues after a failed read, and calls every follower although one of them throws', async () => {
    let reads = 0
    const { poll } = polling(async () => {
      reads++
      if (reads === 1) throw new Error('unreachable')
      return reads
    })
    const stopping = new AbortController()
    const received: number[] = []
    const following = [
      poll.follow(
        'a',
        () => {
          throw new Error('cannot be shown')
        },
        stopping.signal,
      ),
      poll.follow('a', value => received.push(value), stopping.signal),
    ]
    await until(() => received.length >= 2)
    stopping.abort()
    await Promise.all(following)
  })
})
