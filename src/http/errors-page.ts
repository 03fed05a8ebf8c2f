import { ERROR_CODES, type ErrorCode } from '../domain/error-codes.ts'
import { ERROR_DOCS } from './error-docs.ts'
import { STATUS } from './error-response.ts'
import { plainPage } from './portal/plain-pages.ts'

/** Every code with its cure; `doc_url` of an error points here. */
export function renderErrors(): string {
  const codes = (Object.keys(ERROR_CODES) as ErrorCode[]).map(article).join('')
  return plainPage(
    'Errors',
    `<h1>Errors</h1>
<p>Every refusal is a JSON object: <code>error</code> says what is wrong in words, <code>code</code> is one of the names
below, <code>param</code> is the field at fault where there is one, <code>doc_url</code> leads here, and
<code>request_id</code> is what the gateway’s log calls the request; the header <code>X-Request-Id</code> of every answer
has it too. Send an <code>X-Request-Id</code> of 1 to 128 visible characters to have it called by your own word.</p>
<p><a href="/docs">The API reference</a></p>${codes}`,
  )
}

const article = (code: ErrorCode): string => `
<article id="${code}">
<h2><code>${code}</code></h2>
<p class="scope">Status ${STATUS[ERROR_CODES[code]]}</p>
<p>${marked(ERROR_DOCS[code].means)}</p>
<p>${marked(ERROR_DOCS[code].cure)}</p>
</article>`

const marked = (text: string): string => text.replaceAll(/`([^`]+)`/g, '<code>$1</code>')
