import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Writes the request collections from the committed openapi.json; the tests fail if they are out of date. */
const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** Default values of variables: a sandbox phone, and the start of a listener. */
const GIVEN = { phone: '15551234567', after: '0' }
/** The file to upload, which the user puts beside the collection. */
const FILE = { name: 'photo.jpg', type: 'image/jpeg' }
const ADDRESS = { POSTERN_URL: 'http://127.0.0.1:8080', POSTERN_API_KEY: '', POSTERN_OPERATOR_TOKEN: '' }

/** The variable for a path parameter: `{id}` of `/v1/webhooks/{id}` is `webhook_id`. */
function nameInPath(path, part) {
  if (part === 'nl') return 'newsletter_id'
  if (part === 'jid') return /\/(chats|contacts|blocks)\//.test(path) ? 'phone' : 'group_jid'
  if (part !== 'id') return part
  const kind = /([a-z]+)\/\{id\}/.exec(path)[1]
  return kind === 'sessions' ? 'POSTERN_SESSION' : `${kind.replace(/ies$/, 'y').replace(/s$/, '')}_id`
}

/** Every request of the API, with variables for the user's ids. */
function requestsOf({ paths }) {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => {
      const { parameters = [], requestBody, security } = operation
      const query = parameters
        .filter(each => each.in === 'query')
        .map(({ name, required = false, description }) => ({ name, required, description }))
      const example = requestBody?.content['application/json']?.example
      const body = example && 'session_id' in example ? { ...example, session_id: '{{POSTERN_SESSION}}' } : example
      return {
        name: operation.summary,
        description: operation.description,
        tag: operation.tags[0],
        method: method.toUpperCase(),
        path: path.replace(/\{(\w+)\}/g, (_, part) => `{{${nameInPath(path, part)}}}`),
        query,
        token: security.some(each => 'operator' in each) ? 'POSTERN_OPERATOR_TOKEN' : 'POSTERN_API_KEY',
        isSend: parameters.some(({ name }) => name === 'Idempotency-Key'),
        body,
        headers: parameters.filter(each => each.in === 'header' && each.required).map(each => each.name),
        isFile: requestBody?.content['*/*'] !== undefined,
      }
    }),
  )
}

const variablesOf = requests => {
  const named = requests.flatMap(({ path, body }) =>
    [...`${path} ${JSON.stringify(body ?? '')}`.matchAll(/\{\{(\w+)\}\}/g)].map(match => match[1]),
  )
  return {
    ...ADDRESS,
    ...GIVEN,
    ...Object.fromEntries([...new Set(named)].sort((a, b) => (a < b ? -1 : 1)).map(name => [name, ''])),
  }
}

/** A `.http` file, for editors that can send requests. */
function httpFileOf(document) {
  const requests = requestsOf(document)
  const head = Object.entries(variablesOf(requests)).map(([name, value]) => `@${name} = ${value}`.trimEnd())
  const blocks = requests.map(({ name, method, path, query, token, isSend, headers, body, isFile }) => {
    const asked = query.filter(({ required }) => required).map(each => `${each.name}={{${each.name}}}`)
    return [
      `### ${name}`,
      `${method} {{POSTERN_URL}}${path}${asked.length === 0 ? '' : `?${asked.join('&')}`}`,
      `Authorization: Bearer {{${token}}}`,
      ...(isSend ? ['Idempotency-Key: {{$guid}}'] : []),
      ...headers.map(name => `${name}: `),
      ...(body === undefined ? [] : ['Content-Type: application/json', '', JSON.stringify(body, null, 2)]),
      ...(isFile ? [`Content-Type: ${FILE.type}`, '', `< ./${FILE.name}`] : []),
      '',
    ].join('\n')
  })
  return `# Made from openapi.json by \`npm run collections\`. Fill in what is empty.\n${head.join('\n')}\n\n${blocks.join('\n')}`
}

const SCHEMA = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json'

/** A Postman collection, version 2.1. */
function postmanOf(document) {
  const requests = requestsOf(document)
  const folders = [...new Set(requests.map(({ tag }) => tag))].map(tag => ({
    name: tag,
    item: requests.filter(each => each.tag === tag).map(postmanItem),
  }))
  return {
    info: { name: document.info.title, description: document.info.description ?? '', schema: SCHEMA },
    auth: bearer('POSTERN_API_KEY'),
    variable: Object.entries(variablesOf(requests)).map(([key, value]) => ({ key, value, type: 'string' })),
    item: folders,
  }
}

const bearer = name => ({ type: 'bearer', bearer: [{ key: 'token', value: `{{${name}}}`, type: 'string' }] })

function postmanItem({ name, description, method, path, query, token, isSend, headers, body, isFile }) {
  const asked = query.map(each => ({
    key: each.name,
    value: each.required ? `{{${each.name}}}` : '',
    ...(each.description && { description: each.description }),
    disabled: !each.required,
  }))
  const sent = asked.filter(({ disabled }) => !disabled).map(({ key, value }) => `${key}=${value}`)
  const header = [
    ...(isSend ? [{ key: 'Idempotency-Key', value: '{{$guid}}' }] : []),
    ...headers.map(key => ({ key, value: '' })),
    ...(body === undefined ? [] : [{ key: 'Content-Type', value: 'application/json' }]),
    ...(isFile ? [{ key: 'Content-Type', value: FILE.type }] : []),
  ]
  return {
    name,
    request: {
      method,
      ...(token === 'POSTERN_OPERATOR_TOKEN' && { auth: bearer(token) }),
      header,
      url: {
        raw: `{{POSTERN_URL}}${path}${sent.length === 0 ? '' : `?${sent.join('&')}`}`,
        host: ['{{POSTERN_URL}}'],
        path: path.slice(1).split('/'),
        ...(asked.length > 0 && { query: asked }),
      },
      ...(body !== undefined && {
        body: { mode: 'raw', raw: JSON.stringify(body, null, 2), options: { raw: { language: 'json' } } },
      }),
      ...(isFile && { body: { mode: 'file', file: { src: FILE.name } } }),
      ...(description && { description }),
    },
    response: [],
  }
}

export const filesOf = document => ({
  'docs/api/postern.http': httpFileOf(document),
  'docs/api/postern.postman_collection.json': `${JSON.stringify(postmanOf(document), null, 2)}\n`,
})

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const document = JSON.parse(readFileSync(join(root, 'openapi.json'), 'utf8'))
  for (const [path, text] of Object.entries(filesOf(document))) {
    writeFileSync(join(root, path), text)
    console.log(`wrote ${path}`)
  }
}
