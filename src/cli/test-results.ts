import { paint, printable, table, toJson } from './terminal.ts'

/** The response of a customer's program to a sample. */
export interface TestResult {
  category: string
  url: string
  http_status: number | null
  latency_ms: number
  response_excerpt: string
  error?: string
}

export const isTaken = ({ http_status }: TestResult): boolean =>
  http_status !== null && http_status >= 200 && http_status < 300

export const tableOfTests = (results: TestResult[]): string => table(results.map(rowOf))

function rowOf(result: TestResult): string[] {
  const { category, url, http_status, latency_ms, error, response_excerpt } = result
  const shown = http_status === null ? printable(error ?? 'no answer') : String(http_status)
  const excerpt = isTaken(result) ? '' : toJson(response_excerpt)
  return [category, paint(isTaken(result) ? 'green' : 'red', shown), `${latency_ms} ms`, printable(url), excerpt]
}
