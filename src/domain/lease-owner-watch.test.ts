import { expect, it } from 'vitest'
import { type LeaseHeartbeat, heartbeatMs, leaseFreshMs, LeaseOwnerWatch } from './lease-owner-watch.ts'

const TTL_MS = 10_000
const ROUND_MS = heartbeatMs(TTL_MS)

/** Rounds one after the other: what the other's beat was, or `null` if the database did not answer. */
function judge(rounds: Array<number | null>, roundMs = ROUND_MS): string[] {
  const watch = new LeaseOwnerWatch(TTL_MS)
  return rounds.map((beat, i) => {
    if (beat === null) {
      watch.unanswered()
      return 'away'
    }
    const others: LeaseHeartbeat[] = [{ id: 'other', beat }]
    return watch.answered(others, i * roundMs).length > 0 ? 'dead' : 'lives'
  })
}

it.each([
  ['one whose beat moves lives', [1, 2, 3, 4, 5], 'lives lives lives lives lives'],
  ['one that misses four in a row is dead', [1, 1, 1, 1, 1], 'lives lives lives lives dead'],
  ['one that misses three lives', [1, 1, 1, 1, 2, 2], 'lives lives lives lives lives lives'],
  ['a beat that goes back moves too', [5, 3, 5, 3, 5], 'lives lives lives lives lives'],
  [
    'what the database did not answer is no round',
    [1, 1, 1, null, 1, 1, 1],
    'lives lives lives away lives lives lives',
  ],
  [
    'after the database answers again the count restarts',
    [1, null, 1, 1, 1, 1, 1],
    'lives away lives lives lives lives dead',
  ],
])('%s', (_, rounds, said) => expect(judge(rounds).join(' ')).toBe(said))

it('checks in quick succession count as one round', () => {
  expect(judge([1, 1, 1, 1, 1, 1, 1], ROUND_MS / 10)).not.toContain('dead')
})

it('an owner never counts as dead while it may still rely on its leases', () => {
  expect(leaseFreshMs(TTL_MS)).toBeLessThan(4 * ROUND_MS)
})
