/** Numbers of a network, and the hosts alive to share them. */
export interface Shared {
  sessions: number
  hosts: number
}

/** A number that is handed over is without a link for a moment: no more than these at a time. */
const HANDOVERS_AT_ONCE = 8

/** How many a host should run, so that all run about as many. */
const shareOf = ({ sessions, hosts }: Shared): number => Math.ceil(sessions / Math.max(1, hosts))

/** How many more a host may take that holds so many. */
export const roomFor = (held: number, shared: Shared): number => Math.max(0, shareOf(shared) - held)

/** How many a host hands over now: others are alive that run fewer. */
export function surplusOf(held: number, shared: Shared): number {
  if (shared.hosts < 2) return 0
  return Math.min(HANDOVERS_AT_ONCE, Math.max(0, held - shareOf(shared)))
}
