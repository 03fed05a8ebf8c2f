import { styleText } from 'node:util'

const COLOURS = new Map<unknown, Parameters<typeof styleText>[0]>([
  ['debug', 'dim'],
  ['warn', 'yellow'],
  ['error', 'red'],
])

/** The time of day, the level if it is not the usual one, the event, then its fields; the stack of an error below. */
export function prettyLine(line: string, coloured: boolean): string {
  const { time, level, msg, err, ...fields } = JSON.parse(line) as Record<string, unknown>
  const paint = (style: Parameters<typeof styleText>[0], text: string): string =>
    coloured ? styleText(style, text, { validateStream: false }) : text
  const colour = COLOURS.get(level)
  const head = [
    paint('dim', new Date(String(time)).toTimeString().slice(0, 8)),
    ...(level === 'info' ? [] : [paint(colour ?? 'bold', shown(level))]),
    paint(colour ?? 'bold', shown(msg)),
  ]
  const rest = Object.entries(fields)
    .filter(([, value]) => value !== null && value !== '')
    .map(([name, value]) => `${paint('dim', `${shown(name)}=`)}${shown(value)}`)
  return [...head, ...rest].join(' ') + errorLines(err)
}

/** As it is, unless it could be read as several fields or holds characters that a terminal obeys. */
function shown(value: unknown): string {
  if (typeof value === 'string' && /^[\p{L}\p{N}\p{P}\p{S}]*$/u.test(value)) return value
  return escaped(JSON.stringify(value))
}

/** Controls, bidirectional marks, line separators and whatever else has no glyph, each as \u and four digits. */
function escaped(text: string): string {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, character =>
    Array.from({ length: character.length }, (_, n) => character.charCodeAt(n).toString(16))
      .map(digits => `\\u${digits.padStart(4, '0')}`)
      .join(''),
  )
}

function errorLines(error: unknown): string {
  if (typeof error !== 'object' || error === null) return ''
  const { name, message, stack } = error as Record<string, unknown>
  const text = typeof stack === 'string' ? stack : `${String(name ?? 'Error')}: ${String(message)}`
  return text
    .split('\n')
    .map(line => `\n    ${escaped(line.trim())}`)
    .join('')
}
