import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectError } from '../harness/client.ts'
import { OPERATOR_TOKEN, startTestGateway, type TestAccount, type TestGateway } from '../harness/gateway.ts'
import { until } from '../harness/until.ts'

const ROOT = join(import.meta.dirname, '../..')
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')
const openApi = JSON.parse(read('openapi.json')) as {
  paths: Record<string, Record<string, { summary: string }>>
  components: { schemas: Record<string, object> }
}
const operations = Object.values(openApi.paths).flatMap(each => Object.values(each))

interface HttpRequest {
  name: string
  method: string
  url: string
  headers: Record<string, string>
  body: string | undefined
}

/** Parses a file of requests as editors do, with these values for its variables. */
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

describe('The request collections', () => {
  it('are what `npm run collections` generates from openapi.json', async () => {
    const { filesOf } = (await import('../../scripts/collections.mjs' as string)) as {
      filesOf(document: unknown): Record<string, string>
    }
    for (const [path, text] of Object.entries(filesOf(openApi)))
      expect(read(path) === text, `${path} is stale`).toBe(true)
  })

  it('contain every call of the API', () => {
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

describe('The requests of the .http file', () => {
  let gateway: TestGateway
  let requests: HttpRequest[] = []
  let account: TestAccount
  let session = ''
  beforeAll(async () => {
    gateway = await startTestGateway('sqlite', { POSTERN_ROLES: 'api,worker,simulator' })
    account = await gateway.account()
    const { id } = (await account.ask('POST', '/v1/sessions', { platform: 'sandbox', phone: '999100300480' })).json
    await until(
      async () => (await account.ask('GET', `/v1/sessions/${encodeURIComponent(id)}`)).json.state === 'connected',
    )
    session = id
    const sent = await account.ask('POST', '/v1/messages', { session_id: id, to: '15551234567', text: 'Hello' })
    let names = 0
    const file = read('docs/api/postern.http').replaceAll('{{$guid}}', () => `name-${names++}`)
    requests = readHttpFile(file, {
      POSTERN_URL: gateway.url,
      POSTERN_API_KEY: account.key,
      POSTERN_OPERATOR_TOKEN: OPERATOR_TOKEN,
      POSTERN_SESSION: id,
      message_id: sent.json.message_id,
      account_id: account.id,
    })
  })
  afterAll(() => gateway.stop())

  const isStream = ({ url }: HttpRequest): boolean => url.endsWith('/events')
  const isFilled = ({ url, body = '' }: HttpRequest): boolean => !`${url}${body}`.includes('{{')
  /** Requests that delete what others need, or need what a file cannot provide. */
  const isLast = ({ method, url }: HttpRequest): boolean =>
    method === 'DELETE' ||
    /react$|\/(groups\/join|preview)$|sign-in-links$|\/profile\/picture$|\/orders$|\/restart$|\/proxy(\/test)?$|\/sandbox\/media$|\/operator\/sessions\//.test(
      url,
    )

  it('work unchanged, with the reader’s own ids in them', async () => {
    const tried = requests.filter(each => isFilled(each) && !isStream(each) && !isLast(each))
    expect(tried.length).toBeGreaterThan(30)
    const refused: unknown[] = []
    for (const { name, method, url, headers, body } of tried) {
      const answer = await fetch(url, { method, headers, ...(body === undefined ? {} : { body }) })
      if (answer.status >= 300) refused.push({ name, status: answer.status, said: await answer.text() })
    }
    expect(refused).toEqual([])
  })

  describe('that name a number', () => {
    interface Operation {
      parameters?: Array<{ name: string; in: string }>
      requestBody?: { content: Record<string, { schema?: { $ref?: string }; example?: object }> }
    }
    const { schemas } = openApi.components
    let endpointId = ''
    type Naming = [name: string, method: string, path: string, body: object | undefined]
    /** Every request of the API that names a number, with this one. */
    const naming = (number: string): Naming[] =>
      Object.entries(openApi.paths as unknown as Record<string, Record<string, Operation>>).flatMap(
        ([path, operations]) =>
          Object.entries(operations).flatMap(([method, { parameters = [], requestBody }]): Naming[] => {
            // The operator's token opens these, and no key of an account.
            if (path.startsWith('/operator/')) return []
            const json = requestBody?.content['application/json']
            const schema = schemas[json?.schema?.$ref?.split('/').at(-1) ?? ''] ?? json?.schema
            const fields = Object.keys((schema as { properties?: object })?.properties ?? {})
            const inPath = path.includes('/sessions/{id}')
            const inQuery = parameters.some(each => each.in === 'query' && each.name === 'session_id')
            const named = {
              ...(fields.includes('session_id') && { session_id: number }),
              ...(fields.includes('session_ids') && { session_ids: [number] }),
            }
            if (!inPath && !inQuery && Object.keys(named).length === 0) return []
            const query = [
              ...(inQuery ? [`session_id=${encodeURIComponent(number)}`] : []),
              ...(path.endsWith('/check') && method === 'get' ? ['phone=15551234567'] : []),
            ].join('&')
            const filled = path
              .replace('/endpoints/{id}', `/endpoints/${endpointId}`)
              .replace('{id}', encodeURIComponent(number))
              .replace('{nl}', '120363000000000001@newsletter')
              .replace('{jid}', /\/(groups|communities)\//.test(path) ? '120363000000000001@g.us' : '15551234567')
              .replace('{group}', '120363000000000002@g.us')
            const body = json === undefined ? undefined : { ...json.example, ...named }
            return [[`${method} ${path}`, method.toUpperCase(), `${filled}?${query}`, body]]
          }),
      )
    const isRestart = ([name]: [string, ...unknown[]]): boolean => /\/(restart|proxy|proxy\/test)$/.test(name)
    const isLastOne = ([name]: [string, ...unknown[]]): boolean => name === 'delete /v1/sessions/{id}'
    const ask = async ([, method, path, body]: Naming) => {
      const ending = new AbortController()
      const answer = await fetch(`${gateway.url}${path}`, {
        method,
        headers: { authorization: `Bearer ${account.key}`, ...(body && { 'content-type': 'application/json' }) },
        ...(body && { body: JSON.stringify(body) }),
        signal: ending.signal,
      })
      ending.abort()
      return answer.status
    }

    it('accept it with or without its device number', async () => {
      endpointId = (await account.ask('POST', '/v1/endpoints', { url: 'http://127.0.0.1:9000/events' })).json.id
      const { id, jid } = (await account.ask('GET', `/v1/sessions/${encodeURIComponent(session)}`)).json
      expect([id, jid]).toEqual([expect.stringMatching(/^999\d+:1@/), id.replace(':1@', '@')])
      const [withDevice, without, foreign] = [id, jid, '999000@s.whatsapp.net'].map(naming)
      expect(without!.length).toBeGreaterThan(18)
      // A number that has just been restarted, or has another proxy, is offline, which changes the answer.
      const order = [...without!.entries()].sort(([, a], [, b]) => Number(isRestart(a)) - Number(isRestart(b)))
      for (const [at, request] of order) {
        if (isLastOne(request)) continue
        expect([request[0], await ask(foreign![at]!)]).toEqual([request[0], 403])
        const statuses = [await ask(withDevice![at]!), await ask(request)]
        for (const status of statuses) expect([request[0], status]).not.toEqual([request[0], 403])
        // A number has one webhook: the second is rejected for that reason, not for its name.
        if (request[0] !== 'post /v1/webhooks') expect([request[0], statuses[0]]).toEqual([request[0], statuses[1]])
      }
      const last = [naming(id), naming(jid)].map(requests => requests.find(isLastOne)!)
      expect(await ask(last[1]!)).toBe(200)
    })

    it.each(['0171 1234567', '0049 171 1234567'])('reject %s in every field, on the sandbox too', async phone => {
      const { id } = (await account.ask('POST', '/v1/sessions', { platform: 'sandbox' })).json
      const own = encodeURIComponent(id)
      const answers = [
        await account.ask('POST', '/v1/messages', { session_id: id, to: phone, text: 'x' }),
        await account.ask('GET', `/v1/sessions/${own}/contacts/check?phone=${encodeURIComponent(phone)}`),
        await account.ask('POST', `/v1/sessions/${own}/presence/subscribe`, { contact_jid: phone }),
        await account.ask('POST', '/v1/pairings', { method: 'code', phone }),
        await account.ask('POST', '/v1/pairings', { method: 'code', phone, platform: 'sandbox' }),
        await account.ask('POST', '/v1/sessions', { platform: 'sandbox', phone }),
        await account.ask('POST', `/sandbox/sessions/${own}/incoming`, { from: phone, type: 'text', text: 'x' }),
        await account.ask('POST', `/sandbox/sessions/${own}/actions`, { action: 'call', from: phone }),
        await account.ask('GET', `/sandbox/sessions/${own}/messages?contact=${encodeURIComponent(phone)}`),
      ]
      const fields = ['to', 'phone', 'contact_jid', 'phone', 'phone', 'phone', 'from', 'from', 'contact']
      for (const [at, answer] of answers.entries())
        expectError(answer, 400, `${fields[at]} must begin with a country code, not with 0: +49 171 1234567`)
      const sent = await account.ask('POST', '/v1/messages', { session_id: id, to: '+49 (0)171 1234567', text: 'x' })
      expect(sent.json.to).toBe('491711234567@s.whatsapp.net')
    })
  })
})
