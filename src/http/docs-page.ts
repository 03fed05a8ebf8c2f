import { lookUp } from '../domain/look-up.ts'
import { VERSION } from '../version.ts'
import { curlExample } from './docs-example.ts'
import { eventSchemas } from './event-schemas.ts'
import { errorsOf, MEANING, neededScope } from './openapi.ts'
import type { AnyRoute, Route } from './route.ts'
import { accountRoutes, operatorRoutes } from './routes.ts'

/** The reference as one page of plain HTML: readable offline, without a script. */
export function renderDocs(publicUrl: string): string {
  const groups = groupByTag([...accountRoutes, ...operatorRoutes])
  const nav = [...groups].map(([tag, routes]) =>
    navGroup(
      tag,
      routes.map(route => [anchorOf(route), `${route.method} ${shownPath(route)}`]),
    ),
  )
  const events = Object.keys(eventSchemas).map(kind => [`event-${kind}`, kind] as [string, string])
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Postern API reference</title>
<link rel="stylesheet" href="/docs/style.css">
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<nav aria-label="Operations"><p class="brand">Postern <span>${VERSION}</span></p>${nav.join('')}${navGroup('Events', events)}</nav>
<main id="content">
${intro(publicUrl)}
${errors()}
${[...groups].map(([tag, routes]) => `<section><h2>${escape(tag)}</h2>${routes.map(route => operation(route, publicUrl)).join('')}</section>`).join('')}
<section><h2>Events</h2>
<p>Posted to your webhook URLs as JSON, signed. Answer with a 2xx status to take one; anything else is tried again three
times, after about 30 seconds, 5 minutes and 30 minutes unless <code>POSTERN_RETRY_DELAYS</code> says otherwise. Remove
duplicates by <code>X-Message-ID</code>, those of a <code>message</code> together with its <code>chat_jid</code>.</p>
${Object.entries(eventSchemas)
  .map(([kind, event]) => eventArticle(kind, event.summary, event.category, event.schema))
  .join('')}</section>
</main>
</body>
</html>`
}

function groupByTag(routes: AnyRoute[]): Map<string, AnyRoute[]> {
  const groups = new Map<string, AnyRoute[]>()
  for (const route of routes) groups.set(route.tag, [...(groups.get(route.tag) ?? []), route])
  return groups
}

const navGroup = (title: string, links: Array<[string, string]>): string =>
  `<h3>${escape(title)}</h3><ul>${links.map(([anchor, label]) => `<li><a href="#${anchor}">${escape(label)}</a></li>`).join('')}</ul>`

const intro = (publicUrl: string): string => `<header>
<h1>API reference</h1>
<p>Base address <code>${escape(publicUrl)}</code>. Every request carries <code>Authorization: Bearer &lt;API_KEY&gt;</code>;
below <code>/operator</code> it is the operator's token, <code>POSTERN_OPERATOR_TOKEN</code>, instead. Bodies are JSON. The same
as a document for machines: <a href="/openapi.json">/openapi.json</a>.</p>
</header>`

const errors = (): string => `<section><h2>Errors</h2>
<p>Every failure is <code>{"error": "…", "code": "…", "doc_url": "…", "request_id": "…"}</code>, with <code>param</code> where a
field is at fault and a status that says whose turn it is: 4xx is to be corrected, 5xx may be retried. Each operation lists
its own; <a href="/docs/errors">every code with its cure</a> has a page.</p>
<div class="scroll" tabindex="0" role="region" aria-label="Errors"><table><thead><tr><th scope="col">Status</th><th scope="col">Meaning</th></tr></thead><tbody>${Object.entries(
  MEANING,
)
  .filter(([status]) => Number(status) >= 400)
  .map(([status, meaning]) => `<tr><td><code>${status}</code></td><td>${escape(meaning)}</td></tr>`)
  .join('')}</tbody></table></div></section>`

function operation(route: AnyRoute, publicUrl: string): string {
  const needed = neededScope(route)
  const needs = route.kind === 'operator' ? 'the operator’s token' : needed && `the scope <code>${needed}</code>`
  const scope = needs === null ? '' : `<p class="scope">Needs ${needs}.</p>`
  return `<article id="${anchorOf(route)}">
<h3><span class="method ${route.method.toLowerCase()}">${route.method}</span> <code>${escape(shownPath(route))}</code></h3>
<p>${escape(route.summary)}.${route.description === undefined ? '' : ` ${escape(route.description)}`}</p>${scope}
${fieldTable('Path', route.params)}${fieldTable('Query', route.query)}${fieldTable('Headers', route.headers)}${fieldTable('Body', route.body)}
<pre tabindex="0" aria-label="Example request"><code>${escape(curlExample(route, publicUrl))}</code></pre>
${fieldTable(`Answer ${route.status}`, route.response)}
<p class="scope">Errors: ${errorsOf(route).join(', ')}</p>
</article>`
}

const eventArticle = (
  kind: string,
  summary: string,
  category: string,
  schema: unknown,
): string => `<article id="event-${kind}">
<h3><code>${kind}</code></h3>
<p>${escape(summary)}. Sent to <code>${category}_url</code>.</p>
${fieldTable('Fields', schema)}
</article>`

interface Field {
  type?: string
  const?: unknown
  enum?: unknown[]
  anyOf?: Field[]
  items?: Field
  properties?: Record<string, Field>
  required?: string[]
  description?: string
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  default?: unknown
}

function fieldTable(title: string, schema: unknown): string {
  const rows = schema === undefined ? [] : fieldRows(schema as Field, '')
  if (rows.length === 0) return ''
  return `<h4>${escape(title)}</h4><div class="scroll" tabindex="0" role="region" aria-label="${escape(title)}"><table><thead><tr><th scope="col">Field</th><th scope="col">Type</th><th scope="col">Rule</th></tr></thead><tbody>${rows.join('')}</tbody></table></div>`
}

function fieldRows(schema: Field, prefix: string): string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const required = schema.required?.includes(name) ?? false
    const path = `${prefix}${name}`
    const nested =
      field.type === 'array' ? field.items : (field.anyOf?.find(option => option.type === 'object') ?? field)
    const own = `<tr><td><code>${escape(path)}</code></td><td>${escape(typeName(field))}${required ? '' : ', optional'}</td><td>${escape(rules(field))}</td></tr>`
    return [own, ...fieldRows(nested ?? {}, `${path}${field.type === 'array' ? '[]' : ''}.`)]
  })
}

function typeName(field: Field): string {
  if (field.anyOf !== undefined) return field.anyOf.map(typeName).join(' or ')
  if (field.type === 'array') return `list of ${typeName(field.items ?? {})}`
  return field.type ?? 'any'
}

function rules(field: Field): string {
  const parts: string[] = []
  if (field.const !== undefined) parts.push(`Always ${JSON.stringify(field.const)}.`)
  if (field.enum !== undefined) parts.push(`One of ${field.enum.join(', ')}.`)
  if (field.minimum !== undefined || field.maximum !== undefined)
    parts.push(`From ${field.minimum ?? '…'} to ${field.maximum ?? '…'}.`)
  if (field.maxLength !== undefined) parts.push(`At most ${field.maxLength} characters.`)
  if (field.default !== undefined) parts.push(`Default ${JSON.stringify(field.default)}.`)
  if (field.description !== undefined) parts.push(field.description)
  return parts.join(' ')
}

const shownPath = (route: Route): string => route.path.replace(/:([a-z_]+)/g, '{$1}')
const anchorOf = (route: Route): string => `${route.method}${route.path}`.toLowerCase().replace(/[^a-z0-9]+/g, '-')

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escape = (text: string): string => text.replace(/[&<>"']/g, char => lookUp(ESCAPES, char)!)
