import { expect, test } from 'vitest'
import { NOTHING_WRONG, runLedger } from '../harness/ledger.ts'

test('no committed event is lost whatever is killed: separate processes on PostgreSQL, which is itself restarted', async () => {
  const result = await runLedger({ seconds: 25, rate: 150, kills: 2 }, '--separate', '--postgres')
  expect(result).toMatchObject({ ...NOTHING_WRONG, kills: 2, restarts: 1 })
})
