const waiting: Array<() => void> = []

/**
 * Resolves in a turn of the event loop that no other piece of heavy work has. The library decrypts and encrypts
 * without ever waiting for the outside, so a backlog would be done in one turn, and the leases of all numbers of the
 * thread would run out meanwhile.
 */
export function ownTurn(): Promise<void> {
  return new Promise(resolve => {
    waiting.push(resolve)
    if (waiting.length === 1) setImmediate(next)
  })
}

function next(): void {
  waiting.shift()?.()
  if (waiting.length > 0) setImmediate(next)
}
