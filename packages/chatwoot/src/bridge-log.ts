import type { Clock } from './clock.ts'

/** Logs the work of a bridge: ids and counts, never content, names, numbers or secrets. */
export class BridgeLog {
  readonly #isJson: boolean
  readonly #clock: Pick<Clock, 'now'>
  readonly #print: LogOutput

  constructor(isJson: boolean, clock: Pick<Clock, 'now'>, print: LogOutput) {
    this.#isJson = isJson
    this.#clock = clock
    this.#print = print
  }

  /** The bridge finished a job. */
  info(event: string, facts: Record<string, string | number>): void {
    if (this.#isJson) return this.#json(event, facts)
    const words = Object.entries(facts).map(([name, value]) => `${name} ${printable(String(value))}`)
    this.#print.out(`${this.#time()}  ${event.padEnd(16)} ${words.join(', ')}`)
  }

  /** The operator should know. */
  warn(event: string, message: string): void {
    if (this.#isJson) return this.#json(event, { message })
    this.#print.error(`${this.#time()}  ${printable(message)}`)
  }

  #json(event: string, facts: Record<string, string | number>): void {
    const safe = (_: string, value: unknown): unknown => (typeof value === 'string' ? printable(value) : value)
    this.#print.out(JSON.stringify({ at: this.#clock.now().toISOString(), event, ...facts }, safe))
  }

  #time(): string {
    return this.#clock.now().toISOString().slice(11, 23)
  }
}

/** Where lines go: the command line prints them. */
export interface LogOutput {
  out(line: string): void
  error(line: string): void
}

/** Replaces characters that would control a terminal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not reach a terminal
const printable = (value: string): string =>
  value.replace(/[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, '\ufffd')
