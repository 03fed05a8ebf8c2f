import { expect, test } from 'vitest'
import { NOTHING_WRONG, runLedger } from '../harness/ledger.ts'
import { inSize } from '../harness/matrix.ts'

test('no committed event is lost whatever is killed: one process with every role, on SQLite', async () => {
  const load = inSize({ seconds: 4, rate: 25, kills: 1 }, { seconds: 40, rate: 150, kills: 4 })
  const result = await runLedger(load)
  expect(result).toMatchObject({ ...NOTHING_WRONG, kills: load.kills })
  expect(result.messagesAccepted).toBeGreaterThan(10)
  expect(result.duplicates).toBeLessThanOrEqual(result.uncommittedAtKills as number)
  expect(result.eventsOfMessages).toBeGreaterThanOrEqual(result.messagesAccepted as number)
})
