import type { Route } from './route.ts'

/** A request that works once the ids in it are the reader's own; the tests try every one of them. */
export function curlExample(route: Route, publicUrl: string): string {
  const token = route.kind === 'operator' ? '$POSTERN_OPERATOR_TOKEN' : '$API_KEY'
  const query = new URLSearchParams(route.example?.query ?? {}).toString()
  const path = route.path.replace(/:([a-z_]+)/g, '{$1}')
  const lines = [
    `curl ${route.method === 'GET' ? '' : `-X ${route.method} `}"${publicUrl}${path}${query === '' ? '' : `?${query}`}"`,
    `-H "Authorization: Bearer ${token}"`,
    ...Object.entries(route.example?.headers ?? {}).map(([name, value]) => `-H "${name}: ${value}"`),
  ]
  if (route.body !== undefined) {
    lines.push('-H "Content-Type: application/json"', `-d '${JSON.stringify(route.example?.body ?? {})}'`)
  }
  return lines.join(' \\\n  ')
}
