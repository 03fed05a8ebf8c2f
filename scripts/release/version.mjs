/** Semantic versions without build metadata. */
const VERSION = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?$/

export const isVersion = text => VERSION.test(text)

/** Negative if `a` comes before `b`. */
export function compareVersions(a, b) {
  const [one, other] = [partsOf(a), partsOf(b)]
  for (let place = 0; place < 3; place++)
    if (one.core[place] !== other.core[place]) return one.core[place] - other.core[place]
  return comparePrereleases(one.prerelease, other.prerelease)
}

function partsOf(version) {
  const found = VERSION.exec(version)
  if (!found) throw new Error(`${version} is not a version: write it as 1.2.3 or 1.2.3-rc.1`)
  return { core: found.slice(1, 4).map(Number), prerelease: found[4]?.split('.') ?? [] }
}

/** A release comes after its prereleases. */
function comparePrereleases(one, other) {
  if (one.length === 0 || other.length === 0) return other.length - one.length
  for (let place = 0; place < Math.max(one.length, other.length); place++) {
    const order = compareIdentifiers(one[place], other[place])
    if (order !== 0) return order
  }
  return 0
}

function compareIdentifiers(one, other) {
  if (one === undefined || other === undefined) return one === undefined ? -1 : 1
  const [isNumber, isOtherNumber] = [one, other].map(text => /^\d+$/.test(text))
  if (isNumber && isOtherNumber) return Number(one) - Number(other)
  if (isNumber !== isOtherNumber) return isNumber ? -1 : 1
  return one < other ? -1 : one > other ? 1 : 0
}
