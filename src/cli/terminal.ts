import { styleText } from 'node:util'
import type { DatabaseWaitProgress } from '../boot/wait-for-database.ts'

type Style = 'green' | 'red' | 'yellow' | 'dim' | 'bold' | 'cyan'

/** Colours text on a terminal; a file or a pipe receives plain text. NO_COLOR and FORCE_COLOR override this. */
export function paint(style: Style, value: string): string {
  return isColoured() ? styleText(style, value) : value
}

function isColoured(): boolean {
  if (process.env['NO_COLOR']) return false
  return process.env['FORCE_COLOR'] ? process.env['FORCE_COLOR'] !== '0' : process.stdout.isTTY === true
}

/** Pads all columns but the last. */
export function table(rows: string[][]): string {
  const widths: number[] = []
  for (const row of rows) for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, cell.length)
  return rows
    .map(row => row.map((cell, at) => (at === row.length - 1 ? cell : cell.padEnd(widths[at]!))).join('  '))
    .join('\n')
}

/** Prints the result, as JSON for a script or as text for people. */
export function printResult<T>(json: boolean | undefined, value: T, forPeople: (value: T) => string): void {
  console.log(json === true ? toJson(value, 2) : forPeople(value))
}

/** Characters that a terminal obeys: controls, which begin commands, and those that change the direction of text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these must not reach a terminal
const COMMANDING = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** Replaces characters that could control the terminal in text from outside. */
export const printable = (value: string): string => value.replace(COMMANDING, '�')

/** JSON for a terminal: the same values, with such characters as escapes. `JSON.stringify` leaves most of them as they are. */
export function toJson(value: unknown, indent?: number): string {
  // Between values there are line breaks, which stay.
  return JSON.stringify(value, null, indent).replace(COMMANDING, character =>
    character === '\n' ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** Explains on the terminal why the command does not continue yet. */
export function printDatabaseWait({ at, reason, waitedMs, limitMs }: DatabaseWaitProgress): void {
  const seconds = (ms: number): number => Math.round(ms / 1_000)
  console.error(
    `postern: waiting for the database at ${at} (${reason}), ${seconds(waitedMs)} of at most ${seconds(limitMs)} s`,
  )
}
