import { stripVTControlCharacters, styleText } from 'node:util'

const COLOURS = new Map<unknown, Parameters<typeof styleText>[0]>([
  ['debug', 'dim'],
  ['warn', 'yellow'],
  ['error', 'red'],
])

/** Log lines for people: they come in as JSON and go to standard output as short lines, one by one. */
export const prettyStream = (coloured: boolean) => ({
  write(line: string): void {
    process.stdout.write(`${prettyLine(line, coloured)}\n`)
  },
})

/** The time of day, the level where it is not the usual one, the event, then its fields; the stack of an error below. */
export function prettyLine(line: string, coloured: boolean): string {
  const { time, level, msg, err, ...fields } = JSON.parse(line) as Record<string, unknown>
  const paint = (style: Parameters<typeof styleText>[0], text: string): string =>
    coloured ? styleText(style, text, { validateStream: false }) : text
  const colour = COLOURS.get(level)
  const head = [
    paint('dim', new Date(String(time)).toTimeString().slice(0, 8)),
    ...(level === 'info' ? [] : [paint(colour ?? 'bold', String(level))]),
    paint(colour ?? 'bold', shown(msg)),
  ]
  const rest = Object.entries(fields)
    .filter(([, value]) => value !== null && value !== '')
    .map(([name, value]) => `${paint('dim', `${name}=`)}${shown(value)}`)
  return [...head, ...rest].join(' ') + errorLines(err)
}

/** As it is, unless it would be taken for several fields, or do something to a terminal. */
function shown(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value)
  return /^[\p{L}\p{N}\p{P}\p{S}]*$/u.test(value) ? value : JSON.stringify(stripVTControlCharacters(value))
}

function errorLines(error: unknown): string {
  if (typeof error !== 'object' || error === null) return ''
  const { name, message, stack } = error as Record<string, unknown>
  const text = typeof stack === 'string' ? stack : `${String(name ?? 'Error')}: ${String(message)}`
  return text
    .split('\n')
    .map(line => `\n    ${line.trim().replace(/\p{Cc}/gu, '�')}`)
    .join('')
}
