import { getOwn } from '../get-own.ts'
import type { Network } from '../world/network.ts'
import type { Pairing } from '../world/pairing.ts'
import type { CodeFault, HelloRefusal } from './pairing-faults.ts'

/** A fault in every pairing of a number; its last digits decide. */
type Habit = 'swallowed_scan' | 'patience' | 'no_code' | 'retired_code'

const BY_LAST_DIGITS: Readonly<Record<string, Habit>> = {
  '0205': 'swallowed_scan',
  '0400': 'no_code',
  '0410': 'retired_code',
  '0429': 'patience',
}

const NO_CODE: HelloRefusal = { code: 400, text: 'bad-request' }
const PATIENCE: HelloRefusal = { code: 429, text: 'rate-overlimit', backoff: '3' }

export function swallowsScan({ faults }: Network, pairing: Pairing, digits: string): boolean {
  return faults.pairing.swallowedScans.take(digits) ?? isFirst(pairing, digits, 'swallowed_scan')
}

/** Why the server gives the number no code, if it does not. */
export function helloRefusal({ faults }: Network, pairing: Pairing, digits: string): HelloRefusal | undefined {
  const planned = faults.pairing.refusedCodes.take(digits)
  if (planned !== undefined) return planned
  if (habitOf(digits) === 'no_code') return NO_CODE
  return isFirst(pairing, digits, 'patience') ? PATIENCE : undefined
}

export function codeFault({ faults }: Network, pairing: Pairing, digits: string): CodeFault | undefined {
  return faults.pairing.typedCodes.take(digits) ?? (isFirst(pairing, digits, 'retired_code') ? 'retired' : undefined)
}

const habitOf = (digits: string): Habit | undefined => getOwn(BY_LAST_DIGITS, digits.slice(-4))

/** Whether the number has this habit and it is the first time in this pairing. */
function isFirst({ habits }: Pairing, digits: string, habit: Habit): boolean {
  if (habitOf(digits) !== habit || habits.has(habit)) return false
  habits.add(habit)
  return true
}
