import { GATEWAY, headersOf, type Notation, type Sample, Variable, written } from './sample.ts'

const quoted = (text: string): string => JSON.stringify(text)

const NOTATION: Notation = {
  text: quoted,
  variable: name => `os.Getenv("${name}")`,
  constants: { true: 'true', false: 'false', null: 'nil' },
  list: ['[]any{', '}'],
  object: ['map[string]any{', '}'],
  entry: (name, value) => `${quoted(name)}: ${value}`,
  lastComma: true,
}

function packagesOf({ body, file }: Sample): string[] {
  if (file !== undefined) return ['bytes']
  return body === undefined ? [] : ['bytes', 'encoding/json']
}

export function go(sample: Sample): string {
  const url = [GATEWAY, ...sample.path]
    .map(piece => (piece instanceof Variable ? `os.Getenv("${piece.name}")` : quoted(piece)))
    .join('+')
  const headers = Object.entries(headersOf(sample)).map(
    ([name, value]) => `\trequest.Header.Set(${quoted(name)}, ${quoted(value)})\n`,
  )
  const packages = [...packagesOf(sample), 'io', 'log', 'net/http', 'os']
  const body =
    sample.file !== undefined
      ? `\tbody, _ := os.ReadFile(${quoted(sample.file)})\n`
      : sample.body === undefined
        ? ''
        : `\tbody, _ := json.Marshal(${written(sample.body, NOTATION, '\t', '\t')})\n`
  return `package main

import (
${packages.map(name => `\t"${name}"\n`).join('')})

func main() {
${body}\trequest, _ := http.NewRequest("${sample.method}", ${url}, ${body === '' ? 'nil' : 'bytes.NewReader(body)'})
\trequest.Header.Set("Authorization", "Bearer "+os.Getenv("${sample.token.name}"))
${headers.join('')}\tanswer, err := http.DefaultClient.Do(request)
\tif err != nil {
\t\tlog.Fatal(err)
\t}
\tdefer answer.Body.Close()
\tio.Copy(os.Stdout, answer.Body)
}`
}
