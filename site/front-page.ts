import { escapeHtml } from './html.ts'
import { type Document, operationsOf, pathOfTag } from './reference/document.ts'

const CARDS: readonly [string, string, string][] = [
  [
    '/docs/sandbox',
    'The sandbox',
    'Numbers with contacts who answer, call and vote. You need no phone, and nothing leaves your machine.',
  ],
  [
    '/docs/sending',
    'Send messages',
    'The request for each content: text, files, polls, buttons, places, reactions, replies.',
  ],
  ['/docs/receiving', 'Receive events', 'The events that your webhook receives, with real payloads.'],
  ['/docs/verifying', 'Verify signatures', 'Check a webhook with a few lines of Node, Python, PHP, Go or bash.'],
  ['/docs/errors', 'Errors and cures', 'Every error code, what it means and what to do about it.'],
  ['/docs/operations', 'Run it', 'Settings, backups, many nodes, metrics and alarms.'],
]

/** The start page: links to guides, then every operation and every event. */
export function frontPage(document: Document): string {
  const cards = CARDS.map(
    ([href, title, words]) => `<a class="card" href="${href}"><strong>${title}</strong><span>${words}</span></a>`,
  )
  const operations = operationsOf(document)
  const groups = document.tags
    .filter(({ name }) => name !== 'Events')
    .map(({ name, description }) => {
      const rows = operations
        .filter(({ tags }) => tags[0] === name)
        .map(
          ({ anchor, method, path, summary }) =>
            `<li id="${anchor}"><a href="${pathOfTag(name)}#${anchor}"><span class="method ${method.toLowerCase()}">${method}</span> <code>${escapeHtml(path)}</code></a><span class="summary">${escapeHtml(summary)}</span></li>`,
        )
      return `<section><h3><a href="${pathOfTag(name)}">${escapeHtml(name)}</a></h3><p>${escapeHtml(description)}</p><ul class="operations">${rows.join('')}</ul></section>`
    })
  const events = Object.entries(document.webhooks).map(
    ([kind, { post }]) =>
      `<li id="event-${kind}"><a href="${pathOfTag('Events')}#event-${kind}"><code>${kind}</code></a><span class="summary">${escapeHtml(post.summary)}</span></li>`,
  )
  return `<div class="hero">
<h1>Your program, on WhatsApp numbers</h1>
<p class="lead">${escapeHtml(document.info.description)} A 2xx response means that your request is on disk.</p>
<p class="actions"><a class="button" href="/docs/quick-start">Quick start</a><a class="button quiet" href="/">Open the portal</a></p>
</div>
<div class="cards">${cards.join('')}</div>
<h2 id="operations"><a class="anchor" href="#operations">Every operation</a></h2>
<p>All operations use one address and JSON. Authenticate with <code>Authorization: Bearer &lt;API key&gt;</code>. Paths below <code>/operator</code> need the operator’s token, <code>POSTERN_OPERATOR_TOKEN</code>. For programs: <a href="/openapi.json">/openapi.json</a>.</p>
${groups.join('\n')}
<h2 id="events"><a class="anchor" href="#events">Every event</a></h2>
<p>The gateway posts events to your webhook URLs, signed. <a href="/docs/receiving">Receive events</a> shows real payloads.</p>
<ul class="operations">${events.join('')}</ul>`
}
