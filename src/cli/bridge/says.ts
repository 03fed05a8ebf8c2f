import type { Clock } from '../../runtime/clock.ts'
import { printable } from '../terminal.ts'

/** What a bridge says of its work: ids and counts, never content, names, numbers or secrets. */
export class Says {
  readonly #isJson: boolean
  readonly #clock: Pick<Clock, 'now'>

  constructor(isJson: boolean, clock: Pick<Clock, 'now'>) {
    this.#isJson = isJson
    this.#clock = clock
  }

  /** Something was done. */
  done(event: string, facts: Record<string, string | number>): void {
    if (this.#isJson) return this.#json(event, facts)
    const words = Object.entries(facts).map(([name, value]) => `${name} ${printable(String(value))}`)
    console.log(`${this.#time()}  ${event.padEnd(16)} ${words.join(', ')}`)
  }

  /** Something that somebody should know. */
  news(event: string, words: string): void {
    if (this.#isJson) return this.#json(event, { message: words })
    console.error(`${this.#time()}  ${printable(words)}`)
  }

  #json(event: string, facts: Record<string, string | number>): void {
    const safe = (_: string, value: unknown): unknown => (typeof value === 'string' ? printable(value) : value)
    console.log(JSON.stringify({ at: this.#clock.now().toISOString(), event, ...facts }, safe))
  }

  #time(): string {
    return this.#clock.now().toISOString().slice(11, 23)
  }
}
