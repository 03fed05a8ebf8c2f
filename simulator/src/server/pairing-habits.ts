import { lookUp } from '../look-up.ts'
import type { Network } from '../world/network.ts'
import type { Pairing } from '../world/pairing.ts'

/** What goes wrong once in every pairing of a number, told by its last digits. */
type Habit = 'swallowed_scan'

const BY_LAST_DIGITS: Readonly<Record<string, Habit>> = {
  '0205': 'swallowed_scan',
}

export function swallowsScan({ faults }: Network, pairing: Pairing, digits: string): boolean {
  return faults.pairing.swallowedScans.take(digits) ?? takesUp(pairing, digits, 'swallowed_scan')
}

/** Whether this is the occasion for a habit of the number: the first in this pairing. */
function takesUp({ habits }: Pairing, digits: string, habit: Habit): boolean {
  if (lookUp(BY_LAST_DIGITS, digits.slice(-4)) !== habit || habits.has(habit)) return false
  habits.add(habit)
  return true
}
