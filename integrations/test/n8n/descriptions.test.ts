import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { categoryOf, type EventKind } from '../../../src/domain/event.ts'
import { ERROR_DOCS } from '../../../src/http/openapi/error-docs.ts'
import { CALLS } from '../../n8n/nodes/Postern/descriptions/calls.ts'
import { PROPERTIES } from '../../n8n/nodes/Postern/descriptions/resources.ts'
import { FIELD_OF_KIND } from '../../n8n/nodes/Postern/webhook-config.ts'
import { KINDS } from '../../n8n/nodes/PosternTrigger/kinds.ts'

const OWN = join(import.meta.dirname, '../../n8n')
const openApi = JSON.parse(readFileSync(join(OWN, '../../openapi.json'), 'utf8'))
const FOLDER = join(OWN, 'nodes/Postern/descriptions')

interface Operation {
  operationId: string
  parameters?: Array<{ in: string; name: string }>
  requestBody?: { content: { 'application/json': { schema: { $ref: string } } } }
  responses: Record<string, { content?: Record<string, unknown> }>
}
const operations = Object.entries(openApi.paths as Record<string, Record<string, Operation>>).flatMap(
  ([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
)
/** A body that is a file has no fields, and an answer that is a file is no item. */
const withFields = operations.filter(
  ({ operation: { requestBody, responses } }) =>
    (requestBody === undefined || 'application/json' in requestBody.content) &&
    !('application/octet-stream' in (responses[200]?.content ?? {})),
)

describe('the n8n node', () => {
  it('is what `npm run describe` makes of openapi.json and of the list of errors', async () => {
    const { filesOf } = await import('../../n8n/scripts/describe.mjs')
    const made = filesOf(openApi, ERROR_DOCS) as Record<string, string>
    expect(readdirSync(FOLDER).toSorted()).toEqual(Object.keys(made).toSorted())
    for (const [name, text] of Object.entries(made)) expect(readFileSync(join(FOLDER, name), 'utf8'), name).toBe(text)
  })

  it('has an operation for every call that takes fields, in the resource that shows it', () => {
    const choices = PROPERTIES.filter(({ name }) => name === 'operation')
    const offered = choices.flatMap(({ options = [] }) => options.map(option => 'value' in option && option.value))
    const ids = withFields.map(({ operation }) => operation.operationId)
    expect(ids.length).toBeGreaterThan(60)
    expect(new Set(offered)).toEqual(new Set(ids))
    expect(offered).toHaveLength(ids.length)
    expect(Object.keys(CALLS).toSorted()).toEqual(ids.toSorted())
  })

  it.each(withFields)(
    '$method $path takes every parameter and every field of its body',
    ({ path, method, operation }) => {
      const call = CALLS[operation.operationId]!
      expect({ method: call.method, path: call.path }).toEqual({ method, path })
      const named = operation.requestBody?.content['application/json'].schema.$ref.split('/').at(-1)
      const body = named === undefined ? [] : Object.keys(openApi.components.schemas[named].properties ?? {})
      const parameters = (operation.parameters ?? []).map(each => each.name)
      const own = new Set(['Idempotency-Key', ...(call.answer === 'pages' ? ['limit', 'cursor'] : [])])
      const fields = [...call.inSight, ...call.added].map(({ at, name }) => at ?? name)
      expect(fields.toSorted()).toEqual([...parameters.filter(name => !own.has(name)), ...body].toSorted())
      const names = [...call.inSight, ...call.added].map(({ name }) => name)
      expect(new Set(names).size).toBe(names.length)
    },
  )

  it('shows a field for everything that a call takes', () => {
    for (const [id, call] of Object.entries(CALLS)) {
      const shown = PROPERTIES.filter(({ displayOptions }) => displayOptions?.show?.operation?.includes(id))
      const inCollections = shown.flatMap(({ type, options = [] }) =>
        type === 'collection' ? options.map(({ name }) => name) : [],
      )
      const names = [...shown.map(({ name }) => name), ...inCollections]
      expect(names).toEqual(expect.arrayContaining([...call.inSight, ...call.added].map(({ name }) => name)))
    }
  })

  it('can be started by every kind of event, each from the URL that the gateway posts it to', () => {
    const kinds = Object.keys(openApi.webhooks)
    expect(new Set(KINDS.map(({ value }) => value))).toEqual(new Set(kinds))
    for (const kind of kinds as EventKind[]) expect(FIELD_OF_KIND[kind]).toBe(`${categoryOf(kind)}_url`)
  })
})
