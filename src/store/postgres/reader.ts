import type { DatabaseClock } from '../../runtime/database-clock.ts'
import { type Reader, StoreUnavailable, type Value } from '../transaction.ts'
import type { Connections } from './connections.ts'
import { NOW_SQL, postgresAmong, postgresIds, postgresKeys, postgresValues, toDollars } from './dialect.ts'
import { endsConnection, isRetryable } from './failures.ts'

/** A read that deadlocked with a migration is repeated. */
const MAX_TRIES = 5

export function makeReader(connections: Connections, clock?: Pick<DatabaseClock, 'startMeasurement'>): Reader {
  const query = async (sql: string, params: Value[]) => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await connections.read({ ...toDollars(sql), values: params })
      } catch (error) {
        if (isRetryable(error) && attempt < MAX_TRIES) continue
        if (!(error instanceof StoreUnavailable) && (endsConnection(error) || isRetryable(error))) {
          throw new StoreUnavailable((error as Error).message)
        }
        throw error
      }
    }
  }
  return {
    dialect: 'postgres',
    nowSql: NOW_SQL,
    now: async () => {
      const responded = clock?.startMeasurement()
      const { now } = (await query(`select ${NOW_SQL} as now`, [])).rows[0] as { now: number }
      responded?.(now)
      return now
    },
    all: async <R>(sql: string, ...params: Value[]) => (await query(sql, params)).rows as R[],
    get: async <R>(sql: string, ...params: Value[]) => (await query(sql, params)).rows[0] as R | undefined,
    values: postgresValues,
    keys: postgresKeys,
    ids: postgresIds,
    among: postgresAmong,
  }
}
