import { seededRandom } from './seeded-random.mjs'

/** The relative frequency of each kind. The promotion happens once, separately. */
const WEIGHTS = { kill: 6, pause: 5, terminate: 4, cut: 4, silence: 4, restart: 1 }
/** The relative frequency of each role; workers matter most, since they host the numbers. */
const ROLES = { api: 3, worker: 5, dispatcher: 3, simulator: 2 }
/** Pauses and silences can last longer than a lease. */
const LENGTHS_MS = { pause: [500, 14_000], cut: [200, 6_000], silence: [500, 9_000] }

/**
 * Plans all faults from the seed: the time, the kind, the role, the process
 * and the duration. One promotion happens in the second half.
 */
export function planFaults({ seed, lengthMs, everyMs }) {
  const random = seededRandom(seed)
  const promotionMs = random.between(lengthMs * 0.5, lengthMs * 0.7)
  const plan = [{ atMs: promotionMs, kind: 'promotion' }]
  for (let atMs = random.between(0, everyMs); atMs < lengthMs; atMs += random.between(everyMs * 0.3, everyMs * 1.7)) {
    plan.push({ atMs, ...drawFault(random) })
  }
  return plan.sort((a, b) => a.atMs - b.atMs)
}

function drawFault(random) {
  const kind = random.pick(WEIGHTS)
  const [role, which, broken] = [random.pick(ROLES), random.next(), random.next() < 0.5]
  if (kind === 'restart') return { kind, crash: broken }
  const [least, most] = LENGTHS_MS[kind] ?? [0, 0]
  return { kind, role, which, forMs: random.between(least, most), ...(kind === 'silence' && { broken }) }
}
