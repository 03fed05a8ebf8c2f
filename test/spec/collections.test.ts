import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { OPERATOR_TOKEN, startTestGateway, type TestGateway } from '../harness/gateway.ts'
import { until } from '../harness/until.ts'

const ROOT = join(import.meta.dirname, '../..')
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')
const openApi = JSON.parse(read('openapi.json')) as { paths: Record<string, Record<string, { summary: string }>> }
const operations = Object.values(openApi.paths).flatMap(each => Object.values(each))

interface HttpRequest {
  name: string
  method: string
  url: string
  headers: Record<string, string>
  body: string | undefined
}

/** A file of requests as editors read it, with these values in place of its own variables. */
function readHttpFile(text: string, values: Record<string, string>): HttpRequest[] {
  const [head, ...blocks] = text.split(/^### /m)
  const own = new Map([...head!.matchAll(/^@(\w+) = ?(.*)$/gm)].map(match => [match[1]!, match[2]!]))
  const fill = (part: string): string =>
    part.replace(/\{\{(\$?\w+)\}\}/g, (whole, name: string) => values[name] || own.get(name) || whole)
  return blocks.map(block => {
    const [top, ...rest] = fill(block).trim().split('\n\n')
    const [name, line, ...headers] = top!.split('\n')
    const [method, url] = line!.split(' ')
    const body = rest.length === 0 ? undefined : rest.join('\n\n')
    const pairs = headers.map(each => [each.slice(0, each.indexOf(':')), each.slice(each.indexOf(':') + 2)])
    return { name: name!, method: method!, url: url!, headers: Object.fromEntries(pairs), body }
  })
}

describe('the collections of requests', () => {
  it('are what `npm run collections` makes of openapi.json', async () => {
    const { filesOf } = (await import('../../scripts/collections.mjs' as string)) as {
      filesOf(document: unknown): Record<string, string>
    }
    for (const [path, text] of Object.entries(filesOf(openApi)))
      expect(read(path) === text, `${path} is stale`).toBe(true)
  })

  it('have every call of the interface', () => {
    const summaries = operations.map(({ summary }) => summary).sort()
    const postman = JSON.parse(read('docs/api/postern.postman_collection.json')) as {
      info: { schema: string }
      item: Array<{ item: Array<{ name: string }> }>
    }
    expect(postman.info.schema).toMatch(/v2\.1\.0/)
    expect(postman.item.flatMap(({ item }) => item.map(({ name }) => name)).sort()).toEqual(summaries)
    const named = readHttpFile(read('docs/api/postern.http'), {}).map(({ name }) => name)
    expect(named.sort()).toEqual(summaries)
  })
})

describe('the requests of the .http file', () => {
  let gateway: TestGateway
  let requests: HttpRequest[] = []
  beforeAll(async () => {
    gateway = await startTestGateway('sqlite', { POSTERN_ROLES: 'api,worker,simulator' })
    const account = await gateway.account()
    const { id } = (await account.ask('POST', '/v1/sessions', { platform: 'sandbox' })).json
    await until(
      async () => (await account.ask('GET', `/v1/sessions/${encodeURIComponent(id)}`)).json.state === 'connected',
    )
    const sent = await account.ask('POST', '/v1/messages', { session_id: id, to: '15551234567', text: 'Hello' })
    requests = readHttpFile(read('docs/api/postern.http'), {
      POSTERN_URL: gateway.url,
      POSTERN_API_KEY: account.key,
      POSTERN_OPERATOR_TOKEN: OPERATOR_TOKEN,
      POSTERN_SESSION: id,
      message_id: sent.json.message_id,
      account_id: account.id,
      $guid: 'a-name-for-the-message',
    })
  })
  afterAll(() => gateway.stop())

  const isStream = ({ url }: HttpRequest): boolean => url.endsWith('/events')
  const isFilled = ({ url, body = '' }: HttpRequest): boolean => !`${url}${body}`.includes('{{')
  /** Ends what the others need, or needs what a file cannot bring. */
  const isLast = ({ method, url }: HttpRequest): boolean =>
    method === 'DELETE' || /react$|sign-in-links$|\/restart$|\/sandbox\/media$/.test(url)

  it('work as they stand, with the reader’s own ids in them', async () => {
    const tried = requests.filter(each => isFilled(each) && !isStream(each) && !isLast(each))
    expect(tried.length).toBeGreaterThan(30)
    const refused: unknown[] = []
    for (const { name, method, url, headers, body } of tried) {
      const answer = await fetch(url, { method, headers, ...(body === undefined ? {} : { body }) })
      if (answer.status >= 300) refused.push({ name, status: answer.status, said: await answer.text() })
    }
    expect(refused).toEqual([])
  })
})
