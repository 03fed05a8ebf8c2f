import { alphabetically, arranged, byName, inputsOf, propertyOf, resolved, sortedByTitle } from './fields.mjs'
import { operationName, resourceOf } from './names.mjs'

/** `API Key` as the value of an option: `apiKey`. */
export const valueOf = title => {
  const [first, ...rest] = title.split(/[ -]/)
  return [first.toLowerCase(), ...rest].join('')
}

/** The form of a response: pages, a list, a stream of events, or one object. */
function answerOf(document, { responses }) {
  const content = Object.entries(responses).find(([status]) => status.startsWith('2'))[1].content
  if (content['text/event-stream'] !== undefined) return 'stream'
  const fields = Object.keys(resolved(document, content['application/json'].schema).properties ?? {})
  if (fields.includes('next_cursor')) return 'pages'
  return fields.length === 1 && fields[0] === 'data' ? 'list' : 'one'
}

/** A file cannot be a field of the form, nor an item of the result. */
const isFile = ({ requestBody, responses }) =>
  (requestBody !== undefined && requestBody.content['application/json'] === undefined) ||
  responses[200]?.content?.['application/octet-stream'] !== undefined

/** Every operation of the API that takes fields, in the order of the document. */
export const callsOf = document =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => !isFile(operation))
      .map(([method, operation]) => {
        const id = operation.operationId
        const inputs = inputsOf(document, path, operation)
        return {
          id,
          method: method.toUpperCase(),
          path,
          token: operation.security.some(each => 'operator' in each) ? 'operator' : 'key',
          answer: answerOf(document, operation),
          resource: resourceOf(path),
          name: operationName(id, method, path),
          summary: operation.summary,
          ...arranged(id, inputs),
        }
      }),
  )

const shownFor = (resource, operation) => ({ show: { resource: [valueOf(resource)], operation: [operation] } })

const article = word => (/^[aeiou]/i.test(word) ? 'an' : 'a')

/** `Get Many` of `Message` as the list of actions shows it: `Get many messages`. */
function actionOf({ name, resource }) {
  const noun = resource.toLowerCase()
  const verb = name[0] + name.slice(1).toLowerCase().replaceAll('-', ' ')
  if (name.endsWith(' Many')) return `${verb} ${MANY[resource] ?? `${noun}s`}`
  const isWhole = / /.test(name) && !/ or /.test(name)
  return isWhole ? verb : `${verb} ${article(noun)} ${noun}`
}

const MANY = { Delivery: 'deliveries', 'API Log': 'entries of the api log' }

function operationsOf(resource, calls) {
  const options = calls
    .map(call => ({ name: call.name, value: call.id, description: call.summary, action: actionOf(call) }))
    .sort(byName)
  return {
    displayName: 'Operation',
    name: 'operation',
    type: 'options',
    noDataExpression: true,
    displayOptions: { show: { resource: [valueOf(resource)] } },
    options,
    default: calls[0].id,
  }
}

const PAGING = [
  {
    displayName: 'Return All',
    name: 'returnAll',
    type: 'boolean',
    default: false,
    description: 'Whether to return all results or only up to a given limit',
  },
  {
    displayName: 'Limit',
    name: 'limit',
    type: 'number',
    default: 50,
    typeOptions: { minValue: 1 },
    description: 'Max number of results to return',
  },
]
const SECONDS = {
  displayName: 'Watch for Seconds',
  name: 'seconds',
  type: 'number',
  default: 30,
  typeOptions: { minValue: 1, maxValue: 280 },
  description: 'How long to gather events, where the stream does not end before',
}
const IDEMPOTENCY_KEY = {
  displayName: 'Idempotency Key',
  name: 'idempotencyKey',
  type: 'string',
  default: '',
  placeholder: 'order-1001-shipped',
  description:
    'The same key never sends a second message. Empty: one of this execution, node and item, so that a retry of n8n sends nothing twice.',
}

const collection = (displayName, name, placeholder, added) => ({
  displayName,
  name,
  type: 'collection',
  placeholder,
  default: {},
  options: sortedByTitle(added.map(propertyOf)),
})

