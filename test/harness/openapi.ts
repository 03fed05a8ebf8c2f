import { Errors } from 'typebox/schema'
import type { Route } from '../../src/http/route.ts'
import type { Answer } from './client.ts'

/** The differences between a response and the document for its status. */
export function deviations(document: Answer['json'], route: Route, answer: Answer): string[] {
  const path = route.path.replace(/:([a-z_]+)/g, '{$1}')
  const described = document.paths[path][route.method.toLowerCase()].responses[answer.status]
  if (described === undefined) return [`${answer.status} is not described`]
  if (described.content?.['application/octet-stream'] !== undefined) return []
  const schema = described.content?.['application/json']?.schema
  if (schema === undefined) return answer.text === '' ? [] : ['a body is not described']
  const [, errors] = Errors(resolved(document, schema) as object, answer.json)
  return errors.map(error => JSON.stringify(error))
}

/** The schema with all references resolved. */
export function resolved(document: Answer['json'], schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(each => resolved(document, each))
  if (schema === null || typeof schema !== 'object') return schema
  if ('$ref' in schema) {
    const name = String(schema.$ref).replace('#/components/schemas/', '')
    return resolved(document, document.components.schemas[name])
  }
  return Object.fromEntries(Object.entries(schema).map(([key, each]) => [key, resolved(document, each)]))
}
