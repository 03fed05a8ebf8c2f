/** Lanes to be looked at when their time comes, in ticks: one entry for each lane and tick, however many are due. */
export function createWakes(tickMs: number) {
  const ticks = new Map<number, Set<string>>()
  let nextTick = 0

  function at(dueAt: number, lane: string): void {
    const tick = Math.max(Math.ceil(dueAt / tickMs), nextTick)
    const lanes = ticks.get(tick)
    if (lanes === undefined) ticks.set(tick, new Set([lane]))
    else lanes.add(lane)
  }

  /** The lanes whose time has come by now. */
  function take(nowMs: number): Set<string> {
    const last = Math.floor(nowMs / tickMs)
    const due = new Set<string>()
    const passed = last - nextTick < ticks.size ? range(nextTick, last) : [...ticks.keys()].filter(tick => tick <= last)
    for (const tick of passed) {
      for (const lane of ticks.get(tick) ?? []) due.add(lane)
      ticks.delete(tick)
    }
    nextTick = Math.max(nextTick, last + 1)
    return due
  }

  return { at, take }
}

function* range(first: number, last: number): Generator<number> {
  for (let n = first; n <= last; n++) yield n
}
