import { type AtOnce, BUSY } from './at-once.ts'
import { groupCommit, type GroupCommitOptions } from './group-commit.ts'
import { inLanes } from './in-lanes.ts'

/** How items that a batch has left because somebody holds what they need are written after all. */
export interface Apart<Item = unknown> {
  /** Items of one lane wait for the same. */
  laneOf(item: Item): string
  /** The name of a unit, behind the same door, that waits. */
  unit: string
}

export interface BatchWays {
  /** Through a unit of this name. */
  write: (name: string, items: unknown[]) => Promise<unknown[]>
  /** As one statement, which waits for others or leaves what they hold. */
  writeAtOnce?: ((atOnce: AtOnce, items: unknown[], waits: boolean) => Promise<unknown[]>) | undefined
  atOnce: AtOnce | undefined
  apart: Apart | undefined
}

type Write = (item: unknown) => Promise<unknown>

/** Callers give one item each; those of the same moment share a commit. What one way leaves goes the next. */
export function gather(name: string, ways: BatchWays, options: GroupCommitOptions): Write {
  const { write, writeAtOnce, atOnce, apart } = ways
  const whole = groupCommit((items: unknown[]) => write(name, items), options)
  if (apart === undefined) return whole
  const alone = inLanes(apart.laneOf, items => write(apart.unit, items), options)
  const throughUnit: Write = async item => (await whole(item)) ?? (await alone.write(item))
  if (writeAtOnce === undefined || atOnce === undefined) return throughUnit

  const quick = groupCommit((items: unknown[]) => writeAtOnce(atOnce, items, false), options)
  const waiting = inLanes(apart.laneOf, items => writeAtOnce(atOnce, items, true), options)
  return async item => {
    if (!atOnce.fits(item)) return await throughUnit(item)
    const first = waiting.isOpen(item) ? BUSY : await quick(item)
    const result = first === BUSY ? await waiting.write(item) : first
    return result === undefined || result === BUSY ? await throughUnit(item) : result
  }
}
