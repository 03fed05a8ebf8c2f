import { escapeHtml } from '../html.ts'
import { inline } from '../markdown.ts'
import { type Document, type Parameter, resolveRef, type Schema } from './document.ts'

/** The fields of an object as a list, with those of nested objects below them. */
export function fieldList(document: Document, title: string, schema: Schema): string {
  const rows = fieldRows(document, schema, '')
  return rows.length === 0 ? '' : list(title, rows)
}

export function parameterList(title: string, parameters: Parameter[]): string {
  if (parameters.length === 0) return ''
  const rows = parameters.map(({ name, required, schema, description }) =>
    row({
      name,
      required,
      type: typeName(schema),
      rules: rulesOf({ ...schema, ...(description === undefined ? {} : { description }) }),
    }),
  )
  return list(title, rows)
}

const list = (title: string, rows: string[]): string =>
  `<h3>${escapeHtml(title)}</h3><dl class="fields">${rows.join('')}</dl>`

interface Row {
  name: string
  required: boolean
  type: string
  rules: string
}

const row = ({ name, required, type, rules }: Row): string =>
  `<div><dt><code>${escapeHtml(name)}</code> <span class="type">${escapeHtml(type)}</span>${required ? '' : ' <span class="optional">optional</span>'}</dt>${rules === '' ? '' : `<dd>${inline(rules, () => null)}</dd>`}</div>`

function fieldRows(document: Document, given: Schema, prefix: string): string[] {
  const schema = resolveRef(document, given)
  if (schema.type === 'array') return fieldRows(document, schema.items ?? {}, prefix)
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const own = row({
      name: prefix + name,
      required: schema.required?.includes(name) ?? false,
      type: typeName(field),
      rules: rulesOf(field),
    })
    return [own, ...innerRows(document, field, prefix + name)]
  })
}

function innerRows(document: Document, field: Schema, path: string): string[] {
  const inner = resolveRef(
    document,
    field.anyOf?.find(each => each.type === 'object' || each.$ref !== undefined) ?? field,
  )
  const list = inner.type === 'array'
  return fieldRows(document, list ? (inner.items ?? {}) : inner, `${path}${list ? '[]' : ''}.`)
}

function typeName(field: Schema): string {
  if (field.$ref !== undefined) return field.$ref.replace('#/components/schemas/', '')
  if (field.anyOf !== undefined) return field.anyOf.map(typeName).join(' or ')
  if (field.type === 'array') return `list of ${typeName(field.items ?? {})}`
  return field.type ?? 'any'
}

function rulesOf(field: Schema): string {
  const parts: string[] = []
  if (field.description !== undefined) parts.push(field.description.replace(/[^.]$/, '$&.'))
  if (field.const !== undefined) parts.push(`Always \`${String(field.const)}\`.`)
  if (field.enum !== undefined) parts.push(`One of ${field.enum.map(each => `\`${String(each)}\``).join(', ')}.`)
  if (field.minimum !== undefined && field.maximum !== undefined) parts.push(`${field.minimum} to ${field.maximum}.`)
  if (field.maxLength !== undefined) parts.push(`At most ${field.maxLength.toLocaleString('en')} characters.`)
  if (field.maxItems !== undefined)
    parts.push(`${field.minItems ?? 0} to ${field.maxItems.toLocaleString('en')} of them.`)
  if (field.default !== undefined) parts.push(`\`${JSON.stringify(field.default)}\` where it is left out.`)
  return parts.join(' ')
}