/** The fields of one operation, each shown for it alone. */
function fieldsOf(call) {
  const { resource, id, inSight, added, isPaged, hasIdempotencyKey, answer } = call
  const displayOptions = shownFor(resource, id)
  const [all, limit] = PAGING
  return [
    ...inSight.map(propertyOf),
    ...(isPaged ? [all, { ...limit, displayOptions: { show: { ...displayOptions.show, returnAll: [false] } } }] : []),
    ...(answer === 'stream' ? [SECONDS] : []),
    ...(hasIdempotencyKey ? [IDEMPOTENCY_KEY] : []),
    ...(added.length === 0 ? [] : [collectionOf(call)]),
  ].map(({ displayName, name, type, ...rest }) => ({ displayName, name, type, displayOptions, ...rest }))
}

const collectionOf = ({ method, added }) =>
  method === 'GET'
    ? collection('Filters', 'filters', 'Add Filter', added)
    : collection('Additional Fields', 'additionalFields', 'Add Field', added)

const placed = input => {
  const { name, at, in: where, emptyWith } = input
  const isJson = propertyOf(input).type === 'json'
  return { name, ...(at !== name && { at }), in: where, ...(isJson && { isJson }), ...(emptyWith && { emptyWith }) }
}

/** The parts of a call that the node needs for its request. */
const requestOf = ({ method, path, token, answer, inSight, added, hasIdempotencyKey }) => ({
  method,
  path,
  token,
  answer,
  inSight: inSight.map(placed),
  added: added.map(placed),
  ...(hasIdempotencyKey && { hasIdempotencyKey }),
})

const MADE = '// Made from openapi.json by `npm run describe`.'

/** A value as it is written in TypeScript: names without quotes, texts in single ones. */
const literal = value =>
  JSON.stringify(value, null, 2)
    .replace(/^(\s*)"([A-Za-z_]\w*)":/gm, '$1$2:')
    .replace(/"((?:[^"\\]|\\.)*)"/g, (_, text) => `'${text.replaceAll('\\"', '"').replaceAll("'", "\\'")}'`)

const constant = (name, type, imported, value) =>
  `${MADE}\nimport type { ${imported.name} } from '${imported.from}'\n\nexport const ${name}: ${type} = ${literal(value)}\n`

const PROPERTY = { name: 'INodeProperties', from: 'n8n-workflow' }

/** The generated files by name: the fields of each resource, the list of resources, the calls and the remedies. */
export function filesOf(document, errorDocs) {
  const calls = callsOf(document)
  const resources = [...new Set(calls.map(({ resource }) => resource))].sort(alphabetically)
  const files = Object.fromEntries(
    resources.map(resource => {
      const own = calls.filter(call => call.resource === resource)
      const properties = [operationsOf(resource, own), ...own.flatMap(fieldsOf)]
      return [
        `${fileOf(resource)}.ts`,
        constant(`${valueOf(resource)}Fields`, 'INodeProperties[]', PROPERTY, properties),
      ]
    }),
  )
  const table = Object.fromEntries(calls.map(call => [call.id, requestOf(call)]))
  return {
    ...files,
    'calls.ts': constant('CALLS', 'Record<string, Call>', { name: 'Call', from: '../call.ts' }, table),
    'cures.ts': curesFile(errorDocs),
    'resources.ts': resourcesFile(resources),
  }
}

/** What to do about each error, by its code. */
const curesFile = errorDocs => {
  const cures = Object.fromEntries(Object.entries(errorDocs).map(([code, { cure }]) => [code, cure]))
  return `${MADE.replace('openapi.json', 'the list of errors')}\nexport const CURES: Record<string, string> = ${literal(cures)}\n`
}

const fileOf = resource => resource.toLowerCase().replaceAll(' ', '-')

function resourcesFile(resources) {
  const imports = resources.map(each => `import { ${valueOf(each)}Fields } from './${fileOf(each)}.ts'`)
  const property = {
    displayName: 'Resource',
    name: 'resource',
    type: 'options',
    noDataExpression: true,
    options: resources.map(each => ({ name: each, value: valueOf(each) })),
    default: 'message',
  }
  return [
    `${MADE}\nimport type { INodeProperties } from 'n8n-workflow'`,
    ...imports,
    `\nconst resource: INodeProperties = ${literal(property)}\n`,
    `export const PROPERTIES: INodeProperties[] = [resource, ${resources.map(each => `...${valueOf(each)}Fields`).join(', ')}]\n`,
  ].join('\n')
}
