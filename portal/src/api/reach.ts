import { useSyncExternalStore } from 'react'

const watchers = new Set<() => void>()
let isUnreachable = false

/** Records whether the gateway answered, with whatever status. */
export function noteReached(reached: boolean): void {
  if (isUnreachable === !reached) return
  isUnreachable = !reached
  for (const watch of watchers) watch()
}

/** Requests a small resource that needs no session. */
export async function probe(): Promise<void> {
  try {
    await fetch('/portal/api/sign-in-options')
    noteReached(true)
  } catch {
    noteReached(false)
  }
}

const watch = (watcher: () => void) => {
  watchers.add(watcher)
  return () => void watchers.delete(watcher)
}

/** Whether the last request could not reach the gateway. */
export const useIsUnreachable = (): boolean => useSyncExternalStore(watch, () => isUnreachable)
