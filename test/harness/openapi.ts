import { Errors } from 'typebox/schema'
import type { Route } from '../../src/http/route.ts'
import type { Answer } from './client.ts'

/** What in an answer is not as the document says for its status. */
export function deviations(document: Answer['json'], route: Route, answer: Answer): string[] {
  const path = route.path.replace(/:([a-z_]+)/g, '{$1}')
  const described = document.paths[path][route.method.toLowerCase()].responses[answer.status]
  if (described === undefined) return [`${answer.status} is not described`]
  const schema = described.content?.['application/json']?.schema
  if (schema === undefined) return answer.text === '' ? [] : ['a body is not described']
  const [, errors] = Errors(schema, answer.json)
  return errors.map(error => JSON.stringify(error))
}
