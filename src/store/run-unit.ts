import { lookUp } from '../domain/look-up.ts'
import type { Tx } from './tx.ts'
import { type AllDoors, allDoors } from './units.ts'
import type { Wire } from './wire.ts'

/** A unit that changes something, by the door that it stands behind. Travels between threads. */
export interface UnitName {
  door: keyof AllDoors
  name: string
}

type Unit = (tx: Tx, input: unknown) => Promise<unknown>

/** Runs one unit inside a transaction. Batches get the items that their callers gave, all at once. */
export async function runUnit(tx: Tx, { door, name }: UnitName, input: unknown): Promise<unknown> {
  const { writes, batches } = allDoors[door]
  const unit = lookUp<Unit>({ ...writes, ...batches } as Record<string, Unit>, name)
  if (unit === undefined) throw new Error(`no unit ${name} behind the door ${door}`)
  return await unit(tx, input)
}

/** How the items of a batch travel between threads, where not as they are. */
export function wireOf({ door, name }: UnitName): Wire | undefined {
  const { wires = {} } = allDoors[door] as { wires?: Record<string, Wire> }
  return lookUp(wires, name)
}
