import { diceOf } from './dice.mjs'

/** How often each kind comes, against the others. The promotion comes once by itself. */
const WEIGHTS = { kill: 6, pause: 5, terminate: 4, cut: 4, silence: 4, restart: 1 }
/** How often a process of each role is hit: workers are what numbers hang on. */
const ROLES = { api: 3, worker: 5, dispatcher: 3, simulator: 2 }
/** Pauses and silences go beyond what a lease lasts. */
const LENGTHS_MS = { pause: [500, 14_000], cut: [200, 6_000], silence: [500, 9_000] }

/**
 * What happens when, all of it from the seed: at a mean distance, a kind, the role that is hit, which of its processes,
 * and for how long. One promotion falls into the second half.
 */
export function planFaults({ seed, lengthMs, everyMs }) {
  const dice = diceOf(seed)
  const promotionMs = dice.between(lengthMs * 0.5, lengthMs * 0.7)
  const plan = [{ atMs: promotionMs, kind: 'promotion' }]
  for (let atMs = dice.between(0, everyMs); atMs < lengthMs; atMs += dice.between(everyMs * 0.3, everyMs * 1.7)) {
    plan.push({ atMs, ...drawFault(dice) })
  }
  return plan.sort((a, b) => a.atMs - b.atMs)
}

function drawFault(dice) {
  const kind = dice.pick(WEIGHTS)
  const [role, which, broken] = [dice.pick(ROLES), dice.next(), dice.next() < 0.5]
  if (kind === 'restart') return { kind, crash: broken }
  const [least, most] = LENGTHS_MS[kind] ?? [0, 0]
  return { kind, role, which, forMs: dice.between(least, most), ...(kind === 'silence' && { broken }) }
}
