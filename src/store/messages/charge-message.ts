import type { Tx } from '../transaction.ts'
import { addUsage } from '../usage/usage.ts'
import {
  isLimited,
  lockMeters,
  type MessageLimits,
  type MeterRejection,
  saveMeters,
  takeForMessage,
} from './message-meters.ts'

/** Charges an account for a message that never waits in the queue; returns why its limits reject it. */
export async function chargeMessage(
  tx: Tx,
  { accountId, limits }: { accountId: string; limits: MessageLimits },
): Promise<MeterRejection | undefined> {
  if (isLimited(limits)) {
    const meters = await lockMeters(tx, [accountId])
    const rejection = takeForMessage(meters, accountId, { ...limits, waiting: null }, tx.nowMs)
    if (rejection !== undefined) return rejection
    const meter = meters.get(accountId)
    if (meter !== undefined) meter.waiting--
    await saveMeters(tx, meters)
  }
  await addUsage(tx, [{ accountId, metric: 'accepted', n: 1 }])
  return undefined
}
