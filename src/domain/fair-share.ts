/** A host that shares the numbers of a network: how many it runs, and how many it may run. */
export interface Sharer {
  leases: number
  room: number
}

/** The numbers of a network: those that hosts run, and those that wait for a host. */
export interface Shared {
  holders: Sharer[]
  free: number
}

/** A number that is handed over has no link for a moment, so few are handed over at a time, unless there are many. */
const FEW = 8
const MANY = 128
const IN_ROUNDS = 8

/** The lowest cap at which all numbers are run, where each host runs up to the cap or up to its own maximum. */
function levelOf(total: number, rooms: number[]): number {
  let left = total
  const fromLeast = [...rooms].sort((a, b) => a - b)
  for (const [i, room] of fromLeast.entries()) {
    const level = Math.ceil(left / (fromLeast.length - i))
    if (level <= room) return level
    left -= room
  }
  return fromLeast.at(-1) ?? total
}

/** How many numbers a host should run, so that all hosts run about as many. */
function shareOf(room: number, { holders, free }: Shared): number {
  const total = holders.reduce((sum, { leases }) => sum + leases, free)
  const rooms = holders.map(holder => holder.room)
  return Math.min(room, levelOf(total, rooms))
}

/** How many more numbers a host may take. */
export const roomFor = ({ leases, room }: Sharer, shared: Shared): number => Math.max(0, shareOf(room, shared) - leases)

/** How many numbers a host hands over now: only while other hosts run fewer and have taken what was handed over before. */
export function surplusOf({ leases, room }: Sharer, shared: Shared): number {
  if (shared.holders.length < 2 || shared.free > 0) return 0
  const surplus = Math.max(0, leases - shareOf(room, shared))
  return Math.min(surplus, MANY, Math.max(FEW, Math.ceil(surplus / IN_ROUNDS)))
}
