import { Semaphore } from '../runtime/semaphore.ts'
import { groupCommit, type GroupCommitOptions } from './group-commit.ts'

/** Keys written at the same time. The remaining connections of the process are reserved for non-blocking writes. */
const MAX_CONCURRENT_KEYS = 4

export interface SerialByKey<I, O> {
  /** Whether another caller already waits with the key of this item. */
  isOpen(item: I): boolean
  write(item: I): Promise<O>
}

/** Callers whose items have the same key share a commit; a key that has to wait delays no other key. */
export function serialByKey<I, O>(
  keyOf: (item: I) => string,
  run: (items: I[]) => Promise<O[]>,
  options: GroupCommitOptions,
): SerialByKey<I, O> {
  const queues = new Map<string, { commit: (item: I) => Promise<O>; users: number }>()
  const slots = new Semaphore(MAX_CONCURRENT_KEYS)
  const commitInSlot = (items: I[]): Promise<O[]> => slots.run(() => run(items))
  return {
    isOpen: item => queues.has(keyOf(item)),
    write: async item => {
      const key = keyOf(item)
      const queue = queues.get(key) ?? { commit: groupCommit(commitInSlot, { ...options, inFlight: 1 }), users: 0 }
      queues.set(key, queue)
      queue.users++
      try {
        return await queue.commit(item)
      } finally {
        if (--queue.users === 0) queues.delete(key)
      }
    },
  }
}
