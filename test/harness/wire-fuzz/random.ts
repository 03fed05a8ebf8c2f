import { createHash } from 'node:crypto'

/** Random values that are the same for the same seed. */
export interface Random {
  /** From 0 to `below`, exclusive. */
  int(below: number): number
  chance(probability: number): boolean
  pick<T>(items: readonly T[]): T
  bytes(length: number): Buffer
}

/** Each message has its own generator: seed and index suffice to create it again. */
export function randomOf(seed: string, index: number): Random {
  const digest = createHash('sha256').update(`${seed}/${index}`).digest()
  let [a, b, c, d] = [0, 4, 8, 12].map(at => digest.readInt32LE(at)) as [number, number, number, number]
  // sfc32
  const next = (): number => {
    const sum = (a + b + d) | 0
    d = (d + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = ((c << 21) | (c >>> 11)) + sum
    return (sum >>> 0) / 2 ** 32
  }
  const int = (below: number): number => Math.floor(next() * below)
  return {
    int,
    chance: probability => next() < probability,
    pick: items => items[int(items.length)]!,
    bytes: length => Buffer.from(Array.from({ length }, () => int(256))),
  }
}
