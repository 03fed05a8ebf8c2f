/** At most `n` at once; the others wait their turn. */
export function createSlots(n: number): () => Promise<() => void> {
  const waiting: Array<() => void> = []
  let free = n

  const release = (): void => {
    const next = waiting.shift()
    if (next === undefined) free++
    else next()
  }
  const once = (): (() => void) => {
    let released = false
    return () => {
      if (released) return
      released = true
      release()
    }
  }
  return async () => {
    if (free > 0) free--
    else await new Promise<void>(resolve => waiting.push(resolve))
    return once()
  }
}
