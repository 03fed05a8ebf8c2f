import type * as Codes from '../src/domain/error-codes.ts'
import type * as Docs from '../src/http/error-docs.ts'
import type * as Response from '../src/http/error-response.ts'
import { inline } from './markdown/inline.ts'

export interface ErrorParts {
  ERROR_CODES: typeof Codes.ERROR_CODES
  ERROR_DOCS: typeof Docs.ERROR_DOCS
  STATUS: typeof Response.STATUS
}

/** Every code with its cure; `doc_url` of an error points here. */
export function errorsPage({ ERROR_CODES, ERROR_DOCS, STATUS }: ErrorParts): string {
  const words = (text: string): string => inline(text, () => null)
  const articles = (Object.keys(ERROR_CODES) as Codes.ErrorCode[]).map(
    code => `<article id="${code}">
<h2><a class="anchor" href="#${code}"><code>${code}</code></a> <span class="status">Status ${STATUS[ERROR_CODES[code]]}</span></h2>
<p>${words(ERROR_DOCS[code].means)}</p>
<p class="cure">${words(ERROR_DOCS[code].cure)}</p>
</article>`,
  )
  return `<p>Every refusal is a JSON object: <code>error</code> says what is wrong in words, <code>code</code> is one of the names
below, <code>param</code> is the field at fault where there is one, <code>doc_url</code> leads here, and
<code>request_id</code> is what the gateway’s log calls the request; the header <code>X-Request-Id</code> of every answer
has it too. Send an <code>X-Request-Id</code> of 1 to 128 visible characters to have it called by your own word. The portal’s
<a href="/requests">API log</a> finds a request by it.</p>
<p>The status says whose turn it is: 4xx is to be corrected, 429 waits as long as <code>Retry-After</code> says, 5xx may be
<a href="/docs/retries">tried again</a>.</p>
<div class="codes">${articles.join('\n')}</div>`
}
