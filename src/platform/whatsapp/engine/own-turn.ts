/** How long heavy work may hold up a turn of the event loop, and how many pieces it is at most. */
const BUDGET_MS = 20
const PIECES = 16

const waiting: Array<() => void> = []
let turning = false
let endsAtMs = 0

/**
 * Resolves when heavy work may begin. The library decrypts and encrypts without ever waiting for the outside, so a
 * backlog would be done in one turn of the event loop, and the leases of all numbers of the thread would run out
 * meanwhile. Here a turn ends after its budget; who waits has the next.
 */
export function ownTurn(): Promise<void> {
  return new Promise(resolve => {
    waiting.push(resolve)
    if (turning) return
    turning = true
    setImmediate(turn)
  })
}

/** What is begun with setImmediate here happens in the next turn, one after the other with its work in between. */
function turn(): void {
  endsAtMs = performance.now() + BUDGET_MS
  turning = waiting.length > 0
  if (!turning) return
  setImmediate(turn)
  for (let i = Math.min(waiting.length, PIECES); i > 0; i--) setImmediate(begin)
}

function begin(): void {
  if (performance.now() < endsAtMs) waiting.shift()?.()
}
