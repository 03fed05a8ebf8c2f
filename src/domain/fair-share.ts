/** How many numbers of a network a host runs, and how many it may run. */
export interface LeaseShare {
  leases: number
  room: number
}

/** The numbers of a network: those that hosts run, and those that wait for a host. */
export interface LeasePool {
  owners: LeaseShare[]
  free: number
}

/** A number that is handed over has no link for a moment, so few are handed over at a time, unless there are many. */
const MIN_HANDED_OVER = 8
const MAX_HANDED_OVER = 128
const ROUNDS = 8

/** The lowest cap that still lets the hosts run all numbers, if each runs up to the cap or up to its own maximum. */
function capOf(total: number, rooms: number[]): number {
  let left = total
  const fromLeast = [...rooms].sort((a, b) => a - b)
  for (const [i, room] of fromLeast.entries()) {
    const cap = Math.ceil(left / (fromLeast.length - i))
    if (cap <= room) return cap
    left -= room
  }
  return fromLeast.at(-1) ?? total
}

/** How many numbers a host should run, so that all hosts run about as many. */
function shareOf(room: number, { owners, free }: LeasePool): number {
  const total = owners.reduce((sum, { leases }) => sum + leases, free)
  const rooms = owners.map(owner => owner.room)
  return Math.min(room, capOf(total, rooms))
}

/** How many more numbers a host may take. */
export const roomFor = ({ leases, room }: LeaseShare, pool: LeasePool): number =>
  Math.max(0, shareOf(room, pool) - leases)

/** How many numbers a host hands over now: only while other hosts run fewer and have taken what was handed over before. */
export function surplusOf({ leases, room }: LeaseShare, pool: LeasePool): number {
  if (pool.owners.length < 2 || pool.free > 0) return 0
  const surplus = Math.max(0, leases - shareOf(room, pool))
  return Math.min(surplus, MAX_HANDED_OVER, Math.max(MIN_HANDED_OVER, Math.ceil(surplus / ROUNDS)))
}
