import { expect, it } from 'vitest'
import { sessionLease } from '../../domain/lease.ts'
import type { Tx } from '../transaction.ts'
import { forgetTries } from './unfinished-messages.ts'

it('the tries of all messages that ended are forgotten in one statement, and in none where none ended', async () => {
  const written: unknown[] = []
  const tx = {
    values: (_columns: unknown, rows: unknown[]) => ({ sql: '(values)', params: rows }),
    run: async (_sql: string, ...rows: unknown[]) => written.push(rows),
  } as unknown as Tx
  const change = (digits: string, finished: string[]) => ({
    lease: { ...sessionLease(digits), epoch: 1, owner: 'host' },
    finished,
  })
  await forgetTries(tx, [change('1', ['m/a', 'm/b']), change('2', []), change('3', ['m/a'])])
  expect(written).toEqual([
    [
      { session_id: '1', key: 'm/a' },
      { session_id: '1', key: 'm/b' },
      { session_id: '3', key: 'm/a' },
    ],
  ])
  await forgetTries(tx, [change('1', []), { lease: { ...sessionLease('2'), epoch: 1, owner: 'host' } }])
  expect(written).toHaveLength(1)
})
