import { GATEWAY, headersOf, type Notation, type Sample, Variable, written } from './sample.ts'

const quoted = (text: string): string => `'${text.replace(/[\\']/g, char => `\\${char}`)}'`

const NOTATION: Notation = {
  text: quoted,
  variable: name => `getenv('${name}')`,
  constants: { true: 'true', false: 'false', null: 'null' },
  list: ['[', ']'],
  object: ['[', ']'],
  entry: (name, value) => `${quoted(name)} => ${value}`,
  lastComma: true,
}

export function php(sample: Sample): string {
  const url = [GATEWAY, ...sample.path]
    .map(piece => (piece instanceof Variable ? `getenv('${piece.name}')` : quoted(piece)))
    .join(' . ')
  const headers = Object.entries(headersOf(sample)).map(([name, value]) => `        ${quoted(`${name}: ${value}`)},\n`)
  const json = sample.body === undefined ? '' : written(sample.body, NOTATION, '    ', '    ')
  const file = sample.file === undefined ? '' : `    'content' => file_get_contents('${sample.file}'),\n`
  // An empty array would become [] instead of an object.
  const body = json === '' ? file : `    'content' => ${json === '[]' ? "'{}'" : `json_encode(${json})`},\n`
  return `<?php
$request = stream_context_create(['http' => [
    'method' => '${sample.method}',
    'header' => [
        'Authorization: Bearer ' . getenv('${sample.token.name}'),
${headers.join('')}    ],
${body}    'ignore_errors' => true,
]]);
readfile(${url}, false, $request);`
}
