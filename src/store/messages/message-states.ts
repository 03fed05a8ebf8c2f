import { BOUNDS } from '../../domain/bounds.ts'
import type { ListInsert, Tx } from '../transaction.ts'
import { firstOfEach, isReceipt, type KnownMessage, type ProgressStep, stepName } from './progress-steps.ts'

const STATES: ListInsert = {
  table: 'message_states',
  columns: ['message_id', 'state', 'recipient', 'at'],
  unless: { on: 'message_id, state, recipient', key: 3 },
}

/** Inserts the first of each (message, state, recipient) and returns the new steps in order. */
export async function insertNewSteps(
  tx: Tx,
  steps: ProgressStep[],
  known: ReadonlyMap<string, KnownMessage>,
): Promise<ProgressStep[]> {
  const byName = firstOfEach(steps)
  const first = [...byName.values()]
  // A receipt is published whatever their number; beyond the limit it is not stored, so a repeated one is published
  // again.
  const isKept = (step: ProgressStep): boolean =>
    !isReceipt(step) || known.get(step.messageId)!.receipts < BOUNDS.receiptsOfMessage
  const inserted = await insertStates(tx, first.filter(isKept))
  const repeated = await findStates(
    tx,
    first.filter(step => !isKept(step)),
  )
  return [...byName]
    .filter(([name, step]) => (isKept(step) ? inserted.has(name) : !repeated.has(name)))
    .map(([, step]) => step)
}

interface StateName {
  message_id: string
  state: string
  recipient: string
}

/** Returns the names of the new ones. */
async function insertStates(tx: Tx, steps: ProgressStep[]): Promise<Set<string>> {
  const inserted = await tx.insertLists(
    STATES,
    steps.map(({ messageId, state, recipient, atMs }) => [messageId, state, recipient, atMs]),
  )
  return new Set(steps.filter((_, i) => inserted[i]).map(step => stepName(step.messageId, step.state, step.recipient)))
}

/** Returns the names of the known ones. */
async function findStates(tx: Tx, steps: ProgressStep[]): Promise<Set<string>> {
  if (steps.length === 0) return new Set()
  const r = tx.values({ message_id: 'text', state: 'text', recipient: 'text' }, steps.map(rowOf))
  const found = await tx.all<StateName>(
    `select s.message_id, s.state, s.recipient from ${r.sql} r join message_states s
       on s.message_id = r.message_id and s.state = r.state and s.recipient = r.recipient`,
    ...r.params,
  )
  return new Set(found.map(row => stepName(row.message_id, row.state, row.recipient)))
}

const rowOf = ({ messageId, state, recipient }: ProgressStep) => ({ message_id: messageId, state, recipient })
