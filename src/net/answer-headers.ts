import type { IncomingHttpHeaders } from 'node:http'
import { getOwn } from '../runtime/get-own.ts'

/** The response headers that history may show, by name. */
export type AnswerHeaders = Readonly<Record<string, string>>

// The patterns let these headers carry nothing but their purpose.
const STRICT: ReadonlyMap<string, RegExp> = new Map([
  ['content-type', /^(application|text)\/(json|problem\+json|plain|html|xml|octet-stream)(; ?charset=[\w-]{1,20})?$/i],
  ['content-length', /^\d{1,12}$/],
  ['date', /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/],
  ['retry-after', /^\d{1,9}$/],
])
// The receiver chooses these texts: they help to explain a failure. Cookies are excluded, since they may be secrets.
const FREE = ['server', 'via', 'location', 'www-authenticate', 'allow', 'x-request-id', 'cf-ray', 'x-amzn-errortype']
const MAX_CHARACTERS = 200

/** The headers that may always be shown. */
export function strictHeaders(headers: IncomingHttpHeaders): AnswerHeaders {
  const shown: Record<string, string> = {}
  for (const [name, form] of STRICT) {
    const value = valueOf(headers, name)
    if (form.test(value)) shown[name] = value
  }
  return shown
}

/** The headers that may repeat the content of the request. */
export function freeHeaders(headers: IncomingHttpHeaders): AnswerHeaders {
  const all = FREE.map(name => [name, withoutQuery(name, valueOf(headers, name))] as const)
  return Object.fromEntries(all.filter(([, value]) => value !== '').map(([name, value]) => [name, printable(value)]))
}

function valueOf(headers: IncomingHttpHeaders, name: string): string {
  const value = getOwn(headers, name) ?? ''
  return typeof value === 'string' ? value : value.join(', ')
}

const printable = (value: string): string => value.slice(0, MAX_CHARACTERS).replace(/[^\x20-\x7e]/gu, '?')

/** The URL in a header may contain a secret in its query, as the webhook's own URL may. */
const withoutQuery = (name: string, value: string): string => (name === 'location' ? value.split(/[?#]/)[0]! : value)
