import { Errors } from 'typebox/schema'
import { describe, expect, it } from 'vitest'
import { ensureFirstAccount } from '../../src/actions/first-start.ts'
import type { Route } from '../../src/http/route.ts'
import { accountRoutes, operatorRoutes } from '../../src/http/routes.ts'
import { type Answer, ask } from '../harness/client.ts'
import { onAnyStore } from '../harness/gateway.ts'
import { deviations, resolved } from '../harness/openapi.ts'

const KINDS = [
  'message',
  'receipt',
  'status',
  'connection',
  'poll_vote',
  'typing',
  'presence',
  'call',
  'newsletter_message',
]
interface Operation {
  operationId: string
  tags: string[]
  parameters: Array<{ name: string; in: string }>
  requestBody?: { content: Record<string, { schema: object; example?: unknown }> }
  responses: Record<string, { content?: Record<string, { schema: Record<string, unknown> }>; headers?: object }>
}

describe('OpenAPI', () => {
  onAnyStore(gateway => {
    const read = async () => (await ask(gateway().url, 'GET', '/openapi.json')).json

    it('every endpoint is in openapi.json (3.1), with its parameters, its body and its errors', async () => {
      const document = await read()
      expect(document.openapi).toBe('3.1.0')
      for (const route of [...accountRoutes, ...operatorRoutes]) {
        const path = route.path.replace(/:([a-z_]+)/g, '{$1}')
        const operation = document.paths[path]?.[route.method.toLowerCase()] as Operation | undefined
        expect(operation, `${route.method} ${path}`).toBeDefined()
        const named = [...path.matchAll(/\{([a-z_]+)\}/g)].map(match => match[1])
        expect(operation!.parameters.filter(each => each.in === 'path').map(each => each.name)).toEqual(named)
        expect(operation!.responses).toHaveProperty(String(route.status))
        for (const status of [401, 403, 429, 500, ...(route.errors ?? [])]) {
          const { content, headers } = operation!.responses[status]!
          expect(content).toEqual({
            'application/json': { schema: { $ref: '#/components/schemas/Error' } },
            'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
          })
          expect(Object.keys(headers!)).toEqual(expect.arrayContaining(['X-Request-Id', 'X-Error-Code']))
        }
        expect(operation!.requestBody === undefined).toBe(route.body === undefined)
      }
      const served = [...accountRoutes, ...operatorRoutes].length
      expect(Object.values(document.paths).flatMap(path => Object.keys(path as object))).toHaveLength(served)
      expect(document.components.schemas.Error).toMatchObject({ required: ['error'], additionalProperties: false })
      expect(document.components.schemas.Problem).toMatchObject({
        required: ['type', 'title', 'status', 'detail', 'code', 'request_id'],
        additionalProperties: false,
      })
    })

    it('every resource, event and body has a name, and every operation has an example that matches its schema', async () => {
      const document = await read()
      const operations = [...Object.values(document.paths), ...Object.values(document.webhooks)].flatMap(path =>
        Object.values(path as Record<string, Operation>),
      )
      const contents = operations.flatMap(({ requestBody, responses }) => {
        const answer = Object.entries(responses).find(([status]) => status < '300')?.[1]
        return [requestBody, answer].flatMap(each => each?.content?.['application/json'] ?? [])
      })
      expect(contents.length).toBeGreaterThan(80)
      for (const { schema, example } of contents as Array<{ schema: object; example: unknown }>) {
        expect(Object.keys(schema)).toEqual(['$ref'])
        const [isRight, errors] = Errors(resolved(document, schema) as object, example)
        expect({ schema, example, errors: isRight ? [] : errors }).toMatchObject({ errors: [] })
      }
      for (const { name, description } of document.tags) expect(description, name).toMatch(/\.$/)
      const used = new Set(operations.flatMap(({ tags }) => tags))
      expect(document.tags.map((tag: { name: string }) => tag.name).sort()).toEqual([...used].sort())
    })

    it('operation ids are unique', async () => {
      const document = await read()
      const ids = Object.values(document.paths as Record<string, Record<string, Operation>>).flatMap(path =>
        Object.values(path).map(operation => operation.operationId),
      )
      expect(new Set(ids).size).toBe(ids.length)
    })

    it('the nine kinds of events are under webhooks', async () => {
      const document = await read()
      const { webhooks } = document
      expect(Object.keys(webhooks).sort()).toEqual([...KINDS].sort())
      for (const kind of KINDS) {
        const content = webhooks[kind].post.requestBody.content['application/json']
        const schema = resolved(document, content.schema) as { properties: Answer['json']; required: string[] }
        expect(schema.properties.kind.const).toBe(kind)
        expect(schema.required).toContain('session_id')
      }
    })

    it('the response of every call with an example matches the document', async () => {
      // The person who starts a gateway is its operator, and can be signed in.
      await ensureFirstAccount(gateway().context)
      const tried = await tryExamples(gateway(), await read())
      expect(tried.length).toBeGreaterThan(10)
      expect(tried.filter(each => each.status >= 400 || each.wrong.length > 0)).toEqual([])
    })
  })
})

/** Calls that a worker or the sandbox answers are tested where those run. */
const needsPlatform = ({ method, path, errors }: Route): boolean =>
  /^\/(sandbox|v1\/pairings)/.test(path) ||
  `${method} ${path}` === 'POST /v1/sessions' ||
  (path.startsWith('/v1/sessions/:id/') && (errors ?? []).includes(409))

/** Sends every example unchanged, except for numbers and ids that exist. */
async function tryExamples(
  gateway: Parameters<Parameters<typeof onAnyStore>[0]>[0] extends () => infer G ? G : never,
  document: Answer['json'],
) {
  const account = await gateway.account()
  const tried: Array<{ call: string; status: number; text: string; wrong: string[] }> = []
  for (const route of [...accountRoutes, ...operatorRoutes].filter(
    each => each.example !== undefined && !needsPlatform(each),
  )) {
    const session = await gateway.session(account)
    const needsWebhook = route.path.startsWith('/v1/webhooks/:id')
    const webhook = needsWebhook
      ? (await account.ask('POST', '/v1/webhooks', { session_id: session.id, messages_url: 'http://127.0.0.1:65000/' }))
          .json
      : undefined
    const endpoint = route.path.startsWith('/v1/endpoints/:id')
      ? (
          await account.ask(
            'POST',
            '/v1/endpoints',
            route.path.endsWith('/ack') ? { type: 'pull' } : { url: 'http://127.0.0.1:65000/' },
          )
        ).json
      : undefined
    const send = { session_id: session.id, to: '15550001111', text: 'x' }
    const message = route.path.startsWith('/v1/messages/:id')
      ? (await account.ask('POST', '/v1/messages', send)).json
      : undefined
    const id =
      webhook?.id ??
      endpoint?.id ??
      message?.message_id ??
      (route.path.startsWith('/operator') ? account.id : encodeURIComponent(session.id))
    const body = JSON.parse(JSON.stringify(route.example!.body ?? {})) as Record<string, unknown>
    if ('session_id' in body) body.session_id = session.id
    const path = route.path.replace(':id', id)
    const answer = path.startsWith('/operator')
      ? await gateway.operator(route.method, path, body)
      : await account.ask(route.method, path, body, route.example!.headers)
    tried.push({
      call: `${route.method} ${route.path}`,
      status: answer.status,
      text: answer.status >= 400 ? answer.text : '',
      wrong: deviations(document, route, answer),
    })
  }
  return tried
}
