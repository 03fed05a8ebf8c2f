import { Semaphore } from '../semaphore.ts'
import { groupCommit, type GroupCommitOptions } from './group-commit.ts'

/** The others of a process's few connections are left to whoever waits for nobody. */
const LANES_AT_ONCE = 4

export interface Lanes<I, O> {
  /** Somebody of its lane waits already. */
  isOpen(item: I): boolean
  write(item: I): Promise<O>
}

/** Callers whose items are of one lane share a commit; a lane that has to wait holds up no other. */
export function inLanes<I, O>(
  laneOf: (item: I) => string,
  run: (items: I[]) => Promise<O[]>,
  options: GroupCommitOptions,
): Lanes<I, O> {
  const lanes = new Map<string, { commit: (item: I) => Promise<O>; users: number }>()
  const turns = new Semaphore(LANES_AT_ONCE)
  const commitInTurn = (items: I[]): Promise<O[]> => turns.run(() => run(items))
  return {
    isOpen: item => lanes.has(laneOf(item)),
    write: async item => {
      const name = laneOf(item)
      const lane = lanes.get(name) ?? { commit: groupCommit(commitInTurn, { ...options, inFlight: 1 }), users: 0 }
      lanes.set(name, lane)
      lane.users++
      try {
        return await lane.commit(item)
      } finally {
        if (--lane.users === 0) lanes.delete(name)
      }
    },
  }
}
