/** Who shares the numbers of a network: how many each holds, and how many it may hold. */
export interface Sharer {
  leases: number
  room: number
}

/** The numbers of a network: those that somebody holds, and those that wait for a host. */
export interface Shared {
  holders: Sharer[]
  free: number
}

/** A number that is handed over is without a link for a moment: few at a time, unless there is much to hand over. */
const FEW = 8
const MANY = 128
const IN_ROUNDS = 8

/** So many that all are held if everybody holds that many, or as many as it may where that is less. */
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

/** How many a host should run, so that all run about as many. */
function shareOf(room: number, { holders, free }: Shared): number {
  const total = holders.reduce((sum, { leases }) => sum + leases, free)
  const rooms = holders.map(holder => holder.room)
  return Math.min(room, levelOf(total, rooms))
}

/** How many more a host may take that holds so many, and may hold so many. */
export const roomFor = ({ leases, room }: Sharer, shared: Shared): number => Math.max(0, shareOf(room, shared) - leases)

/** How many a host hands over now: others are alive that run fewer, and have taken what was handed over before. */
export function surplusOf({ leases, room }: Sharer, shared: Shared): number {
  if (shared.holders.length < 2 || shared.free > 0) return 0
  const surplus = Math.max(0, leases - shareOf(room, shared))
  return Math.min(surplus, MANY, Math.max(FEW, Math.ceil(surplus / IN_ROUNDS)))
}
