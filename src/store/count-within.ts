/** How many of the first sizes fit into the limit; at least one, if there is one. */
export function countWithin(sizes: number[], limit: number): number {
  let sum = 0
  const over = sizes.findIndex(size => (sum += size) > limit)
  return over === -1 ? sizes.length : Math.max(over, 1)
}
