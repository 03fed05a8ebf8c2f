import { GATEWAY, headersOf, type Notation, type Sample, Variable, written } from './sample.ts'

const quoted = (text: string): string => JSON.stringify(text)

/** Quotes a text for a double-quoted shell string. */
const inShell = (text: string): string => quoted(text).replace(/[$`]/g, char => `\\${char}`)

const notation = (text: (value: string) => string): Notation => ({
  text,
  variable: name => `"$${name}"`,
  constants: { true: 'true', false: 'false', null: 'null' },
  list: ['[', ']'],
  object: ['{ ', ' }'],
  entry: (name, value) => `${quoted(name)}: ${value}`,
  lastComma: false,
})

function mentions(value: Sample['body']): boolean {
  if (value instanceof Variable) return true
  if (value === null || typeof value !== 'object') return false
  return (Array.isArray(value) ? value : Object.values(value)).some(mentions)
}

export function curl(sample: Sample): string {
  const url = [GATEWAY, ...sample.path].map(piece => (piece instanceof Variable ? `$${piece.name}` : piece)).join('')
  const method = sample.method === 'GET' ? '' : `-X ${sample.method} `
  const lines = [
    `curl ${sample.endless ? '-N ' : ''}${method}"${url}"`,
    `-H "Authorization: Bearer $${sample.token.name}"`,
    ...Object.entries(headersOf(sample)).map(([name, value]) => `-H "${name}: ${value}"`),
  ]
  if (sample.file !== undefined) lines.push(`--data-binary @${sample.file}`)
  if (sample.body === undefined) return lines.join(' \\\n  ')
  const own = mentions(sample.body)
  const json = written(sample.body, notation(own ? inShell : quoted), '', '  ')
  return `${[...lines, `-d @- <<${own ? 'JSON' : "'JSON'"}`].join(' \\\n  ')}\n${json}\nJSON`
}
