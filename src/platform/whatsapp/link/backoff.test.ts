import { expect, it } from 'vitest'
import { afterEnding, type Backoff, type Next, waitAfter } from './backoff.ts'
import type { Ending } from './ending.ts'

const reason = 'why'

it.each<{ kind: Ending['kind']; restarts: number; next: Next }>([
  { kind: 'restart', restarts: 0, next: { kind: 'again' } },
  { kind: 'restart', restarts: 4, next: { kind: 'again' } },
  { kind: 'restart', restarts: 5, next: { kind: 'wait', change: { state: 'closed', reason } } },
  { kind: 'lost', restarts: 0, next: { kind: 'wait', change: { state: 'closed', reason } } },
  { kind: 'replaced', restarts: 0, next: { kind: 'wait', change: { state: 'closed', reason } } },
  { kind: 'refused', restarts: 0, next: { kind: 'wait', change: { state: 'closed', reason } } },
  { kind: 'logged_out', restarts: 0, next: { kind: 'over', change: { state: 'logged_out', reason } } },
])('after $kind and $restarts restarts comes $next.kind', ({ kind, restarts, next }) =>
  expect(afterEnding({ kind, reason }, restarts)).toEqual(next),
)

const backoff: Backoff = { lost: [500, 60_000], replaced: [10_000, 300_000] }

it.each<{ kind: Ending['kind']; failures: number; chance: number; waitMs: number }>([
  { kind: 'lost', failures: 0, chance: 1, waitMs: 500 },
  { kind: 'lost', failures: 0, chance: 0, waitMs: 250 },
  { kind: 'lost', failures: 3, chance: 1, waitMs: 4_000 },
  { kind: 'lost', failures: 1_000, chance: 1, waitMs: 60_000 },
  { kind: 'restart', failures: 0, chance: 1, waitMs: 500 },
  { kind: 'replaced', failures: 0, chance: 1, waitMs: 10_000 },
  { kind: 'replaced', failures: 9, chance: 0, waitMs: 150_000 },
  { kind: 'refused', failures: 0, chance: 0, waitMs: 2 ** 31 - 1 },
])('after $kind, failure $failures in a row, it waits $waitMs ms at a chance of $chance', row =>
  expect(waitAfter(row.kind, row.failures, backoff, row.chance)).toBe(row.waitMs),
)
