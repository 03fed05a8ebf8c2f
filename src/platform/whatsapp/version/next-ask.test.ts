import { describe, expect, it } from 'vitest'
import { nextAskMs } from './next-ask.ts'

const MINUTE_MS = 60_000

describe('when the version is asked for again', () => {
  it.each([
    ['daily', { isAnswered: true, isNewerWanted: false, failures: 0 }, 1_440],
    ['daily, whatever failed before', { isAnswered: true, isNewerWanted: false, failures: 9 }, 1_440],
    ['after a minute where nobody answered', { isAnswered: false, isNewerWanted: false, failures: 0 }, 1],
    ['later each time', { isAnswered: false, isNewerWanted: false, failures: 3 }, 8],
    ['hourly at last', { isAnswered: false, isNewerWanted: false, failures: 200 }, 60],
    ['soon where a newer one is wanted and not there yet', { isAnswered: true, isNewerWanted: true, failures: 1 }, 2],
  ])('%s', (_what, last, minutes) => {
    expect(nextAskMs(last, 1)).toBe(minutes * MINUTE_MS)
    expect(nextAskMs(last, 0)).toBe(minutes * MINUTE_MS * 0.75)
  })
})
