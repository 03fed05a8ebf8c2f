/** A seeded random number generator (mulberry32). */
export function seededRandom(seed) {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), state | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
  return {
    next,
    between: (least, most) => Math.round(least + next() * (most - least)),
    /** One of the names, with a probability by weight. */
    pick: weights => {
      let left = next() * Object.values(weights).reduce((sum, weight) => sum + weight, 0)
      for (const [name, weight] of Object.entries(weights)) {
        left -= weight
        if (left < 0) return name
      }
      return Object.keys(weights).at(-1)
    },
  }
}
