import type { BinaryNode } from '../wire/node.ts'
import { differencesOf } from './judge.ts'
import { KNOWN } from './known-differences.ts'

/** More shapes than clients have; hostile clients must not fill the memory. */
const MAX_SHAPES = 500

/** Compares every stanza of the clients with those of the web client, and counts the differences by their shape. */
export class Judgements {
  /** How many stanzas were compared. */
  judged = 0
  readonly #counts = new Map<string, number>()
  readonly #onNew: (shape: string) => void

  /** `onNew` is called once for each unknown difference. */
  constructor(onNew: (shape: string) => void = () => {}) {
    this.#onNew = onNew
  }

  judge(stanza: BinaryNode): void {
    this.judged += 1
    for (const shape of differencesOf(stanza)) {
      const count = this.#counts.get(shape)
      if (count === undefined && this.#counts.size >= MAX_SHAPES) continue
      this.#counts.set(shape, (count ?? 0) + 1)
      if (count === undefined && !KNOWN.has(shape)) this.#onNew(shape)
    }
  }

  /** The differences that are not known, with their counts. */
  differences(): Array<readonly [shape: string, count: number]> {
    return [...this.#counts].filter(([shape]) => !KNOWN.has(shape))
  }

  /** The known differences that occurred. */
  known(): string[] {
    return [...this.#counts.keys()].filter(shape => KNOWN.has(shape))
  }
}
