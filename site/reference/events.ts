import { codeFigure } from '../code.ts'
import { escapeHtml } from '../html.ts'
import { inline } from '../markdown.ts'
import type { Document } from './document.ts'
import { fieldList } from './fields.ts'

/** Recorded webhook payloads of a sandbox run, by kind and type. */
export type Payloads = Record<string, unknown>

/** The payload as JSON, with long texts such as base64 files shortened. */
export const shortened = (payload: unknown): string =>
  JSON.stringify(
    payload,
    (_name, value: unknown) => (typeof value === 'string' && value.length > 120 ? `${value.slice(0, 80)}…` : value),
    2,
  )

export function renderEvent(document: Document, kind: string, payloads: Payloads): string {
  const { post } = document.webhooks[kind]!
  const content = post.requestBody!.content['application/json']!
  const [name, payload] = Object.entries(payloads).find(([key]) => key === kind || key.startsWith(`${kind}.`)) ?? [
    kind,
    content.example,
  ]
  return `<article class="operation" id="event-${kind}">
<div class="about">
<h2><a class="anchor" href="#event-${kind}"><code>${kind}</code></a></h2>
<p>${escapeHtml(post.summary)}. ${inline(post.description ?? '', () => null)} <a href="/docs/receiving#${kind}">Real payloads</a></p>
${fieldList(document, 'Fields', content.schema)}
</div>
<div class="shown">${codeFigure({ language: 'json', text: shortened(payload), label: name })}</div>
</article>`
}
