import { expect, it } from 'vitest'
import { afterEnding, type Backoff, type Next, waitAfter } from './backoff.ts'
import type { ClosedKind } from '../../platform.ts'
import type { Ending } from './ending.ts'

const reason = 'why'

const closed = (kind: ClosedKind, more = {}): Next => ({
  kind: 'wait',
  change: { state: 'closed', kind, reason, ...more },
})

it.each<{ ending: Ending; restarts: number; next: Next }>([
  { ending: { kind: 'busy', reason }, restarts: 0, next: closed('busy') },
  { ending: { kind: 'paused', reason, untilMs: 9 }, restarts: 0, next: closed('paused', { untilMs: 9 }) },
  { ending: { kind: 'restart', reason }, restarts: 0, next: { kind: 'again' } },
  { ending: { kind: 'restart', reason }, restarts: 4, next: { kind: 'again' } },
  { ending: { kind: 'restart', reason }, restarts: 5, next: closed('lost') },
  { ending: { kind: 'lost', reason }, restarts: 0, next: closed('lost') },
  { ending: { kind: 'replaced', reason }, restarts: 0, next: closed('replaced') },
  { ending: { kind: 'refused', reason }, restarts: 0, next: closed('refused') },
  {
    ending: { kind: 'logged_out', reason },
    restarts: 0,
    next: { kind: 'over', change: { state: 'logged_out', reason } },
  },
])('after $ending.kind and $restarts restarts comes $next.kind', ({ ending, restarts, next }) =>
  expect(afterEnding(ending, restarts)).toEqual(next),
)

const backoff: Backoff = { lost: [500, 60_000], replaced: [10_000, 300_000] }

it.each<{ kind: Ending['kind']; failures: number; jitter: number; waitMs: number }>([
  { kind: 'lost', failures: 0, jitter: 1, waitMs: 500 },
  { kind: 'lost', failures: 0, jitter: 0, waitMs: 250 },
  { kind: 'lost', failures: 3, jitter: 1, waitMs: 4_000 },
  { kind: 'lost', failures: 1_000, jitter: 1, waitMs: 60_000 },
  { kind: 'restart', failures: 0, jitter: 1, waitMs: 500 },
  { kind: 'replaced', failures: 0, jitter: 1, waitMs: 10_000 },
  { kind: 'replaced', failures: 9, jitter: 0, waitMs: 150_000 },
  { kind: 'busy', failures: 0, jitter: 1, waitMs: 60_000 },
  { kind: 'busy', failures: 9, jitter: 1, waitMs: 900_000 },
  { kind: 'refused', failures: 0, jitter: 0, waitMs: 2 ** 31 - 1 },
])('after $kind and $failures failures the delay is $waitMs ms with jitter $jitter', row =>
  expect(waitAfter(row.kind, row.failures, backoff, row.jitter)).toBe(row.waitMs),
)
