/** The most similar name, if one is similar enough. */
export function nearest(given: string, known: readonly string[]): string | undefined {
  const near = known
    .map(name => ({ name, distance: name.startsWith(given) && given.length > 1 ? 1 : distanceOf(given, name) }))
    .filter(({ name, distance }) => distance <= Math.max(1, Math.floor(name.length / 3)))
  return near.sort((a, b) => a.distance - b.distance)[0]?.name
}

/** The edit distance: how many letters to change, add or remove. */
function distanceOf(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (let i = 1; i <= one.length; i++) {
    const next = [i]
    for (let j = 1; j <= other.length; j++) {
      const change = row[j - 1]! + (one[i - 1] === other[j - 1] ? 0 : 1)
      next.push(Math.min(change, row[j]! + 1, next[j - 1]! + 1))
    }
    row = next
  }
  return row[other.length]!
}
