import type * as Codes from '../src/domain/error-codes.ts'
import type * as Docs from '../src/http/openapi/error-docs.ts'
import type * as Response from '../src/http/error-response.ts'
import { inline } from './markdown.ts'

export interface ErrorParts {
  ERROR_CODES: typeof Codes.ERROR_CODES
  ERROR_DOCS: typeof Docs.ERROR_DOCS
  STATUS: typeof Response.STATUS
}

/** Every error code with its cure; the `type` of a problem links here. */
export function errorsPage({ ERROR_CODES, ERROR_DOCS, STATUS }: ErrorParts): string {
  const words = (text: string): string => inline(text, () => null)
  const articles = (Object.keys(ERROR_CODES) as Codes.ErrorCode[]).map(
    code => `<article id="${code}">
<h2><a class="anchor" href="#${code}"><code>${code}</code></a> <span class="status">Status ${STATUS[ERROR_CODES[code]]}</span></h2>
<p><b>${words(ERROR_DOCS[code].title)}.</b> ${words(ERROR_DOCS[code].means)}</p>
<p class="cure">${words(ERROR_DOCS[code].cure)}</p>
</article>`,
  )
  return `<p>The body of every error is <code>{"error": "…"}</code>, one text and nothing else. The header
<code>X-Error-Code</code> has one of the codes below, and <code>X-Request-Id</code> the id of the request in the gateway’s log.
To use your own id, send an <code>X-Request-Id</code> of 1 to 128 visible characters. The portal’s
<a href="/requests">API log</a> finds a request by this id.</p>
<p>Send <code>Accept: application/problem+json</code> to get a problem of RFC 9457 instead: <code>type</code> leads to this page,
<code>title</code> is the same for every error with this code, <code>detail</code> says what is wrong in this case,
<code>code</code> is the code below, <code>param</code> is the field at fault, if there is one, and
<code>request_id</code> repeats the header.</p>
<p>The status says what to do: correct a request that got 4xx, wait as long as <code>Retry-After</code> says after a 429, and
<a href="/docs/retries">repeat</a> a request that got 5xx.</p>
<div class="codes">${articles.join('\n')}</div>`
}
