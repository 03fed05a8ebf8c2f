import type { DueCommand } from '../store/units/commands/command-queue.ts'

export interface Lane {
  readonly name: string
  /** The first is the one under way while it is busy. */
  readonly waiting: DueCommand[]
  /** One of its commands is under way. */
  busy: boolean
  /** Nothing of it begins before this time. */
  notBeforeMs: number
}

/** Commands that wait in memory: a window of each lane, from its head on. The rest stays in the store. */
export interface CommandLanes {
  /**
   * Adds what was read from the store, oldest first; what is here already is passed over. Answers whether all of the
   * rest has found room.
   */
  add(commands: DueCommand[]): boolean
  /** Lets the lane go on to its next command. */
  leave(lane: Lane, command: DueCommand): void
  /** The store does not have the command any more. */
  forget(command: DueCommand): void
  /** Lanes that take no more now: reading leaves them out. */
  crowded(nowMs: number): string[]
  /** How many lanes could begin a command now. */
  ready(nowMs: number): number
  lanes(): Iterable<Lane>
  /** Ids of the commands in memory, those under way among them. */
  ids(): string[]
}

const WINDOW = 8
const REMEMBERED = 512

export function createCommandLanes(): CommandLanes {
  const lanes = new Map<string, Lane>()
  const known = new Set<string>()
  // A read that began before a command ended still brings it: what ended lately is passed over too.
  const ended = new Set<string>()

  function laneOf(name: string): Lane {
    let lane = lanes.get(name)
    if (lane === undefined) {
      lane = { name, waiting: [], busy: false, notBeforeMs: 0 }
      lanes.set(name, lane)
    }
    return lane
  }

  const isCrowded = (lane: Lane, nowMs: number): boolean => lane.waiting.length >= WINDOW || lane.notBeforeMs > nowMs

  const isReady = (lane: Lane, nowMs: number): boolean =>
    !lane.busy && lane.notBeforeMs <= nowMs && lane.waiting.length > 0

  return {
    ids: () => [...known],
    ready: nowMs => {
      let count = 0
      for (const lane of lanes.values()) if (isReady(lane, nowMs)) count++
      return count
    },
    add(commands) {
      let fits = true
      for (const command of commands) {
        if (known.has(command.id) || ended.has(command.id)) continue
        const lane = laneOf(command.queue)
        if (lane.waiting.length >= WINDOW) {
          fits = false
          continue
        }
        known.add(command.id)
        lane.waiting.push(command)
      }
      return fits
    },
    leave(lane, command) {
      const at = lane.waiting.indexOf(command)
      if (at >= 0) lane.waiting.splice(at, 1)
      lane.busy = false
      lane.notBeforeMs = 0
      if (lane.waiting.length === 0) lanes.delete(lane.name)
    },
    forget(command) {
      known.delete(command.id)
      ended.add(command.id)
      if (ended.size > REMEMBERED) ended.delete(ended.values().next().value!)
    },
    crowded: nowMs => [...lanes.values()].filter(lane => isCrowded(lane, nowMs)).map(lane => lane.name),
    lanes: () => lanes.values(),
  }
}
