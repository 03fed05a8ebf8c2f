import { nameInPath, titleOf } from './names.mjs'

const DYNAMIC =
  'Choose from the list, or specify an ID using an <a href="https://docs.n8n.io/code/expressions/">expression</a>'

/** Optional fields that most people fill in, shown with the required ones. `emptyWith`: sent even if empty when that field is set. */
const IN_SIGHT = { postMessages: { text: { emptyWith: 'reacted_message_id' } } }

export const alphabetically = (a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1)
export const byName = (a, b) => alphabetically(a.name, b.name)
const byTitle = (a, b) => alphabetically(a.displayName, b.displayName)

/** Resolves references, and removes `null` from alternatives. */
export function resolved(document, schema) {
  if (schema.$ref !== undefined) return resolved(document, document.components.schemas[schema.$ref.split('/').at(-1)])
  const others = (schema.anyOf ?? []).filter(each => each.type !== 'null')
  return others.length === 1 ? { ...schema, ...resolved(document, others[0]), anyOf: undefined } : schema
}

/** All inputs of an operation: path, query, headers and body. */
export function inputsOf(document, path, operation) {
  const parameters = (operation.parameters ?? []).map(each => ({
    at: each.name,
    in: each.in,
    name: each.in === 'path' ? nameInPath(path, each.name) : each.name,
    required: each.required,
    schema: resolved(document, { description: each.description, ...each.schema }),
  }))
  const content = operation.requestBody?.content['application/json']
  if (content === undefined) return parameters
  const { properties = {}, required = [] } = resolved(document, content.schema)
  const body = Object.entries(properties).map(([name, schema]) => ({
    at: name,
    in: 'body',
    name,
    required: required.includes(name),
    schema: resolved(document, schema),
  }))
  return [...parameters, ...body]
}

/** Splits the inputs into those that are always shown and those that the user adds. */
export function arranged(id, inputs) {
  const paging = new Set(['limit', 'cursor'])
  const isPaged = inputs.some(({ name }) => name === 'cursor')
  const asked = inputs.filter(
    each => !(isPaged && each.in === 'query' && paging.has(each.name)) && each.in !== 'header',
  )
  const isInSight = ({ name, required }) => required || IN_SIGHT[id]?.[name] !== undefined
  return {
    inSight: asked.filter(isInSight).map(each => ({ ...each, ...IN_SIGHT[id]?.[each.name] })),
    added: asked.filter(each => !isInSight(each)),
    isPaged,
    hasIdempotencyKey: inputs.some(({ name }) => name === 'Idempotency-Key'),
  }
}

/** Descriptions as the editor shows them: a boolean says whether, one sentence has no period, and several have. */
function descriptionOf({ description = '' }, type) {
  const words = description.replace(/\bid(s?)\b/g, 'ID$1').trim()
  if (words === '') return ''
  const isSeveral = /[.:;?!] [A-Z]/.test(words)
  const ended = isSeveral ? words.replace(/([^.])$/, '$1.') : words.replace(/\.$/, '')
  const said = ended[0].toUpperCase() + ended.slice(1)
  return type === 'boolean' && !/^whether/i.test(said) ? `Whether to set it: ${ended}` : said
}

const isText = ({ type }) => type === 'string' || type === undefined

/** The type of a field in the editor, with its options. */
function typed({ name, schema }) {
  if (isText(schema) && name === 'session_id')
    return { type: 'options', default: '', typeOptions: { loadOptionsMethod: 'getSessions' } }
  if (schema.enum !== undefined)
    return {
      type: 'options',
      default: schema.default ?? schema.enum[0],
      options: optionsOf(schema.enum, name === 'action' ? sentence : undefined),
    }
  // A field that may be more than a boolean is one in the editor.
  if (schema.type === 'boolean' || schema.anyOf?.some(({ type }) => type === 'boolean'))
    return { type: 'boolean', default: schema.default ?? false }
  if (schema.type === 'integer' || schema.type === 'number') return numberOf(schema)
  if (schema.type === 'array' && schema.items.enum !== undefined)
    return { type: 'multiOptions', default: [], options: optionsOf(schema.items.enum) }
  if (schema.type === 'array' && schema.items.type === 'string')
    return { type: 'string', default: [], typeOptions: { multipleValues: true } }
  if (schema.type === 'array' || schema.type === 'object')
    return { type: 'json', default: JSON.stringify(skeletonOf(schema)) }
  if (/password|secret|token/.test(name)) return { type: 'string', default: '', typeOptions: { password: true } }
  if (/(^since|^until|_at)$/.test(name)) return { type: 'string', default: '', placeholder: '2026-01-31T12:00:00Z' }
  if (name === 'email') return { type: 'string', default: '', placeholder: 'name@email.com' }
  return { type: 'string', default: schema.default ?? '' }
}

function numberOf({ minimum, maximum, default: given }) {
  const typeOptions = { minValue: minimum, maxValue: maximum }
  const limits = Object.fromEntries(Object.entries(typeOptions).filter(([, value]) => value !== undefined))
  return {
    type: 'number',
    default: given ?? minimum ?? 0,
    ...(Object.keys(limits).length > 0 && { typeOptions: limits }),
  }
}

const optionsOf = (values, more = () => ({})) =>
  values.map(value => ({ name: titleOf(String(value)), value, ...more(value) })).sort(byName)

/** n8n requires this of every option of a field named `action`. */
const sentence = value => ({ action: titleOf(value)[0] + value.slice(1).replaceAll('_', ' ') })

/** An initial value: the required fields of an object, or of the first entry of a list. */
function skeletonOf(schema) {
  if (schema.type === 'array') return schema.items.type === 'object' ? [skeletonOf(schema.items)] : []
  if (schema.type !== 'object') return schema.type === 'number' || schema.type === 'integer' ? 0 : ''
  const required = schema.required ?? []
  return Object.fromEntries(required.map(name => [name, skeletonOf(schema.properties[name])]))
}

/** The optional fields of an object, or of each entry of a list. */
function shapeOf(schema) {
  const { properties = {}, required = [] } = schema.type === 'array' ? schema.items : schema
  // n8n's linter reports a bare `id` as a misspelling.
  const others = Object.keys(properties).filter(name => !required.includes(name) && name !== 'id')
  return others.length === 0 ? 'As JSON' : `As JSON, which may have ${others.join(', ')}`
}

/** One field of the editor. */
export function propertyOf(input) {
  const kind = typed(input)
  const { schema, name, required } = input
  const isChosen = kind.typeOptions?.loadOptionsMethod !== undefined
  return {
    displayName: isChosen ? 'Number Name or ID' : titleOf(name),
    name,
    ...kind,
    ...(required && { required }),
    ...described(isChosen ? DYNAMIC : wordsOf(schema, name, kind.type)),
  }
}

const described = description => (description === '' ? {} : { description })

function wordsOf(schema, name, type) {
  const said = descriptionOf(schema, type)
  if (type === 'boolean' && said === '') return `Whether to set ${name.replaceAll('_', ' ')}`
  return type === 'json'
    ? [said.replace(/\.$/, ''), shapeOf(schema)].filter(Boolean).join('. ') + (said === '' ? '' : '.')
    : said
}

export const sortedByTitle = properties => properties.toSorted(byTitle)
