import { useSyncExternalStore } from 'react'

const watchers = new Set<() => void>()
let isAway = false

/** Notes whether the gateway answered, whatever it answered. */
export function noteReached(reached: boolean): void {
  if (isAway === !reached) return
  isAway = !reached
  for (const watch of watchers) watch()
}

/** Asks for something small that everybody may ask for. */
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

/** Whether the gateway could not be reached when it was last asked. */
export const useIsAway = (): boolean => useSyncExternalStore(watch, () => isAway)
