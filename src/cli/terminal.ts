import { styleText } from 'node:util'
import type { DatabaseWaitProgress } from '../boot/wait-for-database.ts'

type Style = 'green' | 'red' | 'yellow' | 'dim' | 'bold' | 'cyan'

/** Colours are for people: a file or a pipe gets plain text. NO_COLOR and FORCE_COLOR are heeded. */
export function paint(style: Style, value: string): string {
  return isColoured() ? styleText(style, value) : value
}

function isColoured(): boolean {
  if (process.env['NO_COLOR']) return false
  return process.env['FORCE_COLOR'] ? process.env['FORCE_COLOR'] !== '0' : process.stdout.isTTY === true
}

/** Columns side by side; the last may be as long as it likes. */
export function table(rows: string[][]): string {
  const widths: number[] = []
  for (const row of rows) for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, cell.length)
  return rows
    .map(row => row.map((cell, at) => (at === row.length - 1 ? cell : cell.padEnd(widths[at]!))).join('  '))
    .join('\n')
}

/** What was answered, for a script or for people. */
export function answer<T>(json: boolean | undefined, value: T, forPeople: (value: T) => string): void {
  console.log(json === true ? JSON.stringify(value, null, 2) : forPeople(value))
}

/** What others wrote does nothing to the terminal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not reach a terminal
export const printable = (value: string): string =>
  value.replace(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g, '�')

/** Explains on the terminal why the command does not continue yet. */
export function sayAwaited({ at, reason, waitedMs, limitMs }: DatabaseWaitProgress): void {
  const seconds = (ms: number): number => Math.round(ms / 1_000)
  console.error(
    `postern: waiting for the database at ${at} (${reason}), ${seconds(waitedMs)} of at most ${seconds(limitMs)} s`,
  )
}
