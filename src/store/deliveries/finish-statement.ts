import type { Lease } from '../../domain/lease.ts'
import { UNDECIDED } from '../deferred.ts'
import { arrayOf } from '../postgres/parameters.ts'
import { MOMENT, type SingleStatement } from '../single-statement.ts'
import type { Fragment } from '../transaction.ts'
import { type AttemptResult, idsOf, type Recorded } from './attempt-result.ts'
import { finishing } from './finish-delivered.ts'

/**
 * Records deliveries that succeeded with one PostgreSQL statement, which commits itself. The rows of the leases are
 * locked first, as in `recordAttempts`; results under another lease, and those whose payload is stored with its event,
 * are left to it.
 */
const SQL = `with ${MOMENT}, given as materialized (
  select * from unnest(?::text[], ?::bigint[], ?::text[], ?::int[]) as g(id, before, made, lease)
), claimed as materialized (
  select * from unnest(?::int[], ?::text[], ?::text[], ?::bigint[], ?::text[]) as c(n, kind, id, epoch, owner)
), held as materialized (
  select c.n from claimed c
  join leases l on l.kind = c.kind and l.id = c.id and l.epoch = c.epoch and l.owner = c.owner
  order by l.kind, l.id for key share of l
), ${finishing(
  '(select g.id, g.before, g.made from given g join held h on h.n = g.lease)',
  ' and d.sealed is not null',
)} select string_agg(id, ' ') as ids from gone`

function finishStatement(results: AttemptResult[]): Fragment {
  const leases = new Map<string, { n: number; lease: Lease }>()
  const placeOf = (lease: Lease): number => {
    const name = `${lease.epoch} ${lease.kind} ${lease.id} ${lease.owner}`
    const known = leases.get(name)
    if (known === undefined) leases.set(name, { n: leases.size, lease })
    return known?.n ?? leases.size - 1
  }
  const places = results.map(({ lease }) => placeOf(lease))
  const claimed = [...leases.values()]
  const params = [
    idsOf(results),
    results.map(({ attemptsBefore }) => attemptsBefore),
    results.map(({ attempts }) => attempts),
    places,
    claimed.map(({ n }) => n),
    claimed.map(({ lease }) => lease.kind),
    claimed.map(({ lease }) => lease.id),
    claimed.map(({ lease }) => lease.epoch),
    claimed.map(({ lease }) => lease.owner),
  ]
  return { sql: SQL, params: params.map(arrayOf) }
}

export const finishSingleStatement: SingleStatement<AttemptResult, Recorded, { ids: string | null }> = {
  fits: ({ next, origin }) => next.kind === 'delivered' && origin === 'event',
  statement: finishStatement,
  outcomes: (results, [row]) => {
    const ids = new Set(row!.ids?.split(' '))
    return {
      results: results.map(({ deliveryId }) => (ids.has(deliveryId) ? { kind: 'recorded', dueAt: null } : UNDECIDED)),
      signals: [],
    }
  },
}
