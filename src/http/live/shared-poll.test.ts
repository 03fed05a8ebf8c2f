import { describe, expect, it } from 'vitest'
import { systemClock } from '../../runtime/clock.ts'
import { makeLog } from '../../observability/log.ts'
import { Signals } from '../../store/signals.ts'
import { SharedPoll } from './shared-poll.ts'

const untilTrue = async (look: () => boolean): Promise<void> => {
  while (!look()) await new Promise(resolve => setTimeout(resolve, 1))
}

function polling(read: (key: string, before: number | undefined) => Promise<number>) {
  const signals = new Signals()
  const parts = { clock: systemClock, log: makeLog('silent'), store: { signals } }
  return { signals, poll: new SharedPoll<number>(parts, { everyMs: 20, topics: ['keys'], read }) }
}

describe('A shared poll', () => {
  it('reads once for all that follow the same, and no more when nobody follows', async () => {
    const reads: string[] = []
    const { poll } = polling(async (key, before = 0) => {
      reads.push(key)
      return before + 1
    })
    const stopping = new AbortController()
    const heard: number[][] = [[], [], []]
    const following = heard.map((values, i) =>
      poll.follow(i < 2 ? 'a' : 'b', value => values.push(value), stopping.signal),
    )
    await untilTrue(() => heard.every(values => values.length >= 3))
    // Each follower has heard every value once, and each value was read once.
    for (const values of heard) expect(values).toEqual(values.map((_, i) => values[0]! + i))
    expect(reads.filter(key => key === 'a').length).toBeLessThanOrEqual(heard[0]!.at(-1)! + 1)
    stopping.abort()
    await Promise.all(following)
    const after = reads.length
    await new Promise(resolve => setTimeout(resolve, 200))
    expect(reads.length).toBeLessThanOrEqual(after + 1)
  })

  it('goes on after a read that failed, and tells all whatever one of them does', async () => {
    let reads = 0
    const { poll } = polling(async () => {
      reads++
      if (reads === 1) throw new Error('away')
      return reads
    })
    const stopping = new AbortController()
    const heard: number[] = []
    const following = [
      poll.follow(
        'a',
        () => {
          throw new Error('cannot be shown')
        },
        stopping.signal,
      ),
      poll.follow('a', value => heard.push(value), stopping.signal),
    ]
    await untilTrue(() => heard.length >= 2)
    stopping.abort()
    await Promise.all(following)
  })
})
