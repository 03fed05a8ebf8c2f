import { codeFigure } from '../code.ts'
import { escapeHtml } from '../html.ts'
import { inline } from '../markdown.ts'
import { type Sample, sampleOf } from '../samples/sample.ts'
import type { TabGroups } from '../tabs.ts'
import { type Document, resolveRef, type Parameter, type PlacedOperation } from './document.ts'
import { fieldList, parameterList } from './fields.ts'

const STREAM = 'text/event-stream'
const FILE = 'application/octet-stream'

const takesFile = ({ requestBody }: PlacedOperation): boolean => requestBody?.content['*/*'] !== undefined

/** The sample of an operation, from the examples of the document. */
export function sampleOfOperation(operation: PlacedOperation): Sample {
  const examples = (place: Parameter['in']): Record<string, string> =>
    Object.fromEntries(
      operation.parameters
        .filter(({ in: where, example }) => where === place && example !== undefined)
        .map(({ name, example }) => [name, example!]),
    )
  return sampleOf({
    method: operation.method,
    path: operation.path,
    query: examples('query'),
    headers: examples('header'),
    body: operation.requestBody?.content['application/json']?.example,
    endless: answerOf(operation).type === STREAM,
    isFile: takesFile(operation),
  })
}

function answerOf({ responses }: PlacedOperation) {
  const status = Object.keys(responses).find(each => each.startsWith('2'))!
  const { description, content = {} } = responses[status]!
  const [type, body] = Object.entries(content)[0] ?? []
  return { status, description, type, body }
}

/** Renders an operation: description, parameters and responses on the left, samples on the right if there is room. */
export function renderOperation(document: Document, operation: PlacedOperation, tabs: TabGroups): string {
  const { anchor, method, path, summary, description, parameters } = operation
  const of = (place: Parameter['in']) => parameters.filter(each => each.in === place)
  const body = operation.requestBody?.content['application/json']
  const answer = answerOf(operation)
  const schema = answer.body === undefined ? {} : resolveRef(document, answer.body.schema)
  return `<article class="operation" id="${anchor}">
<div class="about">
<h2><a class="anchor" href="#${anchor}">${escapeHtml(summary)}</a></h2>
${signature(method, path)}
${description === undefined ? '' : `<p>${inline(description, () => null)}</p>`}${needs(operation)}
${parameterList('In the path', of('path'))}${parameterList('Query', of('query'))}${parameterList('Headers', of('header'))}
${body === undefined ? '' : fieldList(document, 'Body', body.schema)}
<details><summary>Answer ${answer.status}${answer.type === STREAM ? ', a stream of events' : answer.type === FILE ? ', the file' : ''}</summary>${fieldList(document, 'Fields', schema)}</details>
${refusals(operation)}
</div>
<div class="shown">
${tabs.request(sampleOfOperation(operation), `${method} ${path}`)}
${answer.body?.example === undefined ? '' : codeFigure({ language: 'json', text: JSON.stringify(answer.body.example, null, 2), label: `Answer ${answer.status}` })}
${tryIt(operation)}
</div>
</article>`
}

export const signature = (method: string, path: string): string =>
  `<p class="signature"><span class="method ${method.toLowerCase()}">${method}</span> <code>${escapeHtml(path).replace(/\//g, '/<wbr>')}</code></p>`

function needs({ security, 'x-scope': scope }: PlacedOperation): string {
  if (security.some(each => 'operator' in each)) return '<p class="needs">Needs the operator’s token.</p>'
  return scope === undefined
    ? '<p class="needs">Works with any key.</p>'
    : `<p class="needs">Needs a key with the scope <code>${scope}</code>.</p>`
}

function refusals({ responses }: PlacedOperation): string {
  const rows = Object.entries(responses).filter(([status]) => Number(status) >= 400)
  const items = rows.map(
    ([status, { description }]) => `<div><dt><code>${status}</code></dt><dd>${escapeHtml(description)}</dd></div>`,
  )
  return `<details><summary>Errors</summary><dl class="fields">${items.join('')}</dl><p><a href="/docs/errors">Every code with its cure</a></p></details>`
}

/** A placeholder for the "Try it" form, which needs the script. */
function tryIt(operation: PlacedOperation): string {
  const { type } = answerOf(operation)
  if (type === STREAM || type === FILE || takesFile(operation)) return ''
  const described = {
    method: operation.method,
    path: operation.path,
    operator: operation.security.some(each => 'operator' in each),
    parameters: operation.parameters.map(({ name, in: place, required, example }) => ({
      name,
      place,
      required,
      example,
    })),
    body: operation.requestBody?.content['application/json']?.example,
  }
  return `<div class="try" hidden data-operation="${escapeHtml(JSON.stringify(described))}"></div>`
}
