import { GATEWAY, headersOf, type Notation, type Sample, Variable, written } from './sample.ts'

const quoted = (text: string): string =>
  `'${JSON.stringify(text).slice(1, -1).replace(/\\"/g, '"').replace(/'/g, "\\'")}'`
const named = (name: string): string => (/^[A-Za-z_]\w*$/.test(name) ? name : quoted(name))

const NOTATION: Notation = {
  text: quoted,
  variable: name => `process.env.${name}`,
  constants: { true: 'true', false: 'false', null: 'null' },
  list: ['[', ']'],
  object: ['{ ', ' }'],
  entry: (name, value) => `${named(name)}: ${value}`,
  lastComma: true,
}

export function node(sample: Sample): string {
  const url = [GATEWAY, ...sample.path]
    .map(piece => (piece instanceof Variable ? `\${process.env.${piece.name}}` : piece))
    .join('')
  const headers = Object.entries(headersOf(sample)).map(([name, value]) => `    ${named(name)}: ${quoted(value)},\n`)
  const method = sample.method === 'GET' ? '' : `  method: '${sample.method}',\n`
  const file = sample.file === undefined ? '' : `  body: await readFile('${sample.file}'),\n`
  const loaded = file === '' ? '' : `import { readFile } from 'node:fs/promises'\n\n`
  const body =
    sample.body === undefined ? file : `  body: JSON.stringify(${written(sample.body, NOTATION, '  ', '  ')}),\n`
  const shown = sample.endless
    ? 'for await (const chunk of answer.body) process.stdout.write(chunk)'
    : 'console.log(await answer.json())'
  return `${loaded}const answer = await fetch(\`${url}\`, {
${method}  headers: {
    Authorization: \`Bearer \${process.env.${sample.token.name}}\`,
${headers.join('')}  },
${body}})
${shown}`
}
