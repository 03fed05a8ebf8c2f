import { expect, it } from 'vitest'
import { aloneLeaseMs, type LeaseHeartbeat, heartbeatMs, leaseFreshMs, LeaseOwnerWatch } from './lease-owner-watch.ts'

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

it('an owner that promises rarer heartbeats has as many of them to miss', () => {
  const watch = new LeaseOwnerWatch(TTL_MS)
  const others: LeaseHeartbeat[] = [{ id: 'other', beat: 1, leaseMs: 3 * TTL_MS }]
  const deadAt = Array.from({ length: 20 }, (_, i) => i).find(i => watch.answered(others, i * ROUND_MS).length > 0)!
  expect(deadAt).toBe(12)
  expect(deadAt * ROUND_MS).toBeGreaterThan(leaseFreshMs(3 * TTL_MS))
})

it('an owner that no other process can join promises rarer heartbeats until another owner comes', () => {
  const watch = new LeaseOwnerWatch(TTL_MS, 3 * TTL_MS)
  const promised = [watch.leaseMs]
  for (const others of [[], [{ id: 'other', beat: 1 }], []]) {
    watch.answered(others, promised.length * ROUND_MS)
    promised.push(watch.leaseMs)
  }
  expect(promised).toEqual([TTL_MS, 3 * TTL_MS, TTL_MS, 3 * TTL_MS])
})

it.each([
  ['three times the time of a lease', 75_000, 30_000],
  ['less than the time after which it gives them up', 20_000, 20_000],
  ['never less than the time of a lease', 5_000, 10_000],
])('the leases of an owner that is alone last %s', (_, outageMs, ms) => {
  expect(aloneLeaseMs({ leaseTtlMs: TTL_MS, outageMs })).toBe(ms)
})

it('an owner that other processes can join promises the same heartbeats when it is alone', () => {
  const watch = new LeaseOwnerWatch(TTL_MS)
  watch.answered([], ROUND_MS)
  expect(watch.leaseMs).toBe(TTL_MS)
})
