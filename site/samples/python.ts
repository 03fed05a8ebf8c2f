import { GATEWAY, headersOf, type Notation, type Sample, Variable, written } from './sample.ts'

const quoted = (text: string): string => JSON.stringify(text)

const NOTATION: Notation = {
  text: quoted,
  variable: name => `os.environ["${name}"]`,
  constants: { true: 'True', false: 'False', null: 'None' },
  list: ['[', ']'],
  object: ['{', '}'],
  entry: (name, value) => `${quoted(name)}: ${value}`,
  lastComma: true,
}

export function python(sample: Sample): string {
  const url = [GATEWAY, ...sample.path]
    .map(piece => (piece instanceof Variable ? `{os.environ['${piece.name}']}` : piece))
    .join('')
  const headers = Object.entries(headersOf(sample)).map(
    ([name, value]) => `        ${quoted(name)}: ${quoted(value)},\n`,
  )
  const file = sample.file === undefined ? '' : `    data=open("${sample.file}", "rb").read(),\n`
  const body =
    sample.body === undefined
      ? file
      : `    data=json.dumps(${written(sample.body, NOTATION, '    ', '    ')}).encode(),\n`
  const shown = sample.endless
    ? '    for line in answer:\n        print(line.decode(), end="")'
    : '    print(json.load(answer))'
  return `import json
import os
from urllib.request import Request, urlopen

request = Request(
    f"${url}",
    method="${sample.method}",
    headers={
        "Authorization": f"Bearer {os.environ['${sample.token.name}']}",
${headers.join('')}    },
${body})
with urlopen(request) as answer:
${shown}`.replace(sample.endless && sample.body === undefined ? 'import json\n' : '\0', '')
}
