import type { RequestOf } from './samples/sample.ts'

/** ```request POST /v1/messages``` of a guide: headers, an empty line and a body, or one of the two. */
export function readRequest(info: string, text: string): RequestOf {
  const [method, path] = info.split(' ') as [string, string]
  const begin = text.trim().startsWith('{') ? 0 : text.indexOf('\n\n')
  const head = begin === -1 ? text : text.slice(0, begin)
  const body = begin === -1 ? '' : text.slice(begin).trim()
  const lines = head.split('\n').filter(line => line !== '')
  const headers = lines.map(line => [line.slice(0, line.indexOf(': ')), line.slice(line.indexOf(': ') + 2)])
  const request = { method, path, headers: Object.fromEntries(headers) as Record<string, string> }
  return body === '' ? request : { ...request, body: JSON.parse(body) as unknown }
}
