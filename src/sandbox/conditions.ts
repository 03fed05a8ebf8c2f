import type { Simulator } from '#simulator'
import type { SandboxConditions } from '../domain/sandbox.ts'

/** How things stand around the number, and with one of its contacts. */
export function conditionsOf(simulator: Simulator, number: string, contact: string | null): SandboxConditions {
  const phone = contact === null ? undefined : simulator.phones().find(({ digits }) => digits === contact)
  return {
    cutUntilMs: simulator.faults.cutUntil(number),
    online: phone?.isOnline(number) ?? false,
    readReceipts: phone?.readsFrom(number) ?? true,
  }
}
